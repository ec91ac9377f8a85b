#pragma once
// One step: command -> decide -> events + effects -> evolve, until every token waits or is gone (design 1.1, 1.2). Whole or not
// at all: on an error the instance is as before. Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "headrace/base/result.hpp"
#include "headrace/core/command.hpp"
#include "headrace/core/effect.hpp"
#include "headrace/core/event.hpp"
#include "headrace/core/undo.hpp"

namespace headrace::core {

// Design 1.12.
inline constexpr std::uint32_t kMaxEntries = 10'000;      // node entries by one token and its offspring in a step
inline constexpr std::uint32_t kMaxLiveTokens = 100'000;  // in a root

// Reused from step to step. Events and effects of one step, or of several steps of one commit.
struct StepBuffer {
  std::vector<Event> events;
  std::vector<Effect> effects;
  std::size_t applied = 0;  // events before it are in the state
  // Working space of the loop, kept for its capacity.
  std::vector<TokenId> ready;
  std::vector<ScopeId> drained, changed;
  std::optional<OperationDone> deferred;  // the result of an inline operation, handled when its events are applied
  void clear() {
    events.clear();
    effects.clear();
    applied = 0;
    deferred.reset();
  }
};

// Runs one command on the instance. On success the events are appended and applied, the effects appended, and what takes the step
// back is in `undo`. On an error (camunda7: a runtime fault; both: a command that does not fit the state, a limit) instance,
// buffer and undo are as before. Errors: JobNotFound, NotFound (incident, timer, token), Conflict, InstanceSuspended, Expression,
// Technical, Validation.
Status step(Instance&, const Command&, StepBuffer&, Undo&);

}  // namespace headrace::core
