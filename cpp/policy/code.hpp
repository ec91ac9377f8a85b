#pragma once
// Fault codes and BPMN error codes as text. Numbers are told apart by value alone: 404, 404.0 and "404" give the same text.

#include <optional>
#include <string>

#include "headrace/base/value.hpp"

namespace headrace::policy {

// The text of a number or of a text; nullopt for other kinds, NaN and infinities.
std::optional<std::string> code_text(const Value&);

}  // namespace headrace::policy
