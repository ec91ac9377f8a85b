// The external service task end to end, as the seed's scenarios tell it (SRD-036 sections 6 and 10.1).

#include "engine/threads.hpp"

namespace headrace::engine::testing {
namespace {

class ServiceTaskWorker : public OnEveryStore {};

struct Bypassed {
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<const model::OperationBody> body() const {
    return headrace::testing::body(
        [calls = calls](const model::OperationCall&) -> model::OperationResult {
          ++*calls;
          return model::OperationOutput{};
        },
        false);
  }
};

// amount -> receiptId, and an executor that must not run
Model charging(const std::shared_ptr<const model::OperationBody>& executor = nullptr) {
  const auto operation = contract({{"amount", policy::FieldType::Int}}, {{"receiptId", policy::FieldType::String}}, executor);
  return Model().start().task("pay", headrace::testing::external(operation)).end().path({"start", "pay", "end"});
}

// seed: SRD-036 TestServiceTaskWorkerParksAndEnqueues
// seed: ADR-021 2.1/4
// seed: ADR-021 2.4/1
// seed: ADR-021 2.5/2
// seed: ADR-021 2.5/3
// seed: ADR-021 2.5/17
TEST_P(ServiceTaskWorker, ParksAndEnqueuesAJobWithTheBoundInput) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(charging());
  // when
  const InstanceRef instance = h.start(block({{"amount", Value(30)}, {"unasked", Value("x")}}));
  // then: parked, nothing runs for it
  EXPECT_EQ(where(h.look(instance)), "pay:job");
  EXPECT_EQ(h.look(instance).activities[0].state, "Active");
  EXPECT_EQ(*h.engine->run_until_idle(), 0U);
  const jobs::LockedJob job = h.fetch_one("charge-card");
  EXPECT_EQ(job.job.service->topic, Topic("charge-card"));
  EXPECT_EQ(job.job.view.flatten().size(), 1U);
  EXPECT_EQ(read(job.job.view.flatten(), "amount"), Value(30));
  EXPECT_EQ(jobs::to_text(job.job.key, job.job.service->node), h.look(instance).activities[0].job);
}

// seed: ADR-021 2.1/7
// seed: ADR-021 2.4/2
TEST_P(ServiceTaskWorker, HoldsNoThreadWhileItIsParked) {
  // given: one task thread, and more parked tasks than that
  EngineOptions o = on(GetParam());
  HandDriven h(std::move(o));
  h.deploy(charging());
  std::vector<InstanceRef> parked;
  for (int i = 0; i < 100; ++i) parked.push_back(h.start(block({{"amount", Value(i)}})));
  // when / then
  EXPECT_EQ(*h.engine->run_until_idle(), 0U);
  EXPECT_EQ(h.engine->metrics().operations, 0U);
  EXPECT_EQ(h.engine->metrics().threads_stuck, 0U);
  EXPECT_EQ(h.engine->dispatcher().pending(Topic("charge-card")), 100U);
}

// seed: SRD-036 TestServiceTaskWorkerCompleteResumesAndBinds
// seed: SRD-036 TestServiceTaskWorkerExecBindsCompletedOutput
// seed: ADR-021 2.1/6
// seed: ADR-021 2.4/6
// seed: ADR-021 2.6/3
TEST_P(ServiceTaskWorker, ACompleteResumesTheTokenAndBindsTheOutput) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(charging());
  const InstanceRef instance = h.start(block({{"amount", Value(30)}}));
  // when
  ASSERT_TRUE(h.complete(h.fetch_one("charge-card"), block({{"receiptId", Value("r-1")}})).ok());
  // then
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(s.state, core::InstanceState::Completed);
  EXPECT_EQ(read(s.variables, "receiptId"), Value("r-1"));
  EXPECT_EQ(count_of(s, "pay"), "1/0");
}

