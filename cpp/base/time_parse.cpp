// ISO 8601 as timers write it. Every number is bounded while it is read, so that no text can overflow.
#include <optional>

#include "civil.hpp"
#include "headrace/base/time.hpp"

namespace headrace {
namespace {

constexpr std::int32_t kMaxMonths = 1200;  // 100 years, as kMaxDuration

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // Exactly `width` digits within [low, high].
  std::optional<int> number(std::size_t width, int low, int high) {
    if (text_.size() - at_ < width) return std::nullopt;
    int n = 0;
    for (const char c : text_.substr(at_, width)) {
      if (!is_digit(c)) return std::nullopt;
      n = n * 10 + (c - '0');
    }
    if (n < low || n > high) return std::nullopt;
    at_ += width;
    return n;
  }
  // One or more digits, at most 10^15.
  std::optional<std::int64_t> natural() {
    if (!is_digit(peek())) return std::nullopt;
    std::int64_t n = 0;
    while (is_digit(peek())) {
      n = n * 10 + (text_[at_++] - '0');
      if (n > 1'000'000'000'000'000) return std::nullopt;
    }
    return n;
  }
  // The digits after a point or comma as millionths; what lies below is cut off.
  std::optional<std::int64_t> millionths() {
    if (!is_digit(peek())) return std::nullopt;
    std::int64_t n = 0;
    std::int64_t unit = 100'000;
    for (; is_digit(peek()); ++at_, unit /= 10) n += (text_[at_] - '0') * unit;
    return n;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

Error expected(std::string_view what, std::string_view found) {
  constexpr std::size_t kShown = 60;
  std::string shown(found.substr(0, kShown));
  if (found.size() > kShown) shown += "…";
  return make_error(ErrorCode::Validation, "expected " + std::string(what) + ", found '" + shown + "'");
}

struct Unit {
  char letter;
  bool time;  // stands after the T
  std::int64_t us;
  std::int32_t months;
};
constexpr Unit kUnits[] = {
    {'Y', false, 0, 12},           {'M', false, 0, 1},         {'W', false, 7 * civil::kDayUs, 0}, {'D', false, civil::kDayUs, 0},
    {'H', true, 3'600'000'000, 0}, {'M', true, 60'000'000, 0}, {'S', true, 1'000'000, 0}};

// Adds `n` and `millionths` units, refusing what passes the limits.
bool accumulate(CalendarDuration& sum, const Unit& unit, std::int64_t n, std::int64_t millionths) {
  if (unit.months != 0) {
    if (millionths != 0 || n > kMaxMonths / unit.months) return false;
    sum.months += static_cast<std::int32_t>(n) * unit.months;
    return sum.months <= kMaxMonths;
  }
  if (n > kMaxDuration.us / unit.us) return false;
  sum.rest.us += n * unit.us + millionths * unit.us / 1'000'000;
  return sum.rest <= kMaxDuration;
}

std::optional<CalendarDuration> read_duration(std::string_view iso) {
  Reader in(iso);
  if (!in.take('P') || in.done()) return std::nullopt;
  CalendarDuration sum;
  bool time = false;
  bool fraction = false;
  std::size_t next_unit = 0;
  while (!in.done()) {
    if (fraction) return std::nullopt;  // only the last part may have one
    if (!time && in.take('T')) time = true;
    const auto n = in.natural();
    if (!n) return std::nullopt;
    std::int64_t millionths = 0;
    if (in.take('.') || in.take(',')) {
      const auto read = in.millionths();
      if (!read) return std::nullopt;
      millionths = *read;
      fraction = true;
    }
    while (next_unit < std::size(kUnits) && (kUnits[next_unit].time != time || kUnits[next_unit].letter != in.peek()))
      ++next_unit;
    if (next_unit == std::size(kUnits)) return std::nullopt;
    if (!accumulate(sum, kUnits[next_unit], *n, millionths)) return std::nullopt;
    in.take(in.peek());
    ++next_unit;
  }
  return sum;
}

std::optional<std::int64_t> read_offset_minutes(Reader& in) {
  if (in.done() || in.take('Z')) return 0;
  const bool west = in.take('-');
  if (!west && !in.take('+')) return std::nullopt;
  const auto hours = in.number(2, 0, 23);
  if (!hours) return std::nullopt;
  int minutes = 0;
  if (!in.done()) {
    in.take(':');  // Java's pattern XX writes +0100
    const auto read = in.number(2, 0, 59);
    if (!read) return std::nullopt;
    minutes = *read;
  }
  const std::int64_t offset = *hours * 60 + minutes;
  return west ? -offset : offset;
}

// hh:mm[:ss[.fraction]] in microseconds.
std::optional<std::int64_t> read_time_of_day(Reader& in) {
  const auto hour = in.number(2, 0, 23);
  if (!hour || !in.take(':')) return std::nullopt;
  const auto minute = in.number(2, 0, 59);
  if (!minute) return std::nullopt;
  std::int64_t us = (*hour * 60LL + *minute) * 60'000'000;
  if (!in.take(':')) return us;
  const auto second = in.number(2, 0, 59);
  if (!second) return std::nullopt;
  us += *second * 1'000'000LL;
  if (!in.take('.') && !in.take(',')) return us;
  const auto fraction = in.millionths();
  if (!fraction) return std::nullopt;
  return us + *fraction;
}

std::optional<Instant> read_instant(std::string_view iso) {
  Reader in(iso);
  const auto year = in.number(4, 0, 9999);
  if (!year || !in.take('-')) return std::nullopt;
  const auto month = in.number(2, 1, 12);
  if (!month || !in.take('-')) return std::nullopt;
  const auto day = in.number(2, 1, civil::days_in_month(*year, *month));
  if (!day) return std::nullopt;
  const std::int64_t midnight = civil::days_of({*year, *month, *day}) * civil::kDayUs;
  if (in.done()) return Instant{midnight};
  if (!in.take('T')) return std::nullopt;
  const auto time = read_time_of_day(in);
  if (!time) return std::nullopt;
  const auto offset = read_offset_minutes(in);
  if (!offset || !in.done()) return std::nullopt;
  return Instant{midnight + *time - *offset * 60'000'000};
}

}  // namespace

Result<CalendarDuration> parse_calendar_duration(std::string_view iso) {
  if (const auto read = read_duration(iso)) return *read;
  return expected("an ISO 8601 duration of at most 100 years, such as PT5M or P1M", iso);
}

Result<Duration> parse_duration(std::string_view iso) {
  const auto read = read_duration(iso);
  if (read && read->months == 0) return read->rest;
  return expected("an ISO 8601 duration in weeks, days, hours, minutes or seconds, at most 100 years, such as PT5M", iso);
}

Result<Instant> parse_instant(std::string_view iso) {
  if (const auto read = read_instant(iso)) return *read;
  return expected("an ISO 8601 date and time, such as 2026-01-05T09:00:00Z", iso);
}

}  // namespace headrace
