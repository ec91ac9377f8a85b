#pragma once
// Instants and durations as plain integers: microseconds, UTC. No clock is read here; the time of a step comes in with its
// command. Arithmetic saturates, so that `now + duration` can never overflow.

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "headrace/base/result.hpp"

namespace headrace {

struct Duration {
  std::int64_t us = 0;
  static constexpr Duration micros(std::int64_t n) { return {n}; }
  static constexpr Duration millis(std::int64_t n) { return {n * 1000}; }
  static constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000}; }
  static constexpr Duration minutes(std::int64_t n) { return seconds(n * 60); }
  static constexpr Duration hours(std::int64_t n) { return seconds(n * 3600); }
  static constexpr Duration max() { return {std::numeric_limits<std::int64_t>::max()}; }  // hr.UNBOUNDED
  constexpr bool unbounded() const { return us == max().us; }
  friend constexpr auto operator<=>(Duration, Duration) = default;
};

struct Instant {
  std::int64_t us = 0;  // since 1970-01-01T00:00:00Z
  static constexpr Instant never() { return {std::numeric_limits<std::int64_t>::max()}; }
  friend constexpr auto operator<=>(Instant, Instant) = default;
};

constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
constexpr Instant operator+(Instant t, Duration d) { return {saturating_add(t.us, d.us)}; }
constexpr Duration operator+(Duration a, Duration b) { return {saturating_add(a.us, b.us)}; }
constexpr Duration operator-(Instant a, Instant b) {
  return {
      saturating_add(a.us, b.us == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : -b.us)};
}

// ISO 8601 text of an instant, UTC, with microseconds only where they are not zero: 2026-01-05T09:00:00Z.
std::string to_text(Instant);
// ISO 8601 text of a duration in seconds, minutes, hours and days: P1DT2H, PT0.5S; "unbounded" for Duration::max().
std::string to_text(Duration);

// Largest duration that is accepted from outside: 100 years of 366 days.
inline constexpr Duration kMaxDuration = Duration::hours(24LL * 366 * 100);

// An ISO 8601 duration or instant as timers write them. Months and years depend on the calendar, so a duration is kept in
// its parts until it is added to an instant (month ends clamp: Jan 31 + P1M is Feb 28 or 29). Errors: Validation, naming text.
struct CalendarDuration {
  std::int32_t months = 0;
  Duration rest;
  friend bool operator==(const CalendarDuration&, const CalendarDuration&) = default;
};
Result<CalendarDuration> parse_calendar_duration(std::string_view iso);
Instant add(Instant, CalendarDuration);
// A duration with no months or years in it (lock durations, retry delays): PT5M, P1DT2H, P2W, PT0.5S. Not negative, <=
// kMaxDuration.
Result<Duration> parse_duration(std::string_view iso);
// 2026-01-05T09:00:00Z, with offset (+01:00), with fraction; without offset it is taken as UTC.
Result<Instant> parse_instant(std::string_view iso);

}  // namespace headrace
