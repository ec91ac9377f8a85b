// Sub-processes at the engine: scopes, what ends with them, and where errors from inside go.

#include "engine/fixture.hpp"

namespace headrace::engine::testing {
namespace {

class SubProcess : public OnEveryStore {};

// start -> pack( in -> wrap (external) -> out ) -> end; `late` after 10 s and `broken` catch around pack.
Model packing() {
  return Model()
      .start()
      .sub("pack")
      .end()
      .timer("late", "pack", "PT10S")
      .end("gave_up")
      .catches("broken", "pack", "BROKEN")
      .end("thrown_away")
      .path({"start", "pack", "end"})
      .path({"late", "gave_up"})
      .path({"broken", "thrown_away"})
      .in("pack")
      .start("in")
      .task("wrap", worker_task("wrap"))
      .end("out")
      .path({"in", "wrap", "out"});
}

TEST_P(SubProcess, ItsTasksRunInsideAndItEndsWithThem) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(packing());
  const InstanceRef instance = h.start(block({{"size", Value(3)}}));
  ASSERT_EQ(where(h.look(instance)), "pack:scope wrap:job");
  // when
  const jobs::LockedJob job = h.fetch_one("wrap");
  EXPECT_EQ(read(job.job.view.flatten(), "size"), Value(3));
  ASSERT_TRUE(h.complete(job, block({{"paper", Value("red")}})).ok());
  // then: a name that no scope has goes to the root (design 4.10)
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(s.state, core::InstanceState::Completed);
  EXPECT_EQ(count_of(s, "pack"), "1/0");
  EXPECT_EQ(read(s.variables, "paper"), Value("red"));
}

TEST_P(SubProcess, ATimerOnItEndsEverythingInsideInTheSameCommit) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(packing());
  const InstanceRef instance = h.start();
  const jobs::LockedJob job = h.fetch_one("wrap");
  // when
  h.advance(Duration::seconds(10));
  // then
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(s.state, core::InstanceState::Completed);
  EXPECT_EQ(count_of(s, "wrap"), "0/1");
  EXPECT_EQ(count_of(s, "pack"), "0/1");
  EXPECT_EQ(count_of(s, "gave_up"), "1/0");
  EXPECT_TRUE(s.local_variables.empty());
  EXPECT_EQ(h.complete(job).error().code, ErrorCode::JobNotFound);
  EXPECT_EQ(h.fetchable("wrap"), 0U);
}

TEST_P(SubProcess, AnErrorFromInsideIsCaughtAtItsBorder) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(packing());
  const InstanceRef instance = h.start();
  const jobs::LockedJob job = h.fetch_one("wrap");
  // when
  ASSERT_TRUE(h.engine->dispatcher().report(HandDriven::target(job), jobs::ReportBpmnError{"BROKEN", "", {}}).ok());
  // then
  EXPECT_EQ(count_of(h.look(instance), "thrown_away"), "1/0");
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  h.advance(Duration::seconds(60));
  EXPECT_EQ(h.engine->metrics().timers_fired, 0U);
}

TEST_P(SubProcess, AnIncidentInsideIsClosedWhenItIsInterrupted) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(packing());
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.fail(h.fetch_one("wrap"), "no paper", 0).ok());
  ASSERT_EQ(h.engine->incidents().size(), 1U);
  // when
  h.advance(Duration::seconds(10));
  // then
  EXPECT_TRUE(h.engine->incidents().empty());
  EXPECT_EQ(h.engine->metrics().incidents_open, 0U);
  EXPECT_EQ(h.engine->metrics().incidents_raised, 1U);
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

INSTANTIATE_TEST_SUITE_P(Stores, SubProcess, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
