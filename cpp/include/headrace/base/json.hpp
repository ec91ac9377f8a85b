#pragma once
// The JSON border of values: text in, text out (RFC 8259). Depth <= 128, size <= 4 MiB, integers that fit 64 bits stay exact,
// others are refused, as are NaN, infinities, lone surrogates, invalid UTF-8, duplicate keys and trailing text. Pure.

#include <string>
#include <string_view>

#include "headrace/base/result.hpp"
#include "headrace/base/value.hpp"

namespace headrace::json {

// Error: Validation "expected JSON, found … at byte N".
Result<Value> parse(std::string_view text);
// Compact text; map order kept. Bytes become base64 text, datetimes ISO 8601 text, doubles that are
// not finite null; other doubles keep a point or an exponent, so that they come back as doubles. `indent` > 0 pretty-prints.
std::string dump(const Value&, int indent = 0);
// A JSON string literal with its quotes, control characters escaped, bytes that are no UTF-8 replaced by
// U+FFFD: for records and messages.
std::string quote(std::string_view);

}  // namespace headrace::json
