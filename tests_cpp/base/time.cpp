#include "headrace/base/time.hpp"

#include <gtest/gtest.h>

namespace headrace {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Instant at(std::string_view iso) {
  const auto parsed = parse_instant(iso);
  EXPECT_TRUE(parsed.ok()) << iso;
  return parsed.ok() ? *parsed : Instant{};
}

TEST(Time, ArithmeticSaturatesAtBothEnds) {
  // given the ends of the range
  const Instant late{kMax - 1};
  const Instant early{kMin + 1};
  // when they are moved further
  const Instant later = late + Duration::seconds(1);
  const Instant earlier = early + Duration{kMin};
  // then they stay at the ends
  EXPECT_EQ(later, Instant::never());
  EXPECT_EQ(earlier.us, kMin);
  EXPECT_EQ((Instant{0} - Instant{kMin}).us, kMax);
}

TEST(Time, TextOfAnInstantHasMicrosecondsOnlyWhereTheyAreNotZero) {
  EXPECT_EQ(to_text(Instant{1'767'603'600'000'000}), "2026-01-05T09:00:00Z");
  EXPECT_EQ(to_text(Instant{1'767'603'600'500'000}), "2026-01-05T09:00:00.5Z");
  EXPECT_EQ(to_text(Instant{1'767'603'600'000'001}), "2026-01-05T09:00:00.000001Z");
  EXPECT_EQ(to_text(Instant{-1}), "1969-12-31T23:59:59.999999Z");
}

TEST(Time, TextOfTheEndsOfTheRangeIsWritten) {
  EXPECT_EQ(to_text(Instant{kMax}), "+294247-01-10T04:00:54.775807Z");
  EXPECT_EQ(to_text(Instant{kMin}), "-290308-12-21T19:59:05.224192Z");
}

TEST(Time, InstantsAreReadWithOffsetFractionAndWithoutEither) {
  const Instant nine = at("2026-01-05T09:00:00Z");
  EXPECT_EQ(nine.us, 1'767'603'600'000'000);
  EXPECT_EQ(at("2026-01-05T10:00:00+01:00"), nine);
  EXPECT_EQ(at("2026-01-05T10:00:00.000+0100"), nine);
  EXPECT_EQ(at("2026-01-05T03:30:00-05:30"), nine);
  EXPECT_EQ(at("2026-01-05T09:00"), nine);
  EXPECT_EQ(at("2026-01-05T09:00:00").us, nine.us);
  EXPECT_EQ(at("2026-01-05T09:00:00.1234567Z").us, nine.us + 123'456);
  EXPECT_EQ(at("2026-01-05"), at("2026-01-05T00:00:00Z"));
  EXPECT_EQ(at("2024-02-29T00:00:00Z") + Duration::hours(24), at("2024-03-01T00:00:00Z"));
}

TEST(Time, InstantsOutsideTheCalendarAreRefusedNamingTheText) {
  for (const char* text :
       {"", "2026", "2026-13-01", "2026-00-01", "2026-02-29", "2026-04-31", "2026-01-05T24:00:00Z", "2026-01-05T09:60:00Z",
        "2026-01-05T09:00:60Z", "2026-01-05T09:00:00.Z", "2026-01-05T09:00:00+24:00", "2026-01-05T09:00:00Zjunk",
        "2026-01-05 09:00:00", "+12026-01-05", "2026-1-5", "2026-01-05T", "2026-01-05T09:00:00+1", "２026-01-05"}) {
    // when
    const auto parsed = parse_instant(text);
    // then
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::Validation);
    EXPECT_NE(parsed.error().message.find(std::string("found '") + text), std::string::npos) << parsed.error().message;
  }
}

TEST(Time, InstantTextComesBackAsTheSameInstant) {
  for (std::int64_t us = -62'135'596'800'000'000; us < 250'000'000'000'000'000; us += 1'234'567'890'123'457) {
    EXPECT_EQ(at(to_text(Instant{us})).us, us);
  }
}

TEST(Time, DurationTextUsesDaysHoursMinutesAndSeconds) {
  EXPECT_EQ(to_text(Duration::hours(26)), "P1DT2H");
  EXPECT_EQ(to_text(Duration::millis(500)), "PT0.5S");
  EXPECT_EQ(to_text(Duration{}), "PT0S");
  EXPECT_EQ(to_text(Duration::hours(48)), "P2D");
  EXPECT_EQ(to_text(Duration::seconds(90)), "PT1M30S");
  EXPECT_EQ(to_text(Duration::seconds(-90)), "-PT1M30S");
  EXPECT_EQ(to_text(Duration::max()), "unbounded");
  EXPECT_EQ(to_text(Duration{kMin}), "-P106751991DT4H54.775808S");
}

TEST(Time, DurationsWithoutMonthsAreRead) {
  EXPECT_EQ(*parse_duration("PT5M"), Duration::minutes(5));
  EXPECT_EQ(*parse_duration("P1DT2H"), Duration::hours(26));
  EXPECT_EQ(*parse_duration("P2W"), Duration::hours(24 * 14));
  EXPECT_EQ(*parse_duration("PT0.5S"), Duration::millis(500));
  EXPECT_EQ(*parse_duration("PT0,5H"), Duration::minutes(30));
  EXPECT_EQ(*parse_duration("PT0S"), Duration{});
  EXPECT_EQ(*parse_duration("P36600D"), kMaxDuration);
}

TEST(Time, DurationsOutOfFormOrRangeAreRefused) {
  for (const char* text : {"",
                           "P",
                           "PT",
                           "5M",
                           "P5",
                           "PT5",
                           "-PT5M",
                           "PT-5M",
                           "P1DT",
                           "PT1M1H",
                           "PT1H1H",
                           "PT0.5H5M",
                           "P1S",
                           "PT1D",
                           "pt5m",
                           "PT5M ",
                           "P36601D",
                           "P36600DT1S",
                           "PT99999999999999999999S",
                           "P1M",
                           "P1Y",
                           "PT.5S",
                           "PT1.S",
                           "P1DT1HT1M",
                           "PT5M/PT1H"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(Time, CalendarDurationsKeepMonthsApartAndAreBounded) {
  EXPECT_EQ(*parse_calendar_duration("P1Y2M3DT4H"), (CalendarDuration{14, Duration::hours(76)}));
  EXPECT_EQ(parse_calendar_duration("P100Y")->months, 1200);
  for (const char* text : {"P99999999Y", "P101Y", "P1201M", "P100Y1M", "P0.5Y", "P1.5M", "P9223372036854775807Y", "P1M1Y"}) {
    EXPECT_FALSE(parse_calendar_duration(text).ok()) << text;
  }
}

TEST(Time, MonthEndsClamp) {
  const CalendarDuration month{1, {}};
  EXPECT_EQ(add(at("2026-01-31T10:00:00Z"), month), at("2026-02-28T10:00:00Z"));
  EXPECT_EQ(add(at("2024-01-31T10:00:00Z"), month), at("2024-02-29T10:00:00Z"));
  EXPECT_EQ(add(at("2024-02-29T10:00:00Z"), {12, {}}), at("2025-02-28T10:00:00Z"));
  EXPECT_EQ(add(at("2026-12-31T10:00:00Z"), month), at("2027-01-31T10:00:00Z"));
  EXPECT_EQ(add(at("2026-03-31T10:00:00Z"), {-1, Duration::hours(1)}), at("2026-02-28T11:00:00Z"));
}

TEST(Time, AddingToTheEndOfTheRangeSaturates) {
  EXPECT_EQ(add(Instant::never(), {1, {}}), Instant::never());
  EXPECT_EQ(add(Instant::never(), {std::numeric_limits<std::int32_t>::max(), Duration::max()}), Instant::never());
  EXPECT_LT(add(Instant{kMin}, {std::numeric_limits<std::int32_t>::min(), {}}), Instant{kMin} + Duration::hours(24));
}

}  // namespace
}  // namespace headrace
