// The operator's business (design 4.11): retry, resolve, raise an error, map again, annotate, cancel.

#include "engine/fixture.hpp"

namespace headrace::engine::testing {
namespace {

class Incidents : public OnEveryStore {
 protected:
  // An instance whose `pay` is exhausted; `declined` catches DECLINED, `other` what else there is.
  InstanceRef exhausted(HandDriven& h) {
    h.deploy(Model()
                 .start()
                 .task("pay", worker_task("charge-card"))
                 .end()
                 .catches("declined", "pay", "DECLINED")
                 .end("no_money")
                 .path({"start", "pay", "end"})
                 .path({"declined", "no_money"}));
    const InstanceRef instance = h.start();
    jobs::ReportFail fail;
    fail.failure.message = "no route";
    fail.failure.code = Value(503);
    fail.retries = 0;
    EXPECT_TRUE(h.engine->dispatcher().report(HandDriven::target(h.fetch_one("charge-card")), std::move(fail)).ok());
    return instance;
  }
};

// seed: ADR-021 2.8/1
// seed: ADR-021 2.8/3
// seed: ADR-021 2.8/4
TEST_P(Incidents, AnExhaustedJobIsShownWithAllThatAnOperatorNeeds) {
  // given / when
  HandDriven h(on(GetParam()));
  const InstanceRef instance = exhausted(h);
  // then
  const std::vector<IncidentSnapshot> open = h.engine->incidents();
  ASSERT_EQ(open.size(), 1U);
  const IncidentSnapshot& i = open[0];
  EXPECT_EQ(i.id, "1:1");
  EXPECT_EQ(i.kind, "failedExternalTask");
  EXPECT_EQ(i.root, 1U);
  EXPECT_EQ(i.process, "order");
  EXPECT_EQ(i.node, "pay");
  EXPECT_EQ(i.topic, "charge-card");
  EXPECT_EQ(i.job, "1:1:1:1:pay");
  EXPECT_EQ(i.attempts, 1);
  EXPECT_EQ(i.code, Value(503));
  EXPECT_EQ(i.message, "no route");
  EXPECT_EQ(i.raised, kStart);
  EXPECT_EQ(h.look(instance).state, core::InstanceState::Active);
  EXPECT_EQ(h.look(instance).activities[0].state, "Failing");
  EXPECT_EQ(h.engine->incident("1:1")->message, "no route");
  EXPECT_EQ(h.engine->metrics().incidents_open, 1U);
}

TEST_P(Incidents, ResolveCompletesTheTaskByHandWithItsOutput) {
  // given
  HandDriven h(on(GetParam()));
  const InstanceRef instance = exhausted(h);
  // when
  ASSERT_TRUE(h.engine->resolve_incident("1:1", block({{"receiptId", Value("by hand")}})).ok());
  // then
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(s.state, core::InstanceState::Completed);
  EXPECT_EQ(count_of(s, "pay"), "1/0");
  EXPECT_EQ(read(s.variables, "receiptId"), Value("by hand"));
  EXPECT_TRUE(h.engine->local_dispatcher()->list().empty());
  EXPECT_EQ(h.engine->resolve_incident("1:1", {}).error().code, ErrorCode::NotFound);
}

TEST_P(Incidents, ARaisedErrorIsCaughtByTheBoundaryOfTheTask) {
  // given
  HandDriven h(on(GetParam()));
  const InstanceRef instance = exhausted(h);
  // when
  ASSERT_TRUE(h.engine->raise_incident_error("1:1", "DECLINED", "says the bank").ok());
  // then
  EXPECT_EQ(count_of(h.look(instance), "no_money"), "1/0");
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_TRUE(h.engine->local_dispatcher()->list().empty());
}

TEST_P(Incidents, ARaisedErrorThatNobodyCatchesFailsTheInstance) {
  // given
  HandDriven h(on(GetParam()));
  const InstanceRef instance = exhausted(h);
  // when
  ASSERT_TRUE(h.engine->raise_incident_error("1:1", "STOLEN", "").ok());
  // then
  EXPECT_EQ(h.look(instance).state, core::InstanceState::Failed);
  EXPECT_EQ(h.look(instance).error_code, "STOLEN");
  EXPECT_EQ(h.engine->raise_incident_error("1:1", "X", "").error().code, ErrorCode::NotFound);
}

TEST_P(Incidents, NotesAreKeptInTheirOrderAndChangeNothingElse) {
  // given
  HandDriven h(on(GetParam()));
  const InstanceRef instance = exhausted(h);
  // when
  ASSERT_TRUE(h.engine->annotate_incident("1:1", "called the bank").ok());
  ASSERT_TRUE(h.engine->annotate_incident("1:1", "they look").ok());
  // then
  EXPECT_EQ(h.engine->incident("1:1")->notes, (std::vector<std::string>{"called the bank", "they look"}));
  EXPECT_EQ(where(h.look(instance)), "pay:job");
  EXPECT_EQ(h.engine->annotate_incident("1:1", std::string(70'000, 'x')).error().code, ErrorCode::Validation);
}

TEST_P(Incidents, CancelEndsTheInstance) {
  // given
  HandDriven h(on(GetParam()));
  const InstanceRef instance = exhausted(h);
  // when
  ASSERT_TRUE(h.engine->cancel_incident("1:1", "hopeless").ok());
  // then
  EXPECT_EQ(h.look(instance).state, core::InstanceState::Cancelled);
  EXPECT_EQ(h.engine->cancel_incident("1:1", "").error().code, ErrorCode::NotFound);
}

TEST_P(Incidents, RetryGivesTheJobItsExecutionsAndRaisesTheGeneration) {
  // given
  HandDriven h(on(GetParam()));
  const InstanceRef instance = exhausted(h);
  // when
  ASSERT_TRUE(h.engine->retry_incident("1:1", 2).ok());
  // then
  EXPECT_TRUE(h.engine->incidents().empty());
  const jobs::LockedJob again = h.fetch_one("charge-card");
  EXPECT_EQ(again.generation, 2U);
  ASSERT_TRUE(h.fail(again, "still no route").ok());
  h.advance(Duration::minutes(1));
  ASSERT_TRUE(h.fail(h.fetch_one("charge-card"), "still no route").ok());
  ASSERT_EQ(h.engine->incidents().size(), 1U);
  EXPECT_EQ(h.engine->incidents()[0].id, "1:2");
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Active);
}

TEST_P(Incidents, AResultThatDidNotFitIsMappedAgainWithoutRunningTheWorkAgain) {
  for (const bool sensitive : {false, true}) {
    // given: the mapping wants another place than the worker's result has
    HandDriven h(on(GetParam()));
    const auto model = [&](const char* path) {
      model::ServiceTaskConfig task =
          headrace::testing::external(contract({}, {policy::Field{"orderId", policy::FieldType::String, false, sensitive}}));
      task.options.output = policy::OutputMapping{{{*expr::JsonPath::parse(path), "orderId", false}}};
      task.options.on_mismatch = policy::OnMismatch::Incident;
      return Model().start().task("pay", std::move(task)).end().path({"start", "pay", "end"});
    };
    h.deploy(model("$.order.id"));
    const InstanceRef instance = h.start();
    ASSERT_TRUE(h.complete(h.fetch_one("charge-card"), block({{"data", Value(ValueMap{{"id", Value("o-7")}})}})).ok());
    ASSERT_EQ(h.engine->incidents().size(), 1U);
    const IncidentSnapshot open = h.engine->incidents()[0];
    EXPECT_EQ(open.body.is(Kind::Map), !sensitive);
    EXPECT_EQ(h.engine->remap_incident(open.id).error().code, ErrorCode::Technical);
    // when: corrected in the next version
    h.deploy(model("$.data.id"));
    const Status mapped = h.engine->remap_incident(open.id);
    // then
    ASSERT_TRUE(mapped.ok()) << mapped.error().message;
    EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
    EXPECT_EQ(read(h.look(instance).variables, "orderId"), Value("o-7"));
    EXPECT_EQ(h.engine->local_dispatcher()->metrics().topics[0].fetched, 1U);
  }
}

TEST_P(Incidents, WithoutARawResultThereIsNothingToMapAgain) {
  // given
  HandDriven h(on(GetParam()));
  (void)exhausted(h);
  // when / then
  EXPECT_EQ(h.engine->remap_incident("1:1").error().code, ErrorCode::Conflict);
}

TEST_P(Incidents, TheBodyOfAFaultIsNoResultThatCouldBeMapped) {
  // given: a body that would fit as output
  HandDriven h(on(GetParam()));
  h.deploy(Model().start().task("pay", worker_task("charge-card")).end().path({"start", "pay", "end"}));
  const InstanceRef instance = h.start();
  jobs::ReportFail fail;
  fail.failure.code = Value(500);
  fail.failure.body = Value(ValueMap{{"reason", Value("down")}});
  fail.retries = 0;
  ASSERT_TRUE(h.engine->dispatcher().report(HandDriven::target(h.fetch_one("charge-card")), fail).ok());
  // when / then
  EXPECT_EQ(h.engine->remap_incident("1:1").error().code, ErrorCode::Conflict);
  EXPECT_EQ(h.engine->incidents().size(), 1U);
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Active);
}

// seed: SRD-036 TestServiceTaskWorkerBindInputFailureFaults
TEST_P(Incidents, ABindFaultIsExhaustedAtOnceAndTheRetryBindsAgain) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(Model()
               .start()
               .task("pay", headrace::testing::external(contract({{"amount", policy::FieldType::Int}})))
               .end()
               .path({"start", "pay", "end"}));
  const InstanceRef instance = h.start(block({{"amount", Value("thirty")}}));
  // when
  const InstanceSnapshot s = h.look(instance);
  // then: no job, never parked for ever
  ASSERT_EQ(s.incidents.size(), 1U);
  EXPECT_NE(s.incidents[0].message.find("'amount'"), std::string::npos);
  EXPECT_EQ(h.fetchable("charge-card"), 0U);
  ASSERT_TRUE(h.engine->set_variables(instance, block({{"amount", Value(30)}})).ok());
  ASSERT_TRUE(h.engine->retry_incident(s.incidents[0].id, 0).ok());
  const jobs::LockedJob job = h.fetch_one("charge-card");
  EXPECT_EQ(read(job.job.view.flatten(), "amount"), Value(30));
  EXPECT_TRUE(h.complete(job).ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, Incidents, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
