#pragma once
// Whether foreign bytes hold a state that an instance can be in between two steps. Private to core.

#include "headrace/core/instance.hpp"

namespace headrace::core {

// Indexes point into the definition, ids at each other, and everything that waits has what wakes it. The definition is set.
bool is_sound(const Instance&);

}  // namespace headrace::core
