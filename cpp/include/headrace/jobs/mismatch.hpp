#pragma once
// A result that does not fit its mapping, message or schema is a technical fault without a code, whose body is the raw result
// (design 4.9). Such a fault is told from others by how its message begins: only it can be mapped again.

#include <string_view>

#include "headrace/policy/retry.hpp"

namespace headrace::jobs {

inline constexpr std::string_view kMismatch = "output mismatch: ";

inline bool keeps_result(const policy::Failure& f) {
  return f.code.is_null() && f.body.is(Kind::Map) && f.message.starts_with(kMismatch);
}

}  // namespace headrace::jobs
