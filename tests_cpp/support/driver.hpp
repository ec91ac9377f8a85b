#pragma once
// Runs commands on one instance, each through core::step, and checks every step: the fold of the events is the state in canonical
// bytes (T5); an instance that was stored and loaded again answers the same; undo takes the step back byte for byte; the
// invariants hold (T1 to T3), inside and for what stands outside. A step that is refused must leave everything as it was. What is
// wrong fails the test at once, with the transcript.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/core/state_codec.hpp"
#include "headrace/core/step.hpp"
#include "support/invariants.hpp"
#include "support/model.hpp"
#include "support/outside.hpp"

namespace headrace::testing {

class Driver {
 public:
  static constexpr Instant kStart = {1'800'000'000'000'000};  // 2027-01-15T08:00:00Z
  // Started right away.
  explicit Driver(model::DefinitionPtr, VariableBlock start = {});
  static Driver not_started(model::DefinitionPtr);

  Status start(VariableBlock variables = {});
  // Runs the command at `now`. In the checks operations are called once more than by the step itself.
  Status run(core::Action);

  // Commands by the id of the element where (the first token of) it waits.
  Status complete(std::string_view node, VariableBlock output = {});
  Status report(std::string_view node, jobs::Outcome);
  Status exhaust(std::string_view node, std::string message = "card reader is broken", int attempts = 3);
  Status bpmn_error(std::string_view node, std::string code, VariableBlock variables = {});
  Status status(std::string_view node, const Value&);
  Status finish_user(std::string_view node, VariableBlock output = {});
  Status operation(std::string_view node, core::OperationVerdict);
  Status fire(std::string_view timer_node);  // the boundary event, or the task that backs off; `now` is moved to the due date
  Status answer(std::string_view node, std::vector<Result<bool>>);

  const core::Instance& state() const { return inst_; }
  const Outside& outside() const { return outside_; }
  const std::vector<core::Event>& events() const { return buffer_.events; }  // of the last command
  const std::vector<core::Effect>& effects() const { return buffer_.effects; }
  // Where the tokens wait, in the order of their ids: "pay: job, approve: user"; for an ended instance its state.
  std::string where() const;
  const core::Token* token_at(std::string_view node) const;
  const core::Timer* timer_at(std::string_view node) const;
  JobKey job(std::string_view node) const;
  // The value as JSON text, "absent" when it is not there.
  std::string variable(std::string_view name, core::ScopeId scope = 0) const;
  // "2", or "2 (1 cancelled)".
  std::string count(std::string_view node) const;
  const core::Incident* incident() const;  // the newest open one
  std::string effects_text() const;        // of the last command, one a line
  const std::string& transcript() const { return transcript_; }
  const Invariants& invariants() const { return invariants_; }
  const model::Definition& definition() const { return *definition_; }
  model::NodeIndex node(std::string_view id) const;

  Instant now = kStart;
  double jitter = 0;

 private:
  Driver() = default;
  void check_refused(const std::string& before);
  void check_taken(const std::string& before, const core::Command&);
  void check_fold(const std::string& after);
  void check_undo(const std::string& before, const std::string& after);
  void check_reloaded(const std::string& before, const std::string& after, const core::Command&);
  void write(const core::Command&, const Status&);
  void wrong(const std::string& what) const;

  model::DefinitionPtr definition_;
  core::Instance inst_;
  core::StepBuffer buffer_;
  core::Undo undo_;
  std::vector<core::Event> journal_;
  Outside outside_;
  Invariants invariants_;
  std::string transcript_;
};

}  // namespace headrace::testing
