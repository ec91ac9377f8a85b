// In-process operations, hand-driven (design 1.8, 4.13; ADR-021 2.9): on the pool and inside the step, with retries, mappers and
// faults. Real threads: see operation_threads_test.cpp.

#include <stdexcept>

#include "engine/fixture.hpp"

namespace headrace::engine::testing {
namespace {

using policy::Profile;

class Operations : public OnEveryStore {};

Model running(model::ServiceTaskConfig task, Profile profile = Profile::Headrace) {
  return Model(profile).start().task("pay", std::move(task)).end().path({"start", "pay", "end"});
}

model::ServiceTaskConfig with_retry(model::ServiceTaskConfig task, int attempts) {
  task.options.retry = *policy::fixed_delay(attempts, Duration::seconds(10));
  return task;
}

policy::ErrorMapperPtr mapping_404_to(std::variant<policy::ToBpmnError, policy::ToStatus, policy::ToTechnical> outcome) {
  policy::ErrorRule rule;
  rule.code = Value(404);
  rule.outcome = std::move(outcome);
  return *policy::rule_mapper({std::move(rule)});
}

// seed: ADR-021 2.1/1, ADR-021 2.2/1
TEST_P(Operations, AFunctorRunsOnThePoolWithAllVisibleVariables) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(running(in_process(functor(
      [](const model::OperationCall& c) -> model::OperationResult {
        return model::OperationOutput{block({{"twice", Value(2 * read(c.input, "n").as_int())}})};
      },
      false))));
  const InstanceRef instance = h.start(block({{"n", Value(21)}}));
  ASSERT_EQ(where(h.look(instance)), "pay:operation");
  // when
  h.run();
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(read(h.look(instance).variables, "twice"), Value(42));
  EXPECT_EQ(h.engine->metrics().operations, 1U);
}

TEST_P(Operations, AnInlineSafeFunctorIsDoneWhenTheStartReturns) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(running(in_process(functor([](const model::OperationCall&) -> model::OperationResult {
    return model::OperationOutput{block({{"done", Value(true)}})};
  }))));
  // when
  const InstanceRef instance = h.start();
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(read(h.look(instance).variables, "done"), Value(true));
}

// seed: ADR-021 2.1/2
TEST_P(Operations, AMessageOperationGetsItsInMessageAloneAndItsOutMessageIsBound) {
  // given
  HandDriven h(on(GetParam()));
  std::uint32_t fields = 0;
  const auto run = headrace::testing::body(
      [&fields](const model::OperationCall& c) -> model::OperationResult {
        fields = c.input.size();
        return model::OperationOutput{block({{"receipt", Value("r-" + std::to_string(read(c.input, "amount").as_int()))}})};
      },
      false);
  h.deploy(running(in_process(contract({{"amount", policy::FieldType::Int}}, {{"receipt", policy::FieldType::String}}, run))));
  // when
  const InstanceRef instance = h.start(block({{"amount", Value(30)}, {"secret", Value("s")}}));
  h.run();
  // then
  EXPECT_EQ(fields, 1U);
  EXPECT_EQ(read(h.look(instance).variables, "receipt"), Value("r-30"));
}

