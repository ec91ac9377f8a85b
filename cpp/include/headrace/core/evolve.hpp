#pragma once
// evolve: the only place where the state of an instance changes. Total: every event has an answer, and each change can be taken
// back.

#include "headrace/core/event.hpp"
#include "headrace/core/undo.hpp"

namespace headrace::core {

void evolve(Instance&, const Event&, Undo&);

}  // namespace headrace::core
