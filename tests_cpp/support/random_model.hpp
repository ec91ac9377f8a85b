#pragma once
// Random block-structured models: sequences of tasks of all kinds, exclusive and parallel blocks, loops and sub-processes, with
// boundary timers and errors, early ends, and now and then a condition that fails. The same dice give the same model.

#include "support/dice.hpp"
#include "support/model.hpp"

namespace headrace::testing {

model::DefinitionPtr random_model(Dice&, policy::Profile);

}  // namespace headrace::testing
