#pragma once
// JUEL's coercions (EL 2.1, section 1.18), strict where a silent default would hide a fault: text that is no number is no 0,
// text other than true and false is no boolean.

#include <optional>
#include <string>

#include "headrace/base/value.hpp"

namespace headrace::expr::juel {

struct Number {
  bool real = false;
  std::int64_t i = 0;
  double d = 0;  // of an integer, too
};

// Of an integer, a double, or text that reads as either; null counts as 0 as in JUEL.
std::optional<Number> to_number(const Value&);
// Of a boolean, or the text true or false in any case; null counts as false as in JUEL.
std::optional<bool> to_boolean(const Value&);
// Of a datetime or ISO 8601 text.
std::optional<Instant> to_instant(const Value&);
// What stands in a composite: null is empty text, lists and maps are JSON. Nothing for bytes.
std::optional<std::string> to_built_text(const Value&);
// "string", "integer", "map": for messages, which reach logs and incidents and never have a value (design 4.20).
std::string describe(const Value&);

}  // namespace headrace::expr::juel
