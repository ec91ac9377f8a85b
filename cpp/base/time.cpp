#include "headrace/base/time.hpp"

#include <algorithm>

#include "civil.hpp"

namespace headrace {
namespace {

void append_padded(std::string& out, std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// ".5" of 500,000 µs; nothing of 0.
void append_fraction(std::string& out, std::int64_t us) {
  if (us == 0) return;
  out += '.';
  append_padded(out, us, 6);
  while (out.back() == '0') out.pop_back();
}

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

std::string to_text(Instant t) {
  const std::int64_t days = civil::floor_div(t.us, civil::kDayUs);
  // Days times microseconds would leave the range for the very first day: take the rest from the remainder.
  const std::int64_t remainder = t.us % civil::kDayUs;
  const std::int64_t of_day = remainder < 0 ? remainder + civil::kDayUs : remainder;
  const civil::Date date = civil::date_of(days);
  const std::int64_t seconds = of_day / 1'000'000;
  std::string out;
  if (date.year < 0 || date.year > 9999) out += date.year < 0 ? '-' : '+';
  append_padded(out, date.year < 0 ? -date.year : date.year, 4);
  out += '-';
  append_padded(out, date.month, 2);
  out += '-';
  append_padded(out, date.day, 2);
  out += 'T';
  append_padded(out, seconds / 3600, 2);
  out += ':';
  append_padded(out, seconds / 60 % 60, 2);
  out += ':';
  append_padded(out, seconds % 60, 2);
  append_fraction(out, of_day % 1'000'000);
  return out + 'Z';
}

std::string to_text(Duration d) {
  if (d.unbounded()) return "unbounded";
  if (d.us == 0) return "PT0S";
  std::string out = d.us < 0 ? "-P" : "P";
  const std::uint64_t us = d.us < 0 ? 0 - static_cast<std::uint64_t>(d.us) : static_cast<std::uint64_t>(d.us);
  const auto part = [&out](std::uint64_t n, char unit) {
    if (n != 0) out += std::to_string(n) + unit;
  };
  const std::uint64_t seconds = us / 1'000'000;
  part(seconds / 86400, 'D');
  if (us % static_cast<std::uint64_t>(civil::kDayUs) == 0) return out;
  out += 'T';
  part(seconds / 3600 % 24, 'H');
  part(seconds / 60 % 60, 'M');
  if (us % 60'000'000 != 0) {
    out += std::to_string(seconds % 60);
    append_fraction(out, static_cast<std::int64_t>(us % 1'000'000));
    out += 'S';
  }
  return out;
}

Instant add(Instant t, CalendarDuration d) {
  if (d.months == 0) return t + d.rest;
  const std::int64_t days = civil::floor_div(t.us, civil::kDayUs);
  const std::int64_t remainder = t.us % civil::kDayUs;
  const std::int64_t of_day = remainder < 0 ? remainder + civil::kDayUs : remainder;
  civil::Date date = civil::date_of(days);
  const std::int64_t months = date.year * 12 + (date.month - 1) + d.months;
  date.year = civil::floor_div(months, 12);
  date.month = static_cast<int>(months - date.year * 12) + 1;
  date.day = std::min(date.day, civil::days_in_month(date.year, date.month));
  const Instant moved{saturating_add(saturating_mul(civil::days_of(date), civil::kDayUs), of_day)};
  return moved + d.rest;
}

}  // namespace headrace
