// Limits of an engine (design 1.12) and ids that name nothing.

#include "engine/fixture.hpp"

namespace headrace::engine::testing {
namespace {

class Limits : public OnEveryStore {};

TEST_P(Limits, MaxInstancesCountsActiveOnesOnly) {
  // given
  EngineOptions o = on(GetParam());
  o.max_instances = 2;
  HandDriven h(std::move(o));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef first = h.start();
  (void)h.start();
  ASSERT_EQ(h.engine->start("order", {}).error().code, ErrorCode::Overloaded);
  // when
  ASSERT_TRUE(h.engine->cancel(first, "").ok());
  // then
  EXPECT_TRUE(h.engine->start("order", {}).ok());
  EXPECT_EQ(h.engine->start("order", {}).error().code, ErrorCode::Overloaded);
}

TEST_P(Limits, MaxQueuedRefusesStartsButNeverATokenOnItsWay) {
  // given: a user task first, so that tokens can arrive later
  HandDriven h(on(GetParam()));
  h.deploy(Model().start().user("sign").task("pay", worker_task("charge-card")).end().path({"start", "sign", "pay", "end"}));
  h.engine->local_dispatcher()->configure_topic(Topic("charge-card"),
                                                {.lock_duration = {}, .max_lock_duration = {}, .max_queued = 1});
  const InstanceRef a = h.start(), b = h.start();
  // when
  ASSERT_TRUE(h.engine->complete_user_task(a, "sign", {}).ok());
  const auto refused = h.engine->start("order", {});
  const Status on_its_way = h.engine->complete_user_task(b, "sign", {});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Overloaded);
  EXPECT_NE(refused.error().message.find("charge-card"), std::string::npos);
  EXPECT_TRUE(on_its_way.ok());
  EXPECT_EQ(h.engine->dispatcher().pending(Topic("charge-card")), 2U);
  EXPECT_EQ(h.fetchable("charge-card"), 2U);
  EXPECT_TRUE(h.engine->start("order", {}).ok());
}

TEST_P(Limits, EndedInstancesAreForgottenOldestFirstAndAHeldHandleStillAnswers) {
  // given
  EngineOptions o = on(GetParam());
  o.keep_ended = 2;
  HandDriven h(std::move(o));
  h.deploy(Model().start().end().path({"start", "end"}));
  // when
  const InstanceRef oldest = h.start(block({{"n", Value(1)}}));
  const InstanceRef second = h.start(), third = h.start();
  // then
  EXPECT_EQ(h.engine->instance(Engine::root_of(oldest)).error().code, ErrorCode::InstanceNotFound);
  EXPECT_TRUE(h.engine->instance(Engine::root_of(second)).ok());
  EXPECT_TRUE(h.engine->instance(Engine::root_of(third)).ok());
  EXPECT_EQ(h.engine->instances({}).size(), 2U);
  EXPECT_EQ(h.engine->state_of(oldest), core::InstanceState::Completed);
  EXPECT_EQ(read(h.look(oldest).variables, "n"), Value(1));
  EXPECT_TRUE(h.engine->start_wait(oldest, Until::Ended)->wait(Duration{}));
}

TEST_P(Limits, ActiveInstancesAreNeverForgotten) {
  // given
  EngineOptions o = on(GetParam());
  o.keep_ended = 0;
  HandDriven h(std::move(o));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  // when
  std::vector<InstanceRef> parked;
  for (int i = 0; i < 20; ++i) parked.push_back(h.start());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(h.complete(h.fetch_one("charge-card")).ok());
  // then
  EXPECT_EQ(h.engine->instances({}).size(), 10U);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(h.engine->instance(Engine::root_of(parked[static_cast<std::size_t>(i)])).ok(), i >= 10) << i;
}

TEST_P(Limits, AnEndlessLoopIsUndoneAndTheErrorNamesIt) {
  for (const policy::Profile profile : {policy::Profile::Headrace, policy::Profile::Camunda7}) {
    // given
    HandDriven h(on(GetParam()));
    h.deploy(Model(profile)
                 .start()
                 .task("pay", worker_task("charge-card"))
                 .exclusive("again")
                 .end()
                 .path({"start", "pay", "again"})
                 .flow("again", "again", "${true}")
                 .otherwise("again", "end"));
    const InstanceRef instance = h.start();
    const jobs::LockedJob job = h.fetch_one("charge-card");
    const std::uint64_t before = h.look(instance).sequence;
    // when
    const Status report = h.complete(job, block({{"x", Value(1)}}));
    // then: the reporter is told, the job and its lock are as before
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::Technical);
    EXPECT_NE(report.error().message.find("'again'"), std::string::npos) << report.error().message;
    EXPECT_EQ(h.look(instance).sequence, before);
    EXPECT_EQ(h.engine->local_dispatcher()->find(job.job.key)->state, jobs::JobState::Locked);
    EXPECT_EQ(h.complete(job).error().code, ErrorCode::Technical);
  }
}

TEST_P(Limits, IdsThatNameNothingAreNotFound) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  (void)h.start();
  // when / then
  EXPECT_EQ(h.engine->instance(0).error().code, ErrorCode::InstanceNotFound);
  EXPECT_EQ(h.engine->instance(77).error().code, ErrorCode::InstanceNotFound);
  EXPECT_EQ(h.engine->definition("nothing").error().code, ErrorCode::NotFound);
  EXPECT_EQ(h.engine->definition("order", 2).error().code, ErrorCode::NotFound);
  EXPECT_EQ(h.engine->definition("order", 0).error().code, ErrorCode::NotFound);
  EXPECT_EQ(h.engine->start("order", {}, {.business_key = {}, .traceparent = {}, .version = 9}).error().code,
            ErrorCode::NotFound);
  for (const char* id : {"", ":", "1", "1:", ":1", "1:1", "77:1", "x:y", "1:1x", "-1:1", "1:-1", "0:1", "99999999999999999999:1",
                         "1:99999999999", " 1:1", "1:1:1"}) {
    EXPECT_EQ(h.engine->incident(id).error().code, ErrorCode::NotFound) << id;
    EXPECT_EQ(h.engine->retry_incident(id, 1).error().code, ErrorCode::NotFound) << id;
    EXPECT_EQ(h.engine->resolve_incident(id, {}).error().code, ErrorCode::NotFound) << id;
    EXPECT_EQ(h.engine->raise_incident_error(id, "E", "").error().code, ErrorCode::NotFound) << id;
    EXPECT_EQ(h.engine->annotate_incident(id, "").error().code, ErrorCode::NotFound) << id;
    EXPECT_EQ(h.engine->remap_incident(id).error().code, ErrorCode::NotFound) << id;
    EXPECT_EQ(h.engine->cancel_incident(id, "").error().code, ErrorCode::NotFound) << id;
  }
}

TEST_P(Limits, AReportForAJobOfAnUnknownInstanceIsJobNotFound) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  // when
  const Status report = h.engine->dispatcher().report({{77, 77, 1, 1}, WorkerId("w1"), {}}, jobs::ReportComplete{});
  // then
  EXPECT_EQ(report.error().code, ErrorCode::JobNotFound);
}

TEST(EngineOptionsCheck, NamesTheOptionThatIsOutOfRange) {
  // given
  EngineOptions threads, shards;
  threads.threads = -1;
  shards.shards = 5'000;
  // when / then
  EXPECT_NE(Engine::create(std::move(threads)).error().message.find("threads"), std::string::npos);
  EXPECT_NE(Engine::create(std::move(shards)).error().message.find("shards"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Stores, Limits, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