TEST_P(ServiceTaskWorker, ANormalEndNamesTheEndEventThatWasReachedLast) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(Model()
               .start()
               .parallel("both")
               .task("pay", worker_task("charge-card"))
               .task("ship", worker_task("ship"))
               .end("paid")
               .end("shipped")
               .path({"start", "both", "pay", "paid"})
               .path({"both", "ship", "shipped"}));
  for (const auto& [first, second, last] : {std::tuple("charge-card", "ship", "shipped"), {"ship", "charge-card", "paid"}}) {
    const InstanceRef instance = h.start();
    // when
    ASSERT_TRUE(h.complete(h.fetch_one(first)).ok());
    EXPECT_EQ(h.look(instance).end_node, "");
    ASSERT_TRUE(h.complete(h.fetch_one(second)).ok());
    // then
    EXPECT_EQ(h.look(instance).state, core::InstanceState::Completed);
    EXPECT_EQ(h.look(instance).end_node, last);
  }
  // and a cancelled one reached none
  const InstanceRef cancelled = h.start();
  ASSERT_TRUE(h.engine->cancel(cancelled, "").ok());
  EXPECT_EQ(h.look(cancelled).end_node, "");
}

// seed: SRD-036 TestServiceTaskWorkerFailFaults
// seed: SRD-036 TestServiceTaskWorkerExecFaultsOnCause
TEST_P(ServiceTaskWorker, AFinalFailFaultsTheTaskWithItsCause) {
  // given: the seeds' plain ending, Failing -> Failed
  HandDriven h(on(GetParam()));
  model::ServiceTaskConfig task = worker_task("charge-card");
  task.options.on_exhausted = policy::OnExhausted::Fail;
  h.deploy(Model().start().task("pay", std::move(task)).end().path({"start", "pay", "end"}));
  const InstanceRef instance = h.start();
  // when
  ASSERT_TRUE(h.fail(h.fetch_one("charge-card"), "card was stolen", 0).ok());
  // then
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(s.state, core::InstanceState::Failed);
  EXPECT_EQ(s.end_node, "pay");
  EXPECT_NE(s.reason.find("card was stolen"), std::string::npos);
  EXPECT_NE(s.reason.find("charge-card"), std::string::npos);
  EXPECT_EQ(count_of(s, "pay"), "0/1");
}

class NotingRecorder final : public observe::Recorder {
 public:
  NotingRecorder() { set_level(observe::Level::Warning); }
  void record(observe::Record r) override { records.push_back(std::move(r)); }
  std::vector<observe::Record> records;
};

// seed: SRD-036 TestServiceTaskWorkerExecutorIgnored
// seed: ADR-021 2.5/18
// seed: ADR-021 6/5
TEST_P(ServiceTaskWorker, NeverInvokesTheExecutorOfItsOperationAndSaysSoOnceAtDeploy) {
  // given
  const Bypassed bypassed;
  const auto recorder = std::make_shared<NotingRecorder>();
  EngineOptions o = on(GetParam());
  o.recorder = recorder;
  HandDriven h(std::move(o));
  h.deploy(charging(bypassed.body()));
  // when
  for (int i = 0; i < 3; ++i) {
    (void)h.start(block({{"amount", Value(30)}}));
    ASSERT_TRUE(h.complete(h.fetch_one("charge-card"), block({{"receiptId", Value("r")}})).ok());
    h.run();
  }
  // then
  EXPECT_EQ(*bypassed.calls, 0);
  ASSERT_EQ(recorder->records.size(), 1U);
  EXPECT_EQ(recorder->records[0].what, observe::What::ExecutorBypassed);
  EXPECT_EQ(recorder->records[0].node, "pay");
}

// seed: ADR-021 2.5/19
TEST_P(ServiceTaskWorker, OneOperationServesBothLociInOneProcess) {
  // given
  const Bypassed runs;
  const auto operation = contract({{"amount", policy::FieldType::Int}}, {}, runs.body());
  HandDriven h(on(GetParam()));
  h.deploy(Model()
               .start()
               .task("here", in_process(operation))
               .task("there", headrace::testing::external(operation))
               .end()
               .path({"start", "here", "there", "end"}));
  const InstanceRef instance = h.start(block({{"amount", Value(30)}}));
  // when
  h.run();
  ASSERT_TRUE(h.complete(h.fetch_one("charge-card")).ok());
  // then
  EXPECT_EQ(*runs.calls, 1);
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

// seed: SRD-036 TestServiceTaskWithWorkerRejectsGoOperation
// seed: ADR-021 2.3/1
// seed: ADR-021 2.5/20
TEST(ServiceTaskModel, WithWorkerOnAFunctorOperationIsABuildError) {
  // given
  model::Builder b = pay_model(policy::Profile::Headrace,
                               headrace::testing::external(functor([](const model::OperationCall&) -> model::OperationResult {
                                 return model::OperationOutput{};
                               })));
  // when
  const model::Builder::Built made = b.build();
  // then
  EXPECT_EQ(made.definition, nullptr);
  ASSERT_FALSE(made.faults.empty());
  EXPECT_EQ(made.faults[0].element, "pay");
}

// seed: SRD-036 TestReportJobCompletionCanceledContext
TEST_P(ServiceTaskWorker, AReportWhoseJobWasCancelledMeanwhileChangesNothing) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(charging());
  const InstanceRef instance = h.start(block({{"amount", Value(30)}}));
  const jobs::LockedJob job = h.fetch_one("charge-card");
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  const InstanceSnapshot before = h.look(instance);
  // when
  const Status report = h.complete(job, block({{"receiptId", Value("r-1")}}));
  // then
  EXPECT_EQ(report.error().code, ErrorCode::JobNotFound);
  EXPECT_EQ(h.look(instance).sequence, before.sequence);
  EXPECT_EQ(read(h.look(instance).variables, "receiptId"), Value("<absent>"));
}

