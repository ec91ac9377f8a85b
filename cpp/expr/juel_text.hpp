#pragma once
// The outside of an expression: plain text and the `${…}` in it.

#include <string>
#include <string_view>

#include "juel_program.hpp"

namespace headrace::expr::juel {

// Compiles a whole text; false and what is wrong in `problem`.
bool compile(std::string_view text, Node& program, std::string& problem);

}  // namespace headrace::expr::juel
