#include "support/outside.hpp"

#include "headrace/jobs/job.hpp"

namespace headrace::testing {

using core::Instance;
using core::Token;
using core::Wait;

namespace {
std::string text(const JobKey& key) { return "job " + jobs::to_text(key, ""); }
std::string text(std::uint32_t n) { return std::to_string(n); }

// Reports and results are over for the shell before the effects of their step run.
void forget_results(Outside& o, const core::Action& action) {
  if (const auto* done = std::get_if<core::OperationDone>(&action)) o.operations.erase({done->token, done->visit});
  if (const auto* answers = std::get_if<core::Answered>(&action)) o.asked.erase({answers->token, answers->visit});
  if (const auto* refused = std::get_if<core::EnqueueRefused>(&action)) o.jobs.erase(refused->key);
  if (const auto* fired = std::get_if<core::TimerFired>(&action)) o.timers.erase(fired->id);
  if (const auto* failed = std::get_if<core::TimerFailed>(&action)) o.timers.erase(failed->id);
}
}  // namespace

void Outside::take_report(const Instance& after, const core::ReportOutcome& report) {
  if (const auto it = jobs.find(report.key); it == jobs.end()) {
    wrong("a report was taken for " + text(report.key) + ", which is not open");
  } else if (std::holds_alternative<jobs::OutcomeVariables>(report.outcome)) {
    it->second.incident = false;
  } else {
    const Token* t = after.token(report.key.token);
    // a status whose variable is taken is an incident, too
    const bool may_stay = std::holds_alternative<jobs::OutcomeExhausted>(report.outcome) ||
                          std::holds_alternative<jobs::OutcomeStatus>(report.outcome);
    const bool stays = may_stay && t != nullptr && t->wait == Wait::Job && after.job_key(*t) == report.key;
    if (stays) {
      it->second.incident = true;
    } else {
      jobs.erase(it);
    }
  }
}

void Outside::perform(const Instance& after, const core::Action& action, const std::vector<core::Effect>& effects) {
  forget_results(*this, action);
  if (const auto* report = std::get_if<core::ReportOutcome>(&action)) take_report(after, *report);
  for (const core::Effect& e : effects) std::visit([this](const auto& x) { on(x); }, e);
}

void Outside::on(const core::EnqueueJob& e) {
  if (finished) wrong("a job was enqueued after the end");
  if (!jobs.emplace(e.key, Job{e.node, e.view}).second) wrong(text(e.key) + " was enqueued twice");
}
void Outside::on(const core::WithdrawJob& e) {
  if (jobs.erase(e.key) == 0) wrong(text(e.key) + " was withdrawn, but is not open");
}
void Outside::on(const core::PublishVariables& e) {
  const auto it = jobs.find(e.key);
  if (it == jobs.end()) return wrong("variables were published for " + text(e.key) + ", which is not open");
  it->second.view = e.view;
}
void Outside::on(const core::SuspendJob& e) {
  const auto it = jobs.find(e.key);
  if (it == jobs.end() || it->second.suspended) return wrong(text(e.key) + " was suspended, but is not open or is already");
  it->second.suspended = true;
}
void Outside::on(const core::ResumeJob& e) {
  const auto it = jobs.find(e.key);
  if (it == jobs.end() || !it->second.suspended) return wrong(text(e.key) + " was resumed, but is not suspended");
  it->second.suspended = false;
}
void Outside::on(const core::RetryJob& e) {
  const auto it = jobs.find(e.key);
  if (it == jobs.end() || !it->second.incident) return wrong(text(e.key) + " was retried, but has no incident");
  it->second.incident = false;
  it->second.retries = e.retries;
}
void Outside::on(const core::FinishJob& e) {
  if (jobs.erase(e.key) == 0) wrong(text(e.key) + " was finished, but is not open");
}
void Outside::on(const core::ArmTimer& e) { timers[e.id] = e.due; }
void Outside::on(const core::DisarmTimer& e) { timers.erase(e.id); }
void Outside::on(const core::InvokeOperation& e) {
  if (!operations.emplace(Run{e.token, e.visit}, e).second) wrong("an operation of token " + text(e.token) + " was begun twice");
}
void Outside::on(const core::CancelOperation& e) {
  if (operations.erase({e.token, e.visit}) == 0)
    wrong("an operation of token " + text(e.token) + " was cancelled, but does not run");
}
void Outside::on(const core::Ask& e) {
  if (!asked.emplace(Run{e.token, e.visit}, e).second) wrong("conditions of token " + text(e.token) + " were asked twice");
}
void Outside::on(const core::NoticeIncident& e) {
  if (!incidents.insert(e.number).second) wrong("incident " + text(e.number) + " was raised twice");
}
void Outside::on(const core::NoticeIncidentClosed& e) {
  if (incidents.erase(e.number) == 0) wrong("incident " + text(e.number) + " was closed, but is not open");
}
void Outside::on(const core::FinishInstance&) {
  if (finished) wrong("the instance was finished twice");
  finished = true;
}

std::vector<std::string> Outside::check(const Instance& inst) {
  std::size_t waiting[4] = {};
  for (const Token& t : inst.tokens) {
    const std::string who = "token " + text(t.id) + " at '" + inst.definition->node(t.node).id + "' ";
    if (t.wait == Wait::Job) {
      ++waiting[0];
      const auto it = jobs.find(inst.job_key(t));
      if (it == jobs.end()) wrong(who + "waits for a job that is not open");
      if (it != jobs.end() && it->second.node != t.node) wrong(who + "waits for a job of another element");
      if (it != jobs.end() && it->second.suspended != inst.suspended)
        wrong(who + "has a job that is not as suspended as the instance");
      if (it != jobs.end() && it->second.incident != (t.activity == core::ActivityState::Failing))
        wrong(who + "and its job differ about an incident");
    }
    if (t.wait == Wait::Operation && ++waiting[1] && !operations.contains({t.id, t.visit}))
      wrong(who + "waits for an operation that does not run");
    // an asked gateway keeps its late answers to itself
    if (t.wait == Wait::Ask && ++waiting[2] && !asked.contains({t.id, t.visit}))
      wrong(who + "waits for answers that nobody was asked for");
  }
  if (jobs.size() != waiting[0])
    wrong(std::to_string(jobs.size()) + " jobs are open, but " + std::to_string(waiting[0]) + " tokens wait for one");
  if (operations.size() != waiting[1]) wrong("an operation runs that nobody waits for");
  std::map<std::uint32_t, Instant> armed;
  if (inst.cold && !inst.suspended) {
    for (const core::Timer& t : inst.cold->timers) {
      if (t.retries > 0) armed.emplace(t.id, t.due);
    }
  }
  for (const auto& [id, due] : armed) {
    if (!timers.contains(id)) wrong("timer " + text(id) + " is not armed outside");
  }
  for (const auto& [id, due] : timers) {
    if (!armed.contains(id)) wrong("timer " + text(id) + " is armed outside only");
  }
  std::set<std::uint32_t> open;
  if (inst.cold) {
    for (const auto& i : inst.cold->incidents) open.insert(i->number);
  }
  if (open != incidents) wrong("the incidents noticed outside are not those of the state");
  if (finished != (inst.state != core::InstanceState::Active)) wrong("the end of the instance was not told");
  std::vector<std::string> found;
  found.swap(wrong_);
  return found;
}

}  // namespace headrace::testing
