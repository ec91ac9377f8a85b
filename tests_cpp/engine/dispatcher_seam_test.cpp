// The job queue as an extension point (ADR-021 2.4, design 1.5): another dispatcher is fed through the outbox after the commit,
// and reports through its sink.

#include <stdexcept>

#include "engine/threads.hpp"

namespace headrace::engine::testing {
namespace {

// A queue somewhere else: keeps what it is told, refuses as often as it is asked to.
class ForeignQueue final : public IdleDispatcher {
 public:
  Status enqueue(jobs::Job job) override {
    const std::lock_guard lock(mutex_);
    story += "enqueue " + jobs::to_text(job.key, job.service->node) + "\n";
    if (throws) throw std::runtime_error("connection reset");
    if (refusals > 0) {
      --refusals;
      return make_error(ErrorCode::Store, "queue is full");
    }
    jobs.push_back(std::move(job));
    return Ok{};
  }
  Status withdraw(const JobKey& key) override {
    const std::lock_guard lock(mutex_);
    story += "withdraw " + jobs::to_text(key, "") + "\n";
    if (withdraw_refusals > 0) {
      --withdraw_refusals;
      return make_error(ErrorCode::Store, "no");
    }
    std::erase_if(jobs, [&](const jobs::Job& j) { return j.key == key; });
    ++withdrawals_;
    withdrawn_.notify_all();
    return Ok{};
  }
  void wait_for_withdrawals(std::size_t n) {
    std::unique_lock lock(mutex_);
    withdrawn_.wait(lock, [&] { return withdrawals_ >= n; });
  }
  std::uint64_t pending(const Topic&) const override { return jobs.size(); }

  // Reports and waits for the answer, hand-driven.
  Status tell(const JobKey& key, jobs::Outcome outcome) {
    std::optional<Status> answer;
    sink->report_job_completion({key, std::move(outcome)}, [&answer](Status s) { answer = std::move(s); });
    while (!answer && sink->help()) {
    }
    return answer.value_or(make_error(ErrorCode::Internal, "no answer came"));
  }

  std::vector<jobs::Job> jobs;
  std::string story;
  int refusals = 0, withdraw_refusals = 0;
  bool throws = false;

