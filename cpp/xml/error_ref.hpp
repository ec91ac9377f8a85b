#pragma once
// What an errorEventDefinition refers to.

#include "context.hpp"

namespace headrace::xml {

// The code and message of the error that errorRef names; no code when there is no errorRef or the error has none.
model::ErrorConfig read_error_ref(const Element& event, const Element& definition, Context&);

}  // namespace headrace::xml
