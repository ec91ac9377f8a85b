#include "headrace/observe/format.hpp"

#include <gtest/gtest.h>

#include <set>

#include "headrace/base/json.hpp"

using namespace headrace;
using namespace headrace::observe;

namespace {

Record expiry() {
  Record r;
  r.level = Level::Warning;
  r.what = What::LockExpired;
  r.at = Instant{1'767'603'600'000'000};
  r.root = 7;
  r.job = "7:7:1:1:pay";
  r.topic = "charge-card";
  r.worker = "w 1";
  r.attempt = 2;
  r.duration = Duration::seconds(30);
  r.text = "lock expired";
  return r;
}

}  // namespace

TEST(RecordNames, AreAllDifferentAndKnown) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(What::EngineNote); ++i) names.insert(name_of(static_cast<What>(i)));

  EXPECT_EQ(names.size(), static_cast<std::size_t>(What::EngineNote) + 1);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(name_of(What::JobEnqueued), "job-enqueued");
  EXPECT_EQ(name_of(static_cast<What>(200)), "unknown");
}

TEST(LevelNames, AreTheWordsOfTheLogLevelSetting) {
  EXPECT_EQ(name_of(Level::Debug), "debug");
  EXPECT_EQ(name_of(Level::Info), "info");
  EXPECT_EQ(name_of(Level::Warning), "warning");
  EXPECT_EQ(name_of(Level::Error), "error");
  EXPECT_EQ(name_of(Level::Off), "off");
  EXPECT_EQ(name_of(static_cast<Level>(99)), "unknown");
}

TEST(TextFormat, WritesOneLineWithTheFieldsThatSaySomething) {
  EXPECT_EQ(format_text(expiry()),
            "2026-01-05T09:00:00Z warning lock-expired root=7 job=7:7:1:1:pay topic=charge-card worker=\"w 1\" attempt=2 "
            "duration=PT30S text=\"lock expired\"");
}

TEST(TextFormat, LeavesOutWhatIsEmptyOrZero) {
  Record r;
  r.what = What::EngineNote;

  EXPECT_EQ(format_text(r), "1970-01-01T00:00:00Z debug engine-note");
}

TEST(TextFormat, EscapesEveryControlCharacterSoThatAForeignNameCannotForgeALine) {
  Record r = expiry();
  r.topic =
      "a\nb\r\x1b[31m\x7f\xC2\x9B"
      "c\xC3\xA9";

  const std::string line = format_text(r);

  EXPECT_NE(line.find("topic=\"a\\nb\\r\\u001b[31m\\u007f\\u009bc\xC3\xA9\""), std::string::npos) << line;
}

TEST(JsonFormat, IsOneObjectThatParsesBackToTheFields) {
  const auto parsed = json::parse(format_json(expiry()));

  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(json::dump(parsed.value()),
            "{\"at\":\"2026-01-05T09:00:00Z\",\"level\":\"warning\",\"what\":\"lock-expired\",\"root\":7,\"job\":\"7:7:1:1:pay\","
            "\"topic\":\"charge-card\",\"worker\":\"w 1\",\"attempt\":2,\"duration\":\"PT30S\",\"text\":\"lock expired\"}");
}

TEST(JsonFormat, StaysReadableWhenATextIsNoUtf8) {
  Record r;
  r.text = "a\xFF\"\x01";

  const auto parsed = json::parse(format_json(r));

  EXPECT_TRUE(parsed.ok()) << format_json(r);
}

TEST(Formats, AreChosenByName) {
  EXPECT_EQ(format(expiry(), Format::Text), format_text(expiry()));
  EXPECT_EQ(format(expiry(), Format::Json), format_json(expiry()));
}
