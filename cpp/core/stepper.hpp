#pragma once
// The loop of one step: runs behaviours for ready tokens until every token waits or is gone. Private to core.

#include <vector>

#include "core/elements/behavior.hpp"
#include "headrace/core/evolve.hpp"

namespace headrace::core {

class Stepper {
 public:
  Stepper(Instance& inst, const Command& command, StepBuffer& out, Undo& undo);

  // The whole step; on an error everything is taken back.
  Status run();

 private:
  // decide.cpp: what each command means; leaves events in the buffer.
  Status decide();
  Status on(const StartInstance&);
  Status on(const ReportOutcome&);
  Status on(const OperationDone&);
  Status on(const TimerFired&);
  Status on(const TimerFailed&);
  Status on(const Answered&);
  Status on(const CompleteUserTask&);
  Status on(const Cancel&);
  Status on(const Suspend&);
  Status on(const Resume&);
  Status on(const RetryIncident&);
  Status on(const ResolveIncident&);
  Status on(const RaiseIncidentError&);
  Status on(const AnnotateIncident&);
  Status on(const SetVariables&);
  Status on(const EnqueueRefused&);
  Result<const Incident*> open_incident(std::uint32_t number) const;
  Status resume_token(const Token&);

  // The element's own part: an error under profile headrace becomes a failedStep incident, under camunda7 it undoes the step.
  Status guarded(TokenId, bool leaving, const Status& result, std::size_t events, std::size_t effects);
  Status enter(const Token&);
  Status leave_node(const Token&);
  Status settle_deferred();
  Status loop();
  Status count_entry(const Token&);
  void apply();
  void note(const Event&);
  void complete_scope(ScopeId);
  void complete_drained();
  void publish_views();
  void hold_back(std::size_t from);
  bool raise_for_answers(const Status& undone);
  Activation at(const Token&);

  Instance& inst_;
  const Command& command_;
  StepBuffer& out_;
  Undo& undo_;
  std::vector<TokenId>& ready_;
  std::vector<ScopeId>& drained_;
  std::vector<ScopeId>& changed_;
  std::size_t effects_at_change_ = 0;
  model::NodeIndex last_consumed_ = kNone;
  std::uint32_t entries_ = 0;
  std::vector<std::uint32_t> entries_by_node_;
  TokenId next_token_ = 0;
  ScopeId next_scope_ = 0;
};

}  // namespace headrace::core
