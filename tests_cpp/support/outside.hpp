#pragma once
// What the shell would hold for one instance: performs effects in their order and remembers what stands outside, the queue's side
// of a report included. check() compares it with the state: T2 and T3 as seen from outside.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "headrace/core/command.hpp"
#include "headrace/core/effect.hpp"

namespace headrace::testing {

class Outside {
 public:
  struct Job {
    model::NodeIndex node;
    VariableView view;
    bool suspended = false;
    bool incident = false;
    int retries = 0;  // as an operator's retry gave them
  };
  using Run = std::pair<core::TokenId, std::uint32_t>;

  // After a step that was taken: the command that ran, then its effects.
  void perform(const core::Instance&, const core::Action&, const std::vector<core::Effect>&);
  // What does not fit the state, or was asked for wrongly; empty when all is well.
  std::vector<std::string> check(const core::Instance&);

  std::map<JobKey, Job> jobs;
  std::map<std::uint32_t, Instant> timers;
  std::map<Run, core::InvokeOperation> operations;
  std::map<Run, core::Ask> asked;
  std::set<std::uint32_t> incidents;
  bool finished = false;

 private:
  void wrong(const std::string& what) { wrong_.push_back(what); }
  void on(const core::EnqueueJob&);
  void on(const core::WithdrawJob&);
  void on(const core::PublishVariables&);
  void on(const core::SuspendJob&);
  void on(const core::ResumeJob&);
  void on(const core::RetryJob&);
  void on(const core::FinishJob&);
  void on(const core::ArmTimer&);
  void on(const core::DisarmTimer&);
  void on(const core::InvokeOperation&);
  void on(const core::CancelOperation&);
  void on(const core::Ask&);
  void on(const core::NoticeIncident&);
  void on(const core::NoticeIncidentClosed&);
  void on(const core::FinishInstance&);
  void take_report(const core::Instance&, const core::ReportOutcome&);

  std::vector<std::string> wrong_;
};

}  // namespace headrace::testing
