// Task threads: tasks run once, stuck threads are replaced up to a limit, nothing is handed to a thread that is not free.

#include "runtime/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace headrace::runtime {
namespace {

TEST(Pool, RunsEveryTaskOnce) {
  // given
  std::atomic<int> runs{0};
  std::latch all(1'000);
  Pool pool(3, 0);
  // when
  for (int i = 0; i < 1'000; ++i) {
    pool.post([&] {
      ++runs;
      all.count_down();
    });
  }
  all.wait();
  // then
  EXPECT_EQ(runs, 1'000);
}

TEST(Pool, WithoutThreadsTasksWaitUntilTheyAreRunByHand) {
  // given
  Pool pool(0, 4);
  int runs = 0;
  pool.post([&] { ++runs; });
  pool.post([&] { ++runs; });
  EXPECT_TRUE(pool.hand_driven());
  EXPECT_EQ(runs, 0);
  // when / then
  EXPECT_TRUE(pool.run_one());
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(pool.run_one());
  EXPECT_FALSE(pool.run_one());
  EXPECT_EQ(runs, 2);
}

TEST(Pool, AReplacementRunsWhatAStuckThreadLeaves) {
  // given
  std::latch stuck(1), go_on(1), ran(1);  // outlive the pool, whose thread may still be inside one
  Pool pool(1, 1);
  pool.post([&] {
    stuck.count_down();
    go_on.wait();
  });
  stuck.wait();
  pool.post([&] { ran.count_down(); });
  // when
  ASSERT_TRUE(pool.replace_one());
  // then
  ran.wait();
  EXPECT_EQ(pool.replacements(), 1);
  EXPECT_FALSE(pool.replace_one());
  pool.replacement_over();
  EXPECT_EQ(pool.replacements(), 0);
  go_on.count_down();
}

TEST(Pool, ManyReplacementsOneAfterTheOtherLeaveAsManyThreadsAsBefore) {
  // given
  Pool pool(2, 4);
  // when
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(pool.replace_one()) << i;
    pool.replacement_over();
  }
  // then: the two that stay run what comes
  std::latch both(2);
  for (int i = 0; i < 2; ++i) pool.post([&] { both.arrive_and_wait(); });
  both.wait();
  EXPECT_EQ(pool.replacements(), 0);
}

TEST(Pool, OffersATaskOnlyToAFreeThread) {
  // given
  std::latch stuck(1), go_on(1), ran(1);  // outlive the pool, whose thread may still be inside one
  Pool pool(1, 1);
  // when / then
  EXPECT_TRUE(pool.offer([&] {
    stuck.count_down();
    go_on.wait();
  }));
  stuck.wait();
  EXPECT_FALSE(pool.offer([] {}));
  ASSERT_TRUE(pool.replace_one());
  EXPECT_TRUE(pool.offer([&] { ran.count_down(); }));
  ran.wait();
  go_on.count_down();
}

TEST(Pool, OffersNothingWhereTasksWaitAlready) {
  // given
  Pool pool(0, 0);
  // when / then
  EXPECT_FALSE(pool.offer([] {}));
}

TEST(Pool, KnowsItsThreads) {
  // given
  Pool pool(1, 0);
  std::latch asked(1);
  bool inside = false;
  // when
  pool.post([&] {
    inside = Pool::on_pool_thread();
    asked.count_down();
  });
  asked.wait();
  // then
  EXPECT_TRUE(inside);
  EXPECT_FALSE(Pool::on_pool_thread());
}

TEST(Pool, StopWaitsForRunningTasksDropsWaitingOnesAndRefusesMore) {
  // given
  Pool pool(1, 0);
  std::latch running(1), go_on(1);
  std::atomic<bool> finished{false}, dropped_ran{false};
  pool.post([&] {
    running.count_down();
    go_on.wait();
    finished = true;
  });
  running.wait();
  pool.post([&] { dropped_ran = true; });
  // when
  std::thread stopper([&] { pool.stop(600'000); });
  while (pool.post([&] { dropped_ran = true; })) std::this_thread::yield();
  go_on.count_down();
  stopper.join();
  // then
  EXPECT_TRUE(finished);
  EXPECT_FALSE(dropped_ran);
  EXPECT_FALSE(pool.offer([] {}));
  EXPECT_FALSE(pool.replace_one());
}

TEST(Pool, AThreadThatDoesNotComeBackIsLeftBehind) {
  // given
  const auto go_on = std::make_shared<std::latch>(1);
  const auto gone = std::make_shared<std::latch>(1);
  {
    Pool pool(1, 0);
    std::latch running(1);
    pool.post([go_on, gone, &running] {
      running.count_down();
      go_on->wait();
      gone->count_down();
    });
    running.wait();
    // when
    pool.stop(0);
  }
  // then
  go_on->count_down();
  gone->wait();
}

}  // namespace
}  // namespace headrace::runtime
