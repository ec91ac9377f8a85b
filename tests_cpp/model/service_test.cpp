#include <gtest/gtest.h>

#include "models.hpp"

namespace headrace::model::testing {
namespace {

std::string worker(void (*change)(ServiceTaskConfig&)) {
  ServiceTaskConfig c = worker_task();
  change(c);
  return rules_of(straight(c));
}
std::string in_process(void (*change)(ServiceTaskConfig&)) {
  ServiceTaskConfig c = in_process_task();
  change(c);
  return rules_of(straight(c));
}
std::vector<policy::ErrorRule> one_rule(policy::ErrorRule rule) {
  std::vector<policy::ErrorRule> rules;
  rules.push_back(std::move(rule));
  return rules;
}
policy::ErrorMapperPtr status_mapper() { return policy::rule_mapper(one_rule({{}, {}, policy::ToStatus{{Value("X")}}})).value(); }
policy::ErrorMapperPtr error_mapper(const char* code) {
  return policy::rule_mapper(one_rule({{}, {}, policy::ToBpmnError{{Value(code)}, {}}})).value();
}
policy::OutputMapping mapping(const std::string& target) { return {{{expr::JsonPath::parse("$.id").value(), target, false}}}; }

TEST(ServiceTask, PlainFormsOfBothLociAreFine) {
  EXPECT_EQ(worker([](ServiceTaskConfig&) {}), "");
  EXPECT_EQ(in_process([](ServiceTaskConfig&) {}), "");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.operation = nullptr; }), "");  // an open contract
}

TEST(ServiceTask, RefusesWithWorkerOnAFunctorOperation) {
  const auto functor = [](ServiceTaskConfig& c) {
    auto op = std::make_shared<Operation>(*c.operation);
    op->kind = OperationKind::Functor;
    c.operation = op;
  };
  EXPECT_EQ(worker(functor), "worker-functor task");
  EXPECT_EQ(in_process(functor), "");
}

TEST(ServiceTask, WantsATopicOfAtMost255Bytes) {
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.topic.clear(); }), "topic-empty task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.topic.assign(256, 'x'); }), "topic-too-long task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.topic.assign(255, 'x'); }), "");
}

TEST(ServiceTask, WantsWithStatusBesideAStatusRule) {
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.errors = status_mapper(); }), "status-without-target task");
  EXPECT_EQ(in_process([](ServiceTaskConfig& c) { c.options.errors = status_mapper(); }), "status-without-target task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) {
              c.options.errors = status_mapper();
              c.options.status = policy::StatusTarget{"payStatus", false};
            }),
            "");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.status = policy::StatusTarget{"", false}; }), "status-name-empty task");
}

TEST(ServiceTask, RefusesWithTimeoutBesideWithWorkerAndNamesTheOtherOption) {
  ServiceTaskConfig c = worker_task();
  c.options.timeout = Duration::seconds(1);
  const std::vector<Fault> faults = straight(c).build().faults;
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].rule, "timeout-with-worker");
  EXPECT_EQ(faults[0].hint, "use WithJobTimeout");
}

TEST(ServiceTask, InProcessTakesItsOwnOptions) {
  EXPECT_EQ(in_process([](ServiceTaskConfig& c) {
              c.options.timeout = Duration::seconds(1);
              c.options.retry = policy::no_retry();
              c.options.errors = error_mapper("DECLINED");
              c.options.status = policy::StatusTarget{"s", true};
              c.options.output = mapping("receipt");
              c.options.on_exhausted = policy::OnExhausted::Fail;
              c.options.on_uncaught = policy::OnUncaughtError::End;
            }),
            "");
}

struct AnySchema final : policy::OutputSchema {
  Status check(const Value&) const override { return Ok{}; }
};

TEST(ServiceTask, InProcessRefusesEachOptionOfWorkers) {
  ServiceTaskConfig c = in_process_task();
  c.options.trust = policy::Trust::WorkerTrusted;
  c.options.lock_duration = Duration::seconds(1);
  c.options.max_lock_duration = Duration::seconds(2);
  c.options.job_timeout = Duration::seconds(1);
  c.options.expiry_as_attempt = false;
  c.options.on_mismatch = policy::OnMismatch::Retry;
  c.options.schema = std::make_shared<AnySchema>();
  const std::vector<Fault> faults = straight(c).build().faults;
  ASSERT_EQ(faults.size(), 7U);
  const std::vector<std::string> options = {"WithWorkerTrust",     "WithLockDuration", "WithMaxLockDuration", "WithJobTimeout",
                                            "WithExpiryAsAttempt", "WithOnMismatch",   "WithOutputSchema"};
  for (std::size_t i = 0; i < faults.size(); ++i) {
    EXPECT_EQ(faults[i].rule, "worker-only-option");
    EXPECT_NE(faults[i].message.find(options[i]), std::string::npos) << faults[i].message;
  }
}

