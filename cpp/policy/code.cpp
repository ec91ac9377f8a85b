#include "code.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace headrace::policy {
namespace {

std::optional<std::string> double_text(double number) {
  if (!std::isfinite(number)) return std::nullopt;
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (number == std::floor(number) && number >= -kTwoTo63 && number < kTwoTo63) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  std::array<char, 32> raw{};
  const auto end = std::to_chars(raw.data(), raw.data() + raw.size(), number).ptr;
  return std::string(raw.data(), end);
}

}  // namespace

std::optional<std::string> code_text(const Value& code) {
  switch (code.kind()) {
    case Kind::Int:
      return std::to_string(code.as_int());
    case Kind::Double:
      return double_text(code.as_double());
    case Kind::String:
      return code.as_string();
    default:
      return std::nullopt;
  }
}

}  // namespace headrace::policy
