// Random walks through random models. The driver checks every step (fold, undo, reload, invariants inside and outside); here it
// is made sure that the walks come to everything the checks are about.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/driver.hpp"
#include "support/random_model.hpp"

namespace headrace::testing {
namespace {

using core::Wait;

class Walk {
 public:
  Walk(Dice& dice, model::DefinitionPtr d, std::map<std::string, long>& taken)
      : dice_(dice), driver_(Driver::not_started(std::move(d))), taken_(taken) {}

  void run(int steps) {
    const Status started = driver_.start(vars({{"x", static_cast<std::int64_t>(dice_.below(10))}}));
    ++taken_[started.ok() ? "start" : "start, refused"];
    if (!started.ok()) return;  // camunda7: a fault on the way to the first wait state
    for (; steps > 0 && driver_.state().state == core::InstanceState::Active && !::testing::Test::HasFailure(); --steps) step();
  }
  const Driver& driver() const { return driver_; }

 private:
  const core::Instance& state() const { return driver_.state(); }
  VariableBlock output() {
    VariableBlock block = vars({{"x", static_cast<std::int64_t>(dice_.below(10))}});
    if (dice_.one_in(4)) block = vars({{"x", 9}, {"missing" + std::to_string(dice_.below(10)), 1}});
    return block;
  }
  std::string code() { return "E" + std::to_string(dice_.below(4)); }

  Status take(const char* what, core::Action action) {
    driver_.now = driver_.now + Duration::minutes(1);
    const Status result = driver_.run(std::move(action));
    ++taken_[what + std::string(result.ok() ? "" : ", refused")];
    return result;
  }

  void step() {
    const std::uint32_t roll = dice_.below(40);
    if (roll == 0) {
      (void)take("cancel", core::Cancel{"walk"});
    } else if (state().suspended ? roll < 15 : roll == 1) {
      (void)take(state().suspended ? "resume" : "suspend",
                 state().suspended ? core::Action(core::Resume{}) : core::Action(core::Suspend{}));
    } else if (roll < 4) {
      (void)take("set variables", core::SetVariables{output()});
    } else if (roll < 6) {
      nonsense();
    } else if (roll < 12 && state().cold && !state().cold->incidents.empty()) {
      operate(*state().cold->incidents[dice_.below(static_cast<std::uint32_t>(state().cold->incidents.size()))]);
    } else if (roll < 18 && state().cold && !state().cold->timers.empty()) {
      fire(state().cold->timers[dice_.below(static_cast<std::uint32_t>(state().cold->timers.size()))]);
    } else {
      wake(state().tokens[dice_.below(state().tokens.size())]);
    }
  }

  void wake(core::Token t) {
    switch (t.wait) {
      case Wait::Job:
        report(state().job_key(t));
        break;
      case Wait::Operation:
        finish_operation(t);
        break;
      case Wait::Ask:
        answer(t);
        break;
      case Wait::User:
        (void)take("user task", core::CompleteUserTask{t.id, output()});
        break;
      default:
        break;
    }
  }

  void report(const JobKey& key) {
    switch (dice_.below(10)) {
      case 0:
        (void)take("bpmn error", core::ReportOutcome{key, jobs::OutcomeBpmnError{code(), "", output()}});
        break;
      case 1: {
        jobs::OutcomeExhausted o;
        o.failure.message = "broken";
        o.attempts = 3;
        (void)take("exhausted", core::ReportOutcome{key, std::move(o)});
        break;
      }
      case 2:
        (void)take("variables", core::ReportOutcome{key, jobs::OutcomeVariables{output(), {}}});
        break;
      case 3:
        (void)take("enqueue refused", core::EnqueueRefused{key, "full"});
        break;
      case 4: {
        const auto& options = driver_.definition().node(state().token(key.token)->node).service().options;
        if (options.status) (void)take("status", core::ReportOutcome{key, jobs::OutcomeStatus{codec::encode(Value("OK"))}});
        break;
      }
      default:
        (void)take("complete", core::ReportOutcome{key, jobs::OutcomeCompleted{output(), false, {}}});
    }
  }

  void finish_operation(const core::Token& t) {
    core::OperationDone done{t.id, t.visit, t.failures, jobs::OutcomeCompleted{output(), false, {}}};
    policy::Failure down;
    down.message = "down";
    const std::uint32_t roll = dice_.below(5);
    if (roll == 0) done.verdict = core::OperationRetry{Duration::seconds(5), down};
    if (roll == 1) done.verdict = core::OperationExhausted{down};
    if (roll == 2) done.verdict = jobs::OutcomeBpmnError{code(), "", {}};
    (void)take("operation", std::move(done));
  }