// seed: SRD-036 TestMakeJobIDRoundTrip
// seed: ADR-021 2.5/4
TEST_P(ServiceTaskWorker, TheIdOfAJobNamesItsInstanceAndALoopsSecondPassIsAnotherJob) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(Model()
               .start()
               .task("pay", worker_task("charge-card"))
               .exclusive("again")
               .end()
               .path({"start", "pay", "again"})
               .flow("again", "pay", "${again}")
               .otherwise("again", "end"));
  (void)h.start();
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.engine->cancel(*h.engine->instance(1), "").ok());
  const jobs::LockedJob first = h.fetch_one("charge-card");
  const std::string id = jobs::to_text(first.job.key, first.job.service->node);
  // when
  ASSERT_TRUE(h.complete(first, block({{"again", Value(true)}})).ok());
  const jobs::LockedJob second = h.fetch_one("charge-card");
  // then
  EXPECT_EQ(jobs::parse_job_id(id)->key, first.job.key);
  EXPECT_EQ(jobs::parse_job_id(id)->key.root, Engine::root_of(instance));
  EXPECT_EQ(jobs::parse_job_id(id)->node, "pay");
  EXPECT_NE(second.job.key, first.job.key);
  EXPECT_EQ(second.job.key.root, Engine::root_of(instance));
}

// seed: ADR-021 2.4/7
// seed: ADR-021 2.7/7
TEST_P(ServiceTaskWorker, ARetryIsTheSameJobFetchableAgainAfterTheDelayOfThePolicy) {
  // given
  HandDriven h(on(GetParam()));
  model::ServiceTaskConfig task = worker_task("charge-card");
  task.options.retry = *policy::fixed_delay(3, Duration::seconds(10));
  h.deploy(Model().start().task("pay", std::move(task)).end().path({"start", "pay", "end"}));
  const InstanceRef instance = h.start();
  const jobs::LockedJob first = h.fetch_one("charge-card");
  const std::uint64_t sequence = h.look(instance).sequence;
  // when
  ASSERT_TRUE(h.fail(first, "busy").ok());
  // then: only the end of it all reaches the instance
  h.advance(Duration::micros(9'999'999));
  EXPECT_EQ(h.fetchable("charge-card"), 0U);
  h.advance(Duration::micros(1));
  const jobs::LockedJob second = h.fetch_one("charge-card");
  EXPECT_EQ(second.job.key, first.job.key);
  EXPECT_EQ(second.attempt, 2);
  EXPECT_EQ(h.look(instance).sequence, sequence);
}

// seed: ADR-021 2.5/7
TEST_P(ServiceTaskWorker, ThePolicyIsResolvedWhenTheJobIsEnqueued) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  (void)h.start();
  policy::EngineOptions defaults;
  defaults.retry = *policy::fixed_delay(7, Duration::seconds(1));
  // when
  ASSERT_TRUE(h.engine->set_defaults(defaults).ok());
  (void)h.start();
  // then
  EXPECT_EQ(h.fetch_one("charge-card").job.service->policy->retry->max_attempts(), 3);
  EXPECT_EQ(h.fetch_one("charge-card").job.service->policy->retry->max_attempts(), 7);
}

INSTANTIATE_TEST_SUITE_P(Stores, ServiceTaskWorker, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
