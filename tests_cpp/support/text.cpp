#include "support/text.hpp"

#include "headrace/base/json.hpp"
#include "headrace/jobs/job.hpp"

namespace headrace::testing {

namespace {

using namespace core;

template <class... F>
struct Cases : F... {
  using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

std::string n(std::uint64_t v) { return std::to_string(v); }
std::string token(TokenId id) { return "token " + n(id); }
std::string key(const JobKey& k) { return n(k.token) + ":" + n(k.visit); }
std::string value(std::string_view encoded) { return json::dump(codec::decode(encoded)); }

std::string outcome(const jobs::Outcome& o) {
  return std::visit(Cases{[](const jobs::OutcomeCompleted& x) { return "completed " + to_text(x.output); },
                          [](const jobs::OutcomeStatus& x) { return "status " + value(x.value.view()); },
                          [](const jobs::OutcomeBpmnError& x) { return "error " + x.code + " " + to_text(x.variables); },
                          [](const jobs::OutcomeExhausted& x) { return "exhausted: " + x.failure.message; },
                          [](const jobs::OutcomeVariables& x) { return "variables " + to_text(x.variables); }},
                    o);
}

std::string verdict(const OperationVerdict& v) {
  return std::visit(
      Cases{[](const jobs::OutcomeCompleted& x) { return "completed " + to_text(x.output); },
            [](const jobs::OutcomeStatus& x) { return "status " + value(x.value.view()); },
            [](const jobs::OutcomeBpmnError& x) { return "error " + x.code; },
            [](const OperationRetry& x) { return "again after " + headrace::to_text(x.delay) + ": " + x.failure.message; },
            [](const OperationExhausted& x) { return "exhausted: " + x.failure.message; }},
      v);
}

}  // namespace

std::string_view name_of(Wait w) {
  constexpr std::string_view kNames[] = {"enter", "leave", "job",  "operation", "ask",
                                         "join",  "scope", "user", "retry",     "failed step"};
  return kNames[static_cast<std::size_t>(w)];
}

std::string to_text(const VariableBlock& block) {
  std::string out = "{";
  for (std::uint32_t i = 0; i < block.size(); ++i) {
    out += (i == 0 ? "" : ", ") + std::string(block.at(i).name()) + ": " + value(block.at(i).encoded());
  }
  return out + "}";
}

std::string to_text(const Action& action, const Instance&) {
  return std::visit(
      Cases{[](const StartInstance& a) { return "start " + to_text(a.variables); },
            [](const ReportOutcome& a) { return "report job " + key(a.key) + " " + outcome(a.outcome); },
            [](const OperationDone& a) { return "operation of " + token(a.token) + " " + verdict(a.verdict); },
            [](const TimerFired& a) { return "timer " + n(a.id) + " fires"; },
            [](const TimerFailed& a) { return "timer " + n(a.id) + " failed: " + a.message; },
            [](const Answered& a) { return "answers for " + token(a.token); },
            [](const CompleteUserTask& a) { return "complete user task of " + token(a.token) + " " + to_text(a.output); },
            [](const Cancel& a) { return "cancel: " + a.reason; }, [](const Suspend&) { return std::string("suspend"); },
            [](const Resume&) { return std::string("resume"); },
            [](const RetryIncident& a) { return "retry incident " + n(a.number) + ", " + std::to_string(a.retries) + " times"; },
            [](const ResolveIncident& a) { return "resolve incident " + n(a.number) + " " + to_text(a.output); },
            [](const RaiseIncidentError& a) { return "raise error " + a.code + " at incident " + n(a.number); },
            [](const AnnotateIncident& a) { return "annotate incident " + n(a.number) + ": " + a.text; },
            [](const SetVariables& a) { return "set variables " + to_text(a.variables); },
            [](const EnqueueRefused& a) { return "job " + key(a.key) + " refused: " + a.message; }},
      action);
}

std::string to_text(const Event& event, const model::Definition& d) {
  const auto node = [&](model::NodeIndex i) { return i == kNone ? std::string("-") : d.node(i).id; };
  const auto via = [&](model::FlowIndex i) { return i == kNone ? std::string() : " via " + d.flow(i).id; };
  return std::visit(
      Cases{
          [&](const InstanceStarted& e) {
            return "instance " + n(e.root) + " of '" + d.id + "' started " + to_text(e.variables);
          },
          [&](const TokenCreated& e) {
            return token(e.token) + " created at " + node(e.node) + via(e.via) + (e.scope == 0 ? "" : " in scope " + n(e.scope));
          },
          [&](const TokenMoved& e) { return token(e.token) + " moved to " + node(e.node) + via(e.via); },
          [&](const TokenConsumed& e) { return token(e.token) + " consumed"; },
          [&](const ActivityEntered& e) { return token(e.token) + " entered the activity"; },
          [&](const TokenWaits& e) {
            const std::string_view state = core::name_of(e.activity);
            return token(e.token) + " waits: " + std::string(name_of(e.wait)) + (state.empty() ? "" : ", " + std::string(state));
          },
          [&](const StepFailed& e) { return token(e.token) + " failed " + (e.leaving ? "behind" : "in front of") + " its node"; },
          [&](const OperationFailed& e) { return token(e.token) + " had a failed execution"; },
          [&](const ScopeOpened& e) { return "scope " + n(e.scope) + " of " + node(e.node) + " opened by " + token(e.owner); },
          [&](const ScopeClosed& e) { return "scope " + n(e.scope) + " closed"; },
          [&](const VariableSet& e) {
            return std::string(e.variable.name()) + " = " + value(e.variable.encoded()) +
                   (e.scope == 0 ? "" : " in scope " + n(e.scope));
          },
          [&](const ElementCompleted& e) { return node(e.node) + " completed"; },
          [&](const ElementCancelled& e) { return node(e.node) + " cancelled"; },
          [&](const TimerArmed& e) {
            return "timer " + n(e.timer.id) + " of " + node(e.timer.node) + " due " + headrace::to_text(e.timer.due);
          },
          [&](const TimerRemoved& e) { return "timer " + n(e.id) + " removed"; },
          [&](const TimerRetryLost& e) { return "timer " + n(e.id) + " lost a retry"; },
          [&](const TimerRetriesSet& e) { return "timer " + n(e.id) + " has " + n(e.retries) + " retries"; },
          [&](const IncidentRaised& e) {
            return "incident " + n(e.incident->number) + " " + std::string(core::name_of(e.incident->kind)) + " at " +
                   node(e.incident->node) + ": " + e.incident->failure.message;
          },
          [&](const IncidentClosed& e) { return "incident " + n(e.number) + " closed"; },
          [&](const IncidentAnnotated& e) { return "incident " + n(e.number) + " annotated: " + *e.text; },
          [&](const InstanceSuspendedChanged& e) { return std::string(e.suspended ? "instance suspended" : "instance resumed"); },
          [&](const InstanceEnded& e) {
            std::string out = "instance " + std::string(core::name_of(e.state));
            if (e.ending)
              out += " at " + node(e.ending->node) + (e.ending->code.empty() ? "" : " by " + e.ending->code) + ": " +
                     e.ending->reason;
            return out;
          }},
      event);
}

std::string to_text(const Effect& effect, const model::Definition& d) {
  return std::visit(
      Cases{[&](const EnqueueJob& e) {
              return "enqueue job " + key(e.key) + " of " + d.node(e.node).id + " " + to_text(e.view.flatten());
            },
            [&](const WithdrawJob& e) { return "withdraw job " + key(e.key); },
            [&](const PublishVariables& e) { return "publish to job " + key(e.key) + " " + to_text(e.view.flatten()); },
            [&](const SuspendJob& e) { return "suspend job " + key(e.key); },
            [&](const ResumeJob& e) { return "resume job " + key(e.key); },
            [&](const RetryJob& e) { return "retry job " + key(e.key) + ", " + std::to_string(e.retries) + " times"; },
            [&](const FinishJob& e) { return "finish job " + key(e.key) + (e.completed ? ": completed" : ": failed"); },
            [&](const ArmTimer& e) { return "arm timer " + n(e.id) + " for " + headrace::to_text(e.due); },
            [&](const DisarmTimer& e) { return "disarm timer " + n(e.id); },
            [&](const InvokeOperation& e) {
              return "invoke operation of " + d.node(e.node).id + " for " + token(e.token) + ", attempt " +
                     std::to_string(e.attempt) + " " + to_text(e.input);
            },
            [&](const CancelOperation& e) { return "cancel operation of " + token(e.token); },
            [&](const Ask& e) { return "ask " + n(e.flows.size()) + " conditions for " + token(e.token); },
            [&](const NoticeIncident& e) { return "notice incident " + n(e.number); },
            [&](const NoticeIncidentClosed& e) { return "notice that incident " + n(e.number) + " is closed"; },
            [&](const FinishInstance&) { return std::string("finish the instance"); }},
      effect);
}

}  // namespace headrace::testing