// seed: ADR-021 2.9/9
TEST_P(Operations, WithoutATimeLimitNothingEndsAnOperationButItself) {
  // given
  HandDriven h(on(GetParam()));
  const auto clock = h.clock;
  h.deploy(running(in_process(functor(
      [clock](const model::OperationCall&) -> model::OperationResult {
        clock->set(kStart + Duration::hours(1'000));
        return model::OperationOutput{};
      },
      false))));
  // when
  const InstanceRef instance = h.start();
  h.run();
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(h.engine->metrics().operations_timed_out, 0U);
}

TEST_P(Operations, AResultThatIsLateByTheEnginesClockIsATimeout) {
  // given
  HandDriven h(on(GetParam()));
  const auto clock = h.clock;
  model::ServiceTaskConfig slow = in_process(functor(
      [clock](const model::OperationCall&) -> model::OperationResult {
        clock->set(kStart + Duration::seconds(5));  // the limit is half open
        return model::OperationOutput{block({{"late", Value(true)}})};
      },
      false));
  slow.options.timeout = Duration::seconds(5);
  h.deploy(running(std::move(slow)));
  // when
  const InstanceRef instance = h.start();
  h.run();
  // then
  const InstanceSnapshot s = h.look(instance);
  ASSERT_EQ(s.incidents.size(), 1U);
  EXPECT_EQ(s.incidents[0].kind, "failedOperation");
  EXPECT_EQ(s.incidents[0].code, Value("timeout"));
  EXPECT_EQ(read(s.variables, "late"), Value("<absent>"));
  EXPECT_EQ(h.engine->metrics().operations_timed_out, 1U);
  EXPECT_EQ(h.engine->metrics().operations_late, 1U);
}

// seed: ADR-021 2.9/3
TEST_P(Operations, ATimeoutIsATechnicalFaultThatTheRetryPolicyTriesAgain) {
  // given: too slow once
  HandDriven h(on(GetParam()));
  const auto clock = h.clock;
  model::ServiceTaskConfig slow = in_process(functor(
      [clock](const model::OperationCall& c) -> model::OperationResult {
        if (c.attempt == 1) clock->set(kStart + Duration::seconds(7));
        return model::OperationOutput{block({{"attempt", Value(c.attempt)}})};
      },
      false));
  slow.options.timeout = Duration::seconds(5);
  h.deploy(running(with_retry(std::move(slow), 2)));
  const InstanceRef instance = h.start();
  h.run();
  ASSERT_EQ(where(h.look(instance)), "pay:retry");
  // when
  h.advance(Duration::seconds(10));
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(read(h.look(instance).variables, "attempt"), Value(2));
}

TEST_P(Operations, ARetryPolicyBacksOffByATimerAndKeepsTheIdOfTheCall) {
  // given
  HandDriven h(on(GetParam()));
  std::vector<std::string> ids;
  std::vector<Instant> times;
  const auto clock = h.clock;
  h.deploy(running(with_retry(in_process(functor(
                                  [&, clock](const model::OperationCall& c) -> model::OperationResult {
                                    ids.push_back(c.id);
                                    times.push_back(clock->now());
                                    if (c.attempt < 3) return fault(Value(503), "busy");
                                    return model::OperationOutput{};
                                  },
                                  false)),
                              3)));
  const InstanceRef instance = h.start();
  // when
  h.advance(Duration::seconds(60));
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(times, (std::vector<Instant>{kStart, kStart + Duration::seconds(10), kStart + Duration::seconds(20)}));
  EXPECT_EQ(ids, std::vector<std::string>(3, "1:1:1:1:pay"));
}

// seed: ADR-021 2.8/2
TEST_P(Operations, UsedUpRetriesAreAnIncidentThatNoErrorEventCatchesAndAnOperatorsRetryRunsItAgain) {
  // given
  HandDriven h(on(GetParam()));
  bool healthy = false;
  int runs = 0;
  h.deploy(Model()
               .start()
               .task("pay", with_retry(in_process(functor(
                                           [&](const model::OperationCall&) -> model::OperationResult {
                                             ++runs;
                                             if (!healthy) return fault(Value(503), "busy");
                                             return model::OperationOutput{};
                                           },
                                           false)),
                                       2))
               .end()
               .catches("caught", "pay", std::nullopt)
               .end("gave_up")
               .path({"start", "pay", "end"})
               .path({"caught", "gave_up"}));
  const InstanceRef instance = h.start();
  h.advance(Duration::seconds(60));
  const InstanceSnapshot failing = h.look(instance);
  ASSERT_EQ(failing.incidents.size(), 1U);
  EXPECT_EQ(failing.incidents[0].kind, "failedOperation");
  EXPECT_EQ(failing.incidents[0].attempts, 2);
  EXPECT_EQ(failing.incidents[0].message, "busy");
  EXPECT_EQ(failing.incidents[0].code, Value(503));
  EXPECT_EQ(failing.activities[0].state, "Failing");
  // when
  healthy = true;
  ASSERT_TRUE(h.engine->retry_incident(failing.incidents[0].id, 0).ok());
  h.run();
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(h.engine->incidents().empty());
}

// seed: ADR-021 2.9/8
TEST_P(Operations, WithoutAPolicyOfItsOwnAFaultIsNotTriedAgain) {
  // given
  EngineOptions o = on(GetParam());
  o.defaults.retry = *policy::fixed_delay(5, Duration::seconds(1));  // for workers
  HandDriven h(std::move(o));
  int runs = 0;
  h.deploy(running(in_process(functor(
      [&runs](const model::OperationCall&) -> model::OperationResult {
        ++runs;
        return fault(Value(), "broken");
      },
      false))));
  // when
  const InstanceRef instance = h.start();
  h.advance(Duration::hours(1));
  // then
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(h.look(instance).incidents.size(), 1U);
}

TEST_P(Operations, OnExhaustedFailEndsTheInstanceWithTheDiagnostic) {
  // given
  HandDriven h(on(GetParam()));
  model::ServiceTaskConfig task =
      in_process(functor([](const model::OperationCall&) -> model::OperationResult { return fault(Value(), "broken"); }, false));
  task.options.on_exhausted = policy::OnExhausted::Fail;
  h.deploy(running(std::move(task)));
  // when
  const InstanceRef instance = h.start();
  h.run();
  // then
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(s.state, core::InstanceState::Failed);
  EXPECT_EQ(s.end_node, "pay");
  EXPECT_NE(s.reason.find("broken"), std::string::npos) << s.reason;
  EXPECT_EQ(h.engine->metrics().instances_failed, 1U);
}

TEST_P(Operations, AnErrorMapperTurnsAFaultIntoABpmnErrorThatABoundaryCatches) {
  // given
  HandDriven h(on(GetParam()));
  model::ServiceTaskConfig task = in_process(
      functor([](const model::OperationCall&) -> model::OperationResult { return fault(Value(404), "no such card"); }, false));
  task.options.errors = mapping_404_to(policy::ToBpmnError{{Value("NOT_FOUND")}, std::nullopt});
  h.deploy(Model()
               .start()
               .task("pay", std::move(task))
               .end()
               .catches("caught", "pay", "NOT_FOUND")
               .end("no_card")
               .path({"start", "pay", "end"})
               .path({"caught", "no_card"}));
  // when
  const InstanceRef instance = h.start();
  h.run();
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(count_of(h.look(instance), "no_card"), "1/0");
  EXPECT_EQ(count_of(h.look(instance), "pay"), "0/1");
}

TEST_P(Operations, AnErrorMapperTurnsAFaultIntoAStatus) {
  // given
  HandDriven h(on(GetParam()));
  model::ServiceTaskConfig task =
      in_process(functor([](const model::OperationCall&) -> model::OperationResult { return fault(Value(404), ""); }, false));
  task.options.errors = mapping_404_to(policy::ToStatus{{Value("NOT_FOUND")}});
  task.options.status = policy::StatusTarget{"paid", false};
  h.deploy(running(std::move(task)));
  // when
  const InstanceRef instance = h.start();
  h.run();
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(read(h.look(instance).variables, "paid"), Value("NOT_FOUND"));
}

TEST_P(Operations, AnOutputMappingTakesOnlyItsTargets) {
  // given
  HandDriven h(on(GetParam()));
  model::ServiceTaskConfig task = in_process(functor(
      [](const model::OperationCall&) -> model::OperationResult {
        return model::OperationOutput{block({{"data", Value(ValueMap{{"id", Value("o-7")}})}, {"noise", Value(1)}})};
      },
      false));
  task.options.output = policy::OutputMapping{{{*expr::JsonPath::parse("$.data.id"), "orderId", false}}};
  h.deploy(running(std::move(task)));
  // when
  const InstanceRef instance = h.start();
  h.run();
  // then
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(read(s.variables, "orderId"), Value("o-7"));
  EXPECT_EQ(read(s.variables, "noise"), Value("<absent>"));
}

TEST_P(Operations, WhatABodyThrowsIsAFaultOfItsTaskAndTheEngineGoesOn) {
  for (const bool safe : {false, true}) {
    // given
    HandDriven h(on(GetParam()));
    bool healthy = false;
    h.deploy(running(in_process(functor(
        [&healthy](const model::OperationCall&) -> model::OperationResult {
          if (!healthy) throw std::runtime_error("card reader is on fire");
          return model::OperationOutput{};
        },
        safe))));
    // when
    const InstanceRef instance = h.start();
    h.run();
    // then
    const InstanceSnapshot s = h.look(instance);
    ASSERT_EQ(s.incidents.size(), 1U) << "inline: " << safe;
    EXPECT_EQ(s.incidents[0].kind, "failedOperation");
    EXPECT_EQ(s.incidents[0].code, Value("exception"));
    EXPECT_EQ(s.incidents[0].message, "card reader is on fire");
    healthy = true;
    EXPECT_TRUE(h.engine->retry_incident(s.incidents[0].id, 0).ok());
    h.run();
    EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  }
}

TEST_P(Operations, AnOperationThatIsInterruptedBeforeItBeginsNeverBegins) {
  // given
  HandDriven h(on(GetParam()));
  int runs = 0;
  h.deploy(running(in_process(functor(
      [&runs](const model::OperationCall&) -> model::OperationResult {
        ++runs;
        return model::OperationOutput{};
      },
      false))));
  const InstanceRef instance = h.start();
  // when
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  h.run();
  // then
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Cancelled);
}

TEST_P(Operations, TheStepBehindAnOperationThatIsUndoneRaisesAnIncidentInsteadOfWaitingForEver) {
  // given: nobody waits for the outcome of that step
  HandDriven h(on(GetParam()));
  h.deploy(Model(Profile::Camunda7)
               .start()
               .task("pay",
                     in_process(functor(
                         [](const model::OperationCall&) -> model::OperationResult { return model::OperationOutput{}; }, false)))
               .exclusive("big")
               .end()
               .path({"start", "pay", "big"})
               .flow("big", "end", "${amount > 10}"));
  const InstanceRef instance = h.start();
  // when
  h.run();
  // then
  const InstanceSnapshot s = h.look(instance);
  ASSERT_EQ(s.incidents.size(), 1U);
  EXPECT_EQ(s.incidents[0].kind, "failedOperation");
  EXPECT_EQ(s.incidents[0].node, "pay");
  EXPECT_NE(s.incidents[0].message.find("amount"), std::string::npos);
  ASSERT_TRUE(h.engine->set_variables(instance, block({{"amount", Value(11)}})).ok());
  ASSERT_TRUE(h.engine->retry_incident(s.incidents[0].id, 0).ok());
  h.run();
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

INSTANTIATE_TEST_SUITE_P(Stores, Operations, ::testing::ValuesIn(every_store()), store_name);

// The last resort: a store that refuses one commit in three. What nobody waits for is told again.
TEST(RefusingStore, LosesNoResultOfAnOperationAndNoTimer) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // given
    EngineOptions o;
    o.store = std::make_shared<headrace::testing::FakeStore>(
        headrace::testing::FakeStoreOptions{.seed = seed, .conflict_one_in = 10, .refused_one_in = 3});
    HandDriven h(std::move(o));
    h.deploy(Model()
                 .start()
                 .task("look", in_process(functor(
                                   [](const model::OperationCall&) -> model::OperationResult { return model::OperationOutput{}; },
                                   false)))
                 .task("pay", worker_task("charge-card"))
                 .end()
                 .timer("late", "pay", "PT10S")
                 .end("gave_up")
                 .path({"start", "look", "pay", "end"})
                 .path({"late", "gave_up"}));
    InstanceRef instance;
    for (int i = 0; i < 100 && !instance; ++i) {
      if (auto started = h.engine->start("order", {}); started.ok()) instance = *started;
    }
    // when
    h.advance(Duration::minutes(10));
    // then
    EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed) << "seed " << seed << ": " << where(h.look(instance));
  }
}