 private:
  std::mutex mutex_;
  std::condition_variable withdrawn_;
  std::size_t withdrawals_ = 0;
};

class DispatcherSeam : public OnEveryStore {
 protected:
  EngineOptions options() {
    EngineOptions o = on(GetParam());
    o.dispatcher = queue;
    return o;
  }
  std::shared_ptr<ForeignQueue> queue = std::make_shared<ForeignQueue>();
};

Model one_task() { return Model().start().task("pay", worker_task("charge-card")).end().path({"start", "pay", "end"}); }

// seed: SRD-036 TestDefaultRuntimeWorkerDispatcherIsJobStore
// seed: ADR-021 2.4/15
// seed: ADR-021 2.4/16
TEST(WorkerDispatcher, IsTheLocalJobStoreByDefaultAndWhatTheOptionsNameOtherwise) {
  // given
  const auto queue = std::make_shared<ForeignQueue>();
  EngineOptions o;
  o.dispatcher = queue;
  // when
  HandDriven plain, other(std::move(o));
  // then
  ASSERT_NE(plain.engine->local_dispatcher(), nullptr);
  EXPECT_EQ(&plain.engine->dispatcher(), plain.engine->local_dispatcher());
  EXPECT_EQ(&other.engine->dispatcher(), queue.get());
  EXPECT_EQ(other.engine->local_dispatcher(), nullptr);
  EXPECT_NE(queue->sink, nullptr);
}

// seed: ADR-021 2.4/17
TEST_P(DispatcherSeam, AJobIsHandedInAfterTheCommitOnATaskThreadNotInTheStep) {
  // given
  HandDriven h(options());
  h.deploy(one_task());
  // when
  const InstanceRef instance = h.start(block({{"amount", Value(30)}}));
  // then
  EXPECT_EQ(where(h.look(instance)), "pay:job");
  EXPECT_EQ(queue->story, "");
  h.run();
  EXPECT_EQ(queue->story, "enqueue 1:1:1:1:pay\n");
  EXPECT_EQ(queue->jobs[0].service->topic, Topic("charge-card"));
  EXPECT_EQ(read(queue->jobs[0].view.flatten(), "amount"), Value(30));
}

TEST_P(DispatcherSeam, AReportThroughTheSinkResumesTheInstance) {
  // given
  HandDriven h(options());
  h.deploy(one_task());
  const InstanceRef instance = h.start();
  h.run();
  // when
  const Status told = queue->tell(queue->jobs[0].key, jobs::OutcomeCompleted{block({{"receiptId", Value("r-1")}})});
  // then
  EXPECT_TRUE(told.ok());
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(read(h.look(instance).variables, "receiptId"), Value("r-1"));
  EXPECT_EQ(queue->tell(queue->jobs[0].key, jobs::OutcomeCompleted{}).error().code, ErrorCode::JobNotFound);
}

TEST_P(DispatcherSeam, CancellingTheInstanceWithdrawsItsJob) {
  // given
  HandDriven h(options());
  h.deploy(one_task());
  const InstanceRef instance = h.start();
  h.run();
  // when
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  h.run();
  // then
  EXPECT_EQ(queue->story, "enqueue 1:1:1:1:pay\nwithdraw 1:1:1:1:\n");
  EXPECT_TRUE(queue->jobs.empty());
}

TEST_P(DispatcherSeam, ARefusedJobIsHandedInAgainAfterAPause) {
  // given
  HandDriven h(options());
  h.deploy(one_task());
  queue->refusals = 2;
  const InstanceRef instance = h.start();
  h.run();
  ASSERT_TRUE(queue->jobs.empty());
  // when
  h.advance(Duration::millis(99));
  EXPECT_EQ(queue->refusals, 1);
  h.advance(Duration::millis(1));
  EXPECT_EQ(queue->refusals, 0);
  h.advance(Duration::millis(400));
  // then
  EXPECT_EQ(queue->jobs.size(), 1U);
  EXPECT_EQ(where(h.look(instance)), "pay:job");
  EXPECT_TRUE(h.look(instance).incidents.empty());
}

// seed: SRD-036 TestServiceTaskWorkerEnqueueFailureFaults
TEST_P(DispatcherSeam, OneThatKeepsRefusingIsATechnicalFaultOfTheTaskAndAnOperatorsRetryHandsItInAgain) {
  for (const bool throws : {false, true}) {
    // given
    queue = std::make_shared<ForeignQueue>();
    HandDriven h(options());
    h.deploy(one_task());
    queue->refusals = 1'000;
    queue->throws = throws;
    const InstanceRef instance = h.start();
    // when
    h.advance(Duration::seconds(10));
    // then: never parked for ever
    EXPECT_EQ(queue->story, "enqueue 1:1:1:1:pay\nenqueue 1:1:1:1:pay\nenqueue 1:1:1:1:pay\nenqueue 1:1:1:1:pay\n");
    const InstanceSnapshot s = h.look(instance);
    ASSERT_EQ(s.incidents.size(), 1U);
    EXPECT_EQ(s.incidents[0].kind, "failedExternalTask");
    EXPECT_EQ(s.activities[0].state, "Failing");
    EXPECT_NE(s.incidents[0].message.find(throws ? "connection reset" : "queue is full"), std::string::npos)
        << s.incidents[0].message;
    queue->refusals = 0;
    queue->throws = false;
    ASSERT_TRUE(h.engine->retry_incident(s.incidents[0].id, 0).ok());
    h.run();
    ASSERT_EQ(queue->jobs.size(), 1U);
    EXPECT_TRUE(queue->tell(queue->jobs[0].key, jobs::OutcomeCompleted{}).ok());
    EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  }
}

TEST_P(DispatcherSeam, OnExhaustedFailEndsTheInstanceWhenTheJobCannotBeHandedIn) {
  // given
  HandDriven h(options());
  model::ServiceTaskConfig task = worker_task("charge-card");
  task.options.on_exhausted = policy::OnExhausted::Fail;
  h.deploy(Model().start().task("pay", std::move(task)).end().path({"start", "pay", "end"}));
  queue->refusals = 1'000;
  // when
  const InstanceRef instance = h.start();
  h.advance(Duration::seconds(10));
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Failed);
  EXPECT_NE(h.look(instance).reason.find("charge-card"), std::string::npos);
}

TEST_P(DispatcherSeam, AJobThatIsWithdrawnInThePauseIsNotHandedInAgain) {
  // given
  HandDriven h(options());
  h.deploy(one_task());
  queue->refusals = 1;
  const InstanceRef instance = h.start();
  h.run();
  // when
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  h.advance(Duration::seconds(10));
  // then: it may have arrived in spite of the refusal
  EXPECT_EQ(queue->story, "enqueue 1:1:1:1:pay\nwithdraw 1:1:1:1:\n");
}

TEST_P(DispatcherSeam, ARefusedWithdrawalIsTriedAgain) {
  // given
  HandDriven h(options());
  h.deploy(one_task());
  const InstanceRef instance = h.start();
  h.run();
  queue->withdraw_refusals = 2;
  // when
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  h.advance(Duration::seconds(10));
  // then
  EXPECT_EQ(queue->story, "enqueue 1:1:1:1:pay\nwithdraw 1:1:1:1:\nwithdraw 1:1:1:1:\nwithdraw 1:1:1:1:\n");
  EXPECT_TRUE(queue->jobs.empty());
}

TEST_P(DispatcherSeam, AnExhaustedJobThatAnOperatorRetriesIsHandedInAnewWithItsInput) {
  // given
  HandDriven h(options());
  h.deploy(Model()
               .start()
               .task("pay", headrace::testing::external(contract({{"amount", policy::FieldType::Float}})))
               .end()
               .path({"start", "pay", "end"}));
  const InstanceRef instance = h.start(block({{"amount", Value(30)}, {"secret", Value("s")}}));
  h.run();
  jobs::OutcomeExhausted exhausted;
  exhausted.failure.message = "no route";
  exhausted.attempts = 3;
  ASSERT_TRUE(queue->tell(queue->jobs[0].key, std::move(exhausted)).ok());
  const InstanceSnapshot s = h.look(instance);
  ASSERT_EQ(s.incidents.size(), 1U);
  const VariableBlock first = queue->jobs[0].view.flatten();
  queue->jobs.clear();
  // when
  ASSERT_TRUE(h.engine->retry_incident(s.incidents[0].id, 0).ok());
  h.run();
  // then
  ASSERT_EQ(queue->jobs.size(), 1U);
  EXPECT_EQ(queue->jobs[0].view.flatten().to_payload(), first.to_payload());
  EXPECT_EQ(read(first, "amount"), Value(30.0));
  EXPECT_EQ(first.size(), 1U);
  EXPECT_TRUE(queue->tell(queue->jobs[0].key, jobs::OutcomeCompleted{}).ok());
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

TEST_P(DispatcherSeam, CloseUnbindsTheSink) {
  // given
  HandDriven h(options());
  ASSERT_NE(queue->sink, nullptr);
  // when
  h.engine->close();
  // then
  EXPECT_EQ(queue->sink, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Stores, DispatcherSeam, ::testing::ValuesIn(every_store()), store_name);

class DispatcherThreads : public OnEveryStore {};

TEST_P(DispatcherThreads, EnqueueAndWithdrawOfOneJobNeverOvertakeEachOther) {
  // given: two task threads, and instances that are cancelled as soon as they are there
  const auto queue = std::make_shared<ForeignQueue>();
  EngineOptions o = on(GetParam());
  o.dispatcher = queue;
  o.shards = 4;
  Threaded t(std::move(o));
  t.deploy(one_task());
  const int n = answers_at_once(GetParam()) ? 2'000 : 200;
  const auto starter = [&] {
    for (int i = 0; i < n; ++i) ASSERT_TRUE(t.engine->cancel(t.start(), "").ok());
  };
  // when
  at_once(starter, starter);
  queue->wait_for_withdrawals(2 * static_cast<std::size_t>(n));
  // then
  EXPECT_TRUE(queue->jobs.empty());
}

INSTANTIATE_TEST_SUITE_P(Stores, DispatcherThreads, ::testing::ValuesIn(every_threaded_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