  void answer(const core::Token& t) {
    const core::Ask& asked = driver_.outside().asked.at({t.id, t.visit});
    std::vector<Result<bool>> answers;
    for (std::size_t i = 0; i < asked.flows.size(); ++i) {
      answers.push_back(dice_.one_in(6) ? Result<bool>(make_error(ErrorCode::Technical, "raised"))
                                        : Result<bool>(dice_.one_in(2)));
    }
    (void)take("answer", core::Answered{t.id, t.visit, asked.flows, std::move(answers)});
  }

  // A step of a timer that fails is due again at once, until its retries are used up.
  void fire(const core::Timer timer) {
    for (std::uint32_t tries = std::max(timer.retries, 1U); tries > 0; --tries) {
      const Status fired = take("timer", core::TimerFired{timer.id});
      if (fired.ok() || fired.error().code == ErrorCode::InstanceSuspended || fired.error().code == ErrorCode::Conflict) return;
      (void)take("timer failed", core::TimerFailed{timer.id, fired.error().message});
    }
  }

  void operate(const core::Incident i) {
    switch (dice_.below(5)) {
      case 0:
        (void)take("resolve", core::ResolveIncident{i.number, output()});
        break;
      case 1:
        (void)take("raise error", core::RaiseIncidentError{i.number, code(), ""});
        break;
      case 2:
        (void)take("annotate", core::AnnotateIncident{i.number, "seen"});
        break;
      default:
        (void)take("retry", core::RetryIncident{i.number, static_cast<int>(dice_.below(3))});
    }
  }

  // Late, doubled or forged: refused, and nothing changes.
  void nonsense() {
    const core::Token& t = state().tokens[dice_.below(state().tokens.size())];
    JobKey key = state().job_key(t);
    switch (dice_.below(5)) {
      case 0:
        ++key.visit;
        (void)take("report for another visit", core::ReportOutcome{key, jobs::OutcomeCompleted{}});
        break;
      case 1:
        key.token += 1000;
        (void)take("report for another token", core::ReportOutcome{key, jobs::OutcomeCompleted{}});
        break;
      case 2:
        (void)take("operation of another execution",
                   core::OperationDone{t.id, t.visit, t.failures + 1, jobs::OutcomeCompleted{}});
        break;
      case 3:
        (void)take("unknown timer", core::TimerFired{9999});
        break;
      default:
        (void)take("second start", core::StartInstance{7, state().definition, {}, {}, {}});
    }
  }

  Dice& dice_;
  Driver driver_;
  std::map<std::string, long>& taken_;
};

TEST(RandomWalk, KeepsEveryInvariantAtEveryStep) {
  // given
  std::map<std::string, long> taken;
  std::map<std::string, long> premises;
  std::map<std::string, long> ends;
  // when
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const auto profile = seed % 2 == 0 ? policy::Profile::Camunda7 : policy::Profile::Headrace;
    Walk walk(dice, random_model(dice, profile), taken);
    walk.run(80);
    if (walk.driver().state().definition != nullptr) ++ends[std::string(core::name_of(walk.driver().state().state))];
    for (const auto& [rule, count] : walk.driver().invariants().premises()) premises[rule] += count;
  }
  // then: nothing of it was vacuous
  for (const auto& [rule, count] : premises) EXPECT_GT(count, 0) << "never put to the test: " << rule;
  EXPECT_GE(premises.size(), 30U);
  for (const char* what : {"complete",
                           "bpmn error",
                           "exhausted",
                           "variables",
                           "status",
                           "enqueue refused",
                           "operation",
                           "answer",
                           "user task",
                           "timer",
                           "timer failed",
                           "cancel",
                           "suspend",
                           "resume",
                           "retry",
                           "resolve",
                           "raise error",
                           "annotate",
                           "set variables",
                           "complete, refused",
                           "timer, refused",
                           "report for another visit, refused",
                           "second start, refused"}) {
    EXPECT_GT(taken[what], 0) << "never done: " << what;
  }
  for (const char* state : {"completed", "failed", "cancelled", "active"}) EXPECT_GT(ends[state], 0) << "no walk ended " << state;
}

}  // namespace
}  // namespace headrace::testing
