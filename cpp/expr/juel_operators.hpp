#pragma once
// JUEL's operators over values (EL 2.1, section 1.7). Each answers in `out`, or says false and what was wrong in `fault`.

#include <string>

#include "headrace/base/value.hpp"
#include "juel_program.hpp"

namespace headrace::expr::juel {

// Add, Subtract, Multiply, Divide, Remainder. Integers stay exact; division gives a double as in JUEL; null counts as 0.
bool arithmetic(Op, const Value& a, const Value& b, Value& out, std::string& fault);
bool negate(const Value& a, Value& out, std::string& fault);
// Less … NotEqual. Null equals null alone, and orders with nothing but null.
bool compare(Op, const Value& a, const Value& b, Value& out, std::string& fault);
// Element of a list, member of a map; null when it has none.
bool index(const Value& container, const Value& key, Value& out, std::string& fault);
bool is_empty(const Value&);
// Length, Size, IsEmpty.
bool measure(Op, const Value& a, Value& out, std::string& fault);
bool contains(const Value& container, const Value& part, Value& out, std::string& fault);

}  // namespace headrace::expr::juel