TEST(ServiceTask, InProcessNeedsABody) {
  EXPECT_EQ(in_process([](ServiceTaskConfig& c) { c.operation = nullptr; }), "operation-missing task");
  EXPECT_EQ(in_process([](ServiceTaskConfig& c) {
              auto op = std::make_shared<Operation>(*c.operation);
              op->body = nullptr;
              c.operation = op;
            }),
            "operation-missing task");
}

TEST(ServiceTask, WantsPositiveDurations) {
  EXPECT_EQ(in_process([](ServiceTaskConfig& c) { c.options.timeout = Duration{}; }), "duration-not-positive task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.lock_duration = Duration{}; }), "duration-not-positive task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.max_lock_duration = Duration::seconds(-1); }),
            "duration-not-positive task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.job_timeout = Duration{}; }), "duration-not-positive task");
}

TEST(ServiceTask, RefusesALockAboveItsCap) {
  EXPECT_EQ(worker([](ServiceTaskConfig& c) {
              c.options.lock_duration = Duration::minutes(10);
              c.options.max_lock_duration = Duration::minutes(9);
            }),
            "lock-above-cap task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) {
              c.options.lock_duration = Duration::minutes(10);
              c.options.max_lock_duration = Duration::minutes(10);
            }),
            "");
}

TEST(ServiceTask, EngineAuthoritativeNeedsAMessageContract) {
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.trust = policy::Trust::EngineAuthoritative; }), "");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) {
              c.operation = nullptr;
              c.options.trust = policy::Trust::EngineAuthoritative;
            }),
            "trust-needs-contract task");
}

TEST(ServiceTask, MapsOutputOnlyToFieldsOfTheOutMessage) {
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.output = mapping("receipt"); }), "");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.output = mapping("recept"); }), "mapping-target task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) { c.options.output = mapping(""); }), "mapping-target task");
  EXPECT_EQ(worker([](ServiceTaskConfig& c) {
              c.operation = nullptr;
              c.options.output = mapping("anything");
            }),
            "");
}

// seed: ADR-021 2.6/7
TEST(ServiceTask, UndeclaredErrorCodesAreWarnings) {
  ServiceTaskConfig c = worker_task();
  c.options.errors = error_mapper("LOST");
  EXPECT_TRUE(warns(straight(c), "'LOST' is not declared"));
  c.options.errors = error_mapper("DECLINED");
  Builder b = straight(c);
  EXPECT_FALSE(warns(b, "undeclared-error"));
  add(b, ElementKind::BoundaryError, "caught", "", ErrorConfig{"OTHER", ""});
  b.attach("caught", "task");
  EXPECT_TRUE(warns(b, "'OTHER' is not declared"));
}

TEST(ServiceTask, LockOptionsOfOneTopicAgree) {
  const auto two = [](std::optional<Duration> first, std::optional<Duration> second, const std::string& topic = "charge") {
    ServiceTaskConfig a = worker_task(), b = worker_task(topic);
    a.options.lock_duration = first;
    b.options.lock_duration = second;
    Builder model = straight(a);
    add(model, ElementKind::ServiceTask, "other", "", b);
    return model;
  };
  const Builder differing = two(Duration::seconds(1), Duration::seconds(2));
  EXPECT_EQ(rules_of(differing), "topic-lock-options other");
  EXPECT_NE(differing.build().faults[0].message.find("'task' has"), std::string::npos);
  EXPECT_EQ(rules_of(two(Duration::seconds(1), Duration::seconds(1))), "");
  EXPECT_EQ(rules_of(two(Duration::seconds(1), std::nullopt)), "");
  EXPECT_EQ(rules_of(two(Duration::seconds(1), Duration::seconds(2), "another")), "");
  ServiceTaskConfig a = worker_task(), b = worker_task();
  a.options.max_lock_duration = Duration::hours(1);
  b.options.max_lock_duration = Duration::hours(2);
  Builder caps = straight(a);
  add(caps, ElementKind::ServiceTask, "other", "", b);
  EXPECT_EQ(rules_of(caps), "topic-lock-options other");
}

TEST(ServiceTask, AllItsFaultsAreReportedTogether) {
  EXPECT_EQ(worker([](ServiceTaskConfig& c) {
              c.topic.clear();
              c.options.timeout = Duration{};
              c.options.errors = status_mapper();
            }),
            "topic-empty task, timeout-with-worker task, duration-not-positive task, status-without-target task");
}

}  // namespace
}  // namespace headrace::model::testing