// --- conditions of the host ---

struct Asked final : model::Predicate {
  explicit Asked(std::shared_ptr<std::string> what) : answer(std::move(what)) {}
  Result<bool> holds(const VariableBlock& visible) const override {
    if (*answer == "throw") throw std::runtime_error("no judge in court");
    if (*answer == "error") return make_error(ErrorCode::Technical, "no answer today");
    return *answer == "yes" && read(visible, "amount") == Value(30);
  }
  std::string describe() const override { return "is_big"; }
  std::shared_ptr<std::string> answer;
};

struct AskedCase {
  StoreKind store;
  Profile profile;
  bool gateway;
};
void PrintTo(const AskedCase& c, std::ostream* out) { *out << c.store.name; }

class HostConditions : public ::testing::TestWithParam<AskedCase> {
 protected:
  // a gateway, or the flows behind a task, asked; the other way is taken when the condition does not hold
  Model model() const {
    Model m(GetParam().profile);
    m.start();
    const std::string node = "big";
    if (GetParam().gateway) {
      m.exclusive(node);
    } else {
      m.task(node, worker_task("size"));
    }
    return m.end("large")
        .end("small")
        .path({"start", node})
        .flow(node, "large", std::make_shared<Asked>(answer))
        .otherwise(node, "small");
  }
  InstanceRef started(HandDriven& h) {
    h.deploy(model());
    const InstanceRef instance = h.start(block({{"amount", Value(30)}}));
    if (!GetParam().gateway) {
      EXPECT_TRUE(h.complete(h.fetch_one("size")).ok());
    }
    return instance;
  }
  std::shared_ptr<std::string> answer = std::make_shared<std::string>("yes");
};

