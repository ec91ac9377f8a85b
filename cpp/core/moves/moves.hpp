#pragma once
// Steps that behaviours share: take flows, complete, cancel, throw an error, raise an incident, write an output. Each appends
// events and effects; none changes state.

#include <optional>
#include <span>

#include "core/elements/behavior.hpp"

namespace headrace::core::moves {

// --- flows.cpp ---
// The element is done: counts it, and takes the token on. One unconditional flow is taken at once; otherwise the token becomes
// ready to leave, so that a fault of a condition keeps what the element did.
void complete_and_leave(const Activation&);
// The same for an activity: its boundary timers and open incidents end with it.
void complete_activity(const Activation&);
// The token's node is done and its flows are to be taken: every flow without a condition or whose condition holds; when none, the
// default; when there are none at all, the token ends. Error: no flow can be taken, or a condition fails.
Status leave(const Activation&);
// The same with answers of asked callables.
Status leave_with(const Activation&, const Answered&);
// Moves the token over the flows: itself on the first, new tokens on the others.
void take(const Activation&, std::span<const model::FlowIndex>);
// Evaluates conditions in order. `pick_first` for exclusive gateways. Callables without an answer are asked: then `asked` is set
// and nothing is chosen.
struct Choice {
  std::vector<model::FlowIndex> flows;
  bool asked = false;
};
Result<Choice> choose(const Activation&, bool pick_first, const Answered* answers);

// --- boundary.cpp ---
// Arms the boundary timers of the activity that the token enters. Error: a timer value fails.
Status arm_boundaries(const Activation&);
std::uint32_t next_timer_id(const Activation&);
// Removes the timers of a token.
void disarm(const Instance&, TokenId, StepBuffer&);
// Disarms outside what this very part of the step has armed: the instance ends in it.
void disarm_fresh(const Activation&);
// Cuts off what a token does: its job or operation, its timers, its inner scope with everything in it. The token itself stays;
// the element counts as cancelled. `reported`: the job or operation whose result is being handled, which is over outside.
void cancel_activity(const Activation& host, std::optional<JobKey> reported = std::nullopt);
// Cancels all tokens of a scope and below, and consumes them; `except` stays (the token that causes it).
void cancel_scope(const Activation& cause, ScopeId, TokenId except);

// All tokens of the instance, before it fails or is cancelled.
void cancel_all(const Activation& cause, std::optional<JobKey> reported);

// --- errors.cpp ---
// Throws a BPMN error from the token's activity: the innermost matching boundary event catches it, a code before a catch-all
// (BPMN 10.5.7); uncaught it fails the instance, or ends the path.
void throw_error(const Activation&, const std::string& code, const std::string& message, const VariableBlock& variables,
                 std::optional<JobKey> reported);
// Fails the instance with a diagnostic.
void fail_instance(const Activation&, std::string code, std::string reason, std::optional<JobKey> reported);

// --- incidents.cpp ---
Incident new_incident(const Activation&, IncidentKind);
void raise(const Activation&, Incident);
// Raises failedStep in front of (or behind) the token's node.
void raise_failed_step(const Activation&, bool leaving, std::string message);
// Exhausted retries (design 4.11): an incident, or the seeds' plain ending. `job_stays`: the reported job stays open, in the
// incident.
void exhausted(const Activation&, IncidentKind, const jobs::OutcomeExhausted&, std::optional<JobKey> reported,
               bool job_stays = false);
// Closes the open incidents of a token.
void close_incidents(const Instance&, TokenId, StepBuffer&);
// Those of the task itself: an incident of one of its boundary timers stays.
void close_task_incidents(const Activation&);

// --- output.cpp ---
// Each field goes to the nearest scope that has the name, else to the root scope (design 4.10).
void write_output(const Activation&, const VariableBlock&);
// Writes the status variable. Error: the name is taken and overwrite is off (names both).
Status write_status(const Activation&, const policy::StatusTarget&, const Slice& value);
// The variables of the in message, bound from what the token sees. Error Technical: absent or ill-typed fields, all of them.
Result<VariableBlock> bind_input(const Activation&, const model::Operation&);
const policy::PolicyPtr& in_process_policy(const Activation&);
// The variables that expressions see.
class ViewVariables final : public expr::Variables {
 public:
  explicit ViewVariables(const VariableView& view) : view_(view) {}
  std::optional<Value> find(std::string_view name) const override;

 private:
  const VariableView& view_;
};

}  // namespace headrace::core::moves