TEST_P(HostConditions, AreAskedOnThePoolAndDecideTheFlow) {
  for (const bool yes : {true, false}) {
    // given
    HandDriven h(on(GetParam().store));
    *answer = yes ? "yes" : "no";
    const InstanceRef instance = started(h);
    ASSERT_EQ(where(h.look(instance)), "big:ask");
    // when
    h.run();
    // then
    EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
    EXPECT_EQ(count_of(h.look(instance), yes ? "large" : "small"), "1/0");
  }
}

TEST_P(HostConditions, ThatFailOrThrowAreAnIncidentAndARetryAsksAgain) {
  for (const char* how : {"error", "throw"}) {
    // given
    HandDriven h(on(GetParam().store));
    *answer = how;
    const InstanceRef instance = started(h);
    // when
    h.run();
    // then: nobody waits for that step, whatever the profile
    const InstanceSnapshot s = h.look(instance);
    ASSERT_EQ(s.incidents.size(), 1U) << how << ": " << where(s);
    EXPECT_EQ(s.incidents[0].kind, "failedStep");
    EXPECT_NE(s.incidents[0].message.find(*answer == "throw" ? "no judge in court" : "no answer today"), std::string::npos)
        << s.incidents[0].message;
    *answer = "yes";
    ASSERT_TRUE(h.engine->retry_incident(s.incidents[0].id, 0).ok());
    h.run();
    EXPECT_EQ(count_of(h.look(instance), "large"), "1/0");
  }
}

std::vector<AskedCase> asked_cases() {
  std::vector<AskedCase> all;
  for (const StoreKind& store : every_store()) {
    for (const Profile profile : {Profile::Headrace, Profile::Camunda7}) {
      for (const bool gateway : {true, false}) all.push_back({store, profile, gateway});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Stores, HostConditions, ::testing::ValuesIn(asked_cases()), [](const auto& p) {
  return std::string(p.param.store.name) + (p.param.profile == Profile::Headrace ? "Headrace" : "Camunda7") +
         (p.param.gateway ? "Gateway" : "Task");
});

}  // namespace
}  // namespace headrace::engine::testing
