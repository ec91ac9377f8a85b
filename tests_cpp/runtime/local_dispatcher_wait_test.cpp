#include "local_support.hpp"

namespace headrace::runtime::test {
namespace {

using jobs::JobState;

constexpr Duration kLong = Duration::minutes(1);  // far longer than any test: an answer in time is a wake-up

std::shared_ptr<FetchWaiter> waiting(LocalDispatcher& q, const jobs::FetchRequest& r) {
  auto w = q.start_fetch(r);
  EXPECT_TRUE(w.ok());
  return std::move(*w);
}
Roots taken(FetchWaiter& w) {
  auto jobs = w.take();
  return jobs ? HandQueue::roots_of(*jobs) : Roots{999};
}

TEST(WaitingFetch, IsAnsweredAtOnceWhenJobsAreThere) {
  // given a job
  HandQueue q;
  q.enqueue(1);
  // when a fetch is registered
  const auto w = waiting(q.queue, request("w", {"t"}));
  // then it has its answer
  int called = 0;
  w->on_ready([&] { ++called; });
  EXPECT_TRUE(w->ready());
  EXPECT_EQ(called, 1);
  EXPECT_EQ(taken(*w), Roots{1});
  EXPECT_EQ(taken(*w), Roots{});
}

TEST(WaitingFetch, IsWokenByEnqueueRetryExpiryUnlockAndResume) {
  struct Row {
    const char* by;
    void (*prepare)(HandQueue&);
    void (*happen)(HandQueue&);
  };
  // given a job that is not fetchable for one reason or another
  const std::vector<Row> rows = {
      {"enqueue", [](HandQueue&) {}, [](HandQueue& q) { q.enqueue(1); }},
      {"retry due",
       [](HandQueue& q) {
         q.enqueue(1);
         q.fetch(request("x", {"t"}));
         EXPECT_TRUE(q.queue.report(by("x", 1), failure("no")).ok());
       },
       [](HandQueue& q) { q.queue.run_due(at(1)); }},
      {"expiry",
       [](HandQueue& q) {
         q.enqueue(1);
         q.fetch(lock_of(request("x", {"t"}), 10));
       },
       [](HandQueue& q) { q.queue.run_due(at(10)); }},
      {"unlock",
       [](HandQueue& q) {
         q.enqueue(1);
         q.fetch(request("x", {"t"}));
       },
       [](HandQueue& q) { EXPECT_TRUE(q.queue.unlock(by("x", 1)).ok()); }},
      {"resume",
       [](HandQueue& q) {
         q.enqueue(1);
         q.queue.suspend(key(1));
       },
       [](HandQueue& q) { q.queue.resume(key(1)); }},
      {"operator's retry",
       [](HandQueue& q) {
         q.enqueue(1);
         q.fetch(request("x", {"t"}));
         EXPECT_TRUE(q.queue.report(by("x", 1), failure("no", 0)).ok());
       },
       [](HandQueue& q) { EXPECT_TRUE(q.queue.retry(key(1), 0).ok()); }},
      {"a poller that goes away",
       [](HandQueue& q) {
         q.enqueue(1);
         waiting(q.queue, request("x", {"t"}));  // its answer is never taken
       },
       [](HandQueue&) {}},
  };
  for (const Row& row : rows) {
    HandQueue q;
    row.prepare(q);
    const auto w = waiting(q.queue, request("w", {"other", "t"}));
    // when it becomes fetchable
    row.happen(q);
    // then the waiting fetch has it
    EXPECT_TRUE(w->ready()) << row.by;
    EXPECT_EQ(taken(*w), Roots{1}) << row.by;
  }
}

TEST(WaitingFetch, WaitersAreServedInTheOrderTheyCameAndOnlyAsManyAsThereAreJobs) {
  // given three waiters
  HandQueue q;
  const auto a = waiting(q.queue, request("a", {"t"}));
  const auto b = waiting(q.queue, request("b", {"u", "t"}));
  const auto c = waiting(q.queue, request("c", {"t"}));
  std::vector<std::string> woken;
  a->on_ready([&] { woken.emplace_back("a"); });
  b->on_ready([&] { woken.emplace_back("b"); });
  c->on_ready([&] { woken.emplace_back("c"); });
  // when two jobs come
  q.enqueue(1);
  q.enqueue(2);
  // then the first two are woken, in their order, and the third waits on
  EXPECT_EQ(woken, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(c->ready());
  EXPECT_EQ(taken(*a), Roots{1});
  EXPECT_EQ(taken(*b), Roots{2});
  // and b has left the line of its other topic too
  q.enqueue(3, "u");
  EXPECT_EQ(q.state(3), JobState::Queued);
}

TEST(WaitingFetch, OfJobsThatComeDueTogetherTheOldestWaiterIsServedFirst) {
  for (const bool mine_first : {true, false}) {
    // given jobs of two topics whose locks end together, an older waiter for one of the topics and a younger one for both
    HandQueue q;
    q.enqueue(1, mine_first ? "t" : "u");
    q.enqueue(2, mine_first ? "u" : "t");
    q.fetch(lock_of(request("x", {"t", "u"}, 2), 10));
    const auto a = waiting(q.queue, request("a", {"t"}));
    const auto b = waiting(q.queue, request("b", {"u", "t"}));
    // when
    q.queue.run_due(at(10));
    // then each has the job that the other cannot do without
    EXPECT_EQ(taken(*a), Roots{mine_first ? 1U : 2U});
    EXPECT_EQ(taken(*b), Roots{mine_first ? 2U : 1U});
  }
}

TEST(WaitingFetch, AWaiterThatGoesAwayGivesItsJobsBackAtNoCost) {
  // given two waiters, the first one answered
  HandQueue q;
  auto a = waiting(q.queue, request("a", {"t"}, 5));
  q.enqueue(1);
  EXPECT_TRUE(a->ready());
  const auto b = waiting(q.queue, request("b", {"t"}));
  // when the first one goes away without taking its answer
  a->cancel();
  a->cancel();
  EXPECT_EQ(taken(*a), Roots{});
  // then the second has the job, with its first attempt
  auto jobs = b->take();
  ASSERT_TRUE(jobs.ok());
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_EQ(jobs->at(0).attempt, 1);
  EXPECT_EQ(jobs->at(0).retries, std::nullopt);
}

TEST(WaitingFetch, APollerThatWentAwayLocksNothing) {
  // given a waiter that is cancelled, and one that is dropped
  HandQueue q;
  const auto a = waiting(q.queue, request("a", {"t"}));
  auto b = waiting(q.queue, request("b", {"t"}));
  a->cancel();
  b.reset();
  // when a job comes
  q.enqueue(1);
  // then nobody has it
  EXPECT_EQ(q.state(1), JobState::Queued);
  EXPECT_EQ(q.fetch(request("c", {"t"})), Roots{1});
}

TEST(WaitingFetch, AFirstLockAboveTheCapIsRefusedAtOnce) {
  // given a topic with a cap
  HandQueue q;
  q.queue.configure_topic(Topic("t"), {std::nullopt, Duration::seconds(5), std::nullopt});
  // when a waiting fetch asks for more
  const auto w = q.queue.start_fetch(lock_of(request("w", {"t"}), 6));
  // then it does not wait for a job to be told
  ASSERT_FALSE(w.ok());
  EXPECT_EQ(w.error().code, ErrorCode::LockCapExceeded);
}

TEST(WaitingFetch, CloseWakesAndRefusesAllWaiters) {
  // given waiters of several topics
  HandQueue q;
  const auto a = waiting(q.queue, request("a", {"t", "u"}));
  const auto b = waiting(q.queue, request("b", {"u"}));
  // when the queue is closed
  q.queue.close();
  // then each has Closed, and so has every later fetch
  for (const auto& w : {a, b}) {
    ASSERT_TRUE(w->ready());
    EXPECT_EQ(w->take().error().code, ErrorCode::Closed);
  }
  EXPECT_EQ(q.queue.fetch_and_lock(request("c", {"t"}), Duration{}).error().code, ErrorCode::Closed);
  EXPECT_EQ(q.queue.start_fetch(request("c", {"t"})).error().code, ErrorCode::Closed);
}

TEST(WaitingFetch, AWaiterMayOutliveItsQueue) {
  // given a waiter
  std::shared_ptr<FetchWaiter> w;
  {
    HandQueue q;
    w = waiting(q.queue, request("a", {"t"}));
  }
  // when the queue is gone, then it is refused
  EXPECT_TRUE(w->ready());
  EXPECT_EQ(w->take().error().code, ErrorCode::Closed);
}

// What 100 jobs of a topic cost beside so many idle pollers of other topics.
std::uint64_t cost_beside(int pollers) {
  HandQueue q;
  std::vector<std::shared_ptr<FetchWaiter>> idle;
  for (int i = 0; i < pollers; ++i) idle.push_back(waiting(q.queue, request("idle", {"idle-" + std::to_string(i), "all"})));
  const std::uint64_t before = q.queue.steps();
  for (std::uint64_t i = 1; i <= 100; ++i) {
    q.enqueue(i);
    EXPECT_EQ(q.fetch(request("w", {"t"})), Roots{i});
    EXPECT_TRUE(q.complete("w", i).ok());
  }
  for (const auto& w : idle) EXPECT_FALSE(w->ready());
  return q.queue.steps() - before;
}

TEST(WaitingFetch, AThousandIdlePollersCostOthersNothing) {
  // given a topic with and without a thousand idle pollers of others
  // when jobs of the topic come and go
  // then the same records are looked at
  EXPECT_EQ(cost_beside(1000), cost_beside(0));
}

TEST(RealTimeFetch, AnswersNothingAfterItsWait) {
  RealQueue q;
  EXPECT_EQ(q.fetch(request("w", {"t"}), Duration::millis(1)), Roots{});
  EXPECT_EQ(q.fetch(request("w", {"t"}), Duration{-5}), Roots{});
}

// seed: ADR-021 2.4/3
TEST(RealTimeFetch, IsWokenByAnEnqueueFromAnotherThread) {
  // given threads that wait for a job each
  RealQueue q;
  constexpr std::uint64_t kThreads = 8;
  std::mutex mutex;
  Roots got;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Roots r = q.fetch(request("w" + std::to_string(i), {"t"}), kLong);
      const std::lock_guard lock(mutex);
      got.insert(got.end(), r.begin(), r.end());
    });
  }
  // when as many jobs come
  for (std::uint64_t i = 1; i <= kThreads; ++i) q.enqueue(i);
  for (std::thread& t : threads) t.join();
  // then each thread has one
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, (Roots{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(RealTimeFetch, BooksAnExpiryItselfWhenNoTimerThreadRuns) {
  // given a job that is locked for 20 ms, and nobody who runs the queue's time
  RealQueue q;
  q.enqueue(1);
  q.fetch(lock_of(request("w", {"t"}), 0.02));
  // when another worker waits for it
  // then it gets it
  EXPECT_EQ(q.fetch(request("w2", {"t"}), kLong), Roots{1});
}

TEST(RealTimeFetch, BooksARetryItselfWhenNoTimerThreadRuns) {
  // given a job that backs off for 20 ms
  RealQueue q;
  q.enqueue(1);
  q.fetch(request("w", {"t"}));
  EXPECT_TRUE(q.queue.report(by("w", 1), failure("no", 2, Duration::millis(20))).ok());
  // when a worker waits for it, then it gets it
  EXPECT_EQ(q.fetch(request("w", {"t"}), kLong), Roots{1});
}

TEST(RealTimeFetch, CloseEndsAWaitInAnotherThread) {
  // given a waiting thread
  RealQueue q;
  std::latch started(1);
  std::thread t([&] {
    started.count_down();
    const auto r = q.queue.fetch_and_lock(request("w", {"t"}), kLong);
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().code, ErrorCode::Closed);
  });
  started.wait();
  // when the queue is closed, then it ends
  q.queue.close();
  t.join();
}

TEST(RealTimeFetch, ManyProducersAndConsumersLoseNothing) {
  // given producers and consumers on threads, some of which hand back or fail now and then
  RealQueue q;
  constexpr std::uint64_t kJobs = 2000;
  std::atomic<std::uint64_t> done{0};
  std::vector<std::thread> threads;
  for (std::uint64_t p = 0; p < 2; ++p) {
    threads.emplace_back([&, p] {
      for (std::uint64_t i = p + 1; i <= kJobs; i += 2) q.enqueue(i, i % 3 == 0 ? "a" : "b");
    });
  }
  for (int c = 0; c < 4; ++c) {
    threads.emplace_back([&, c] {
      const std::string me = "w" + std::to_string(c);
      while (done.load() < kJobs) {
        const auto jobs = q.queue.fetch_and_lock(request(me, {"a", "b"}, 5), Duration::millis(5));
        for (const jobs::LockedJob& j : *jobs) {
          const jobs::ReportTarget target{j.job.key, j.worker, j.epoch};
          const std::uint64_t root = j.job.key.root;
          if (root % 7 == 0 && j.epoch == 1) {
            EXPECT_TRUE(q.queue.unlock(target).ok());
          } else if (root % 11 == 0 && j.attempt == 1) {
            EXPECT_TRUE(q.queue.report(target, failure("again", 2, Duration{})).ok());
          } else {
            EXPECT_TRUE(q.queue.report(target, jobs::ReportComplete{}).ok());
            ++done;
          }
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  // then every job was completed once
  EXPECT_EQ(q.sink.told().size(), kJobs);
  EXPECT_EQ(q.metrics("a").completed + q.metrics("b").completed, kJobs);
  EXPECT_TRUE(q.queue.list().empty());
}

class CountingHandler final : public jobs::LocalHandler {
 public:
  jobs::Report handle(const jobs::LockedJob& job) override {
    ++ran;
    if (job.owner != jobs::Owner::Engine) ++wrong_owner;
    if (job.job.key.root % 10 == 3) throw std::runtime_error("handler broke");
    return jobs::ReportComplete{};
  }
  std::atomic<int> ran{0};
  std::atomic<int> wrong_owner{0};
};

TEST(LocalPool, HandDrivenHandlersRunOnTheCallersThread) {
  // given a handler of parallelism 2 and three jobs
  HandQueue q;
  auto handler = std::make_shared<CountingHandler>();
  q.queue.register_handler(Topic("t"), handler, 2, WorkerId("local"));
  for (std::uint64_t i = 1; i <= 3; ++i) q.enqueue(i);
  // when it is run, then two go at a time, until none is left
  EXPECT_EQ(q.queue.run_handlers_once(), 2U);
  EXPECT_EQ(q.queue.run_handlers_once(), 1U);
  EXPECT_EQ(q.queue.run_handlers_once(), 0U);
  // and the one whose handler threw has failed: the engine's policy tries it again
  EXPECT_EQ(q.state(3), JobState::BackingOff);
  EXPECT_EQ(q.queue.find(key(3))->last_error, "handler broke");
  EXPECT_EQ(q.metrics().completed, 2U);
  EXPECT_EQ(handler->wrong_owner.load(), 0);
}

TEST(LocalPool, ThreadsFetchAndRunUntilTheyAreStopped) {
  // given a pool of three threads
  RealQueue q;
  auto handler = std::make_shared<CountingHandler>();
  q.queue.register_handler(Topic("t"), handler, 2, WorkerId("local"));
  q.queue.start_workers();
  q.queue.start_workers();
  q.queue.register_handler(Topic("u"), handler, 1, WorkerId("local"));
  // when jobs come
  std::uint64_t enqueued = 0;
  for (std::uint64_t i = 1; i <= 60; ++i) {
    if (i % 10 == 3) continue;
    q.enqueue(i, i % 2 == 0 ? "t" : "u");
    ++enqueued;
  }
  while (q.sink.told().size() < enqueued) std::this_thread::yield();
  q.queue.stop_workers();
  // then all were run once
  EXPECT_EQ(static_cast<std::uint64_t>(handler->ran.load()), enqueued);
  // and a stopped pool runs nothing
  q.enqueue(100);
  EXPECT_EQ(q.state(100), JobState::Queued);
  // until it is started again
  q.queue.start_workers();
  while (q.sink.told().size() < enqueued + 1) std::this_thread::yield();
}

TEST(LocalPool, RunsOnAManualClockToo) {
  // given a pool on a manual clock
  HandQueue q;
  auto handler = std::make_shared<CountingHandler>();
  q.queue.register_handler(Topic("t"), handler, 1, WorkerId("local"));
  q.queue.start_workers();
  // when a job comes, then it is run
  q.enqueue(1);
  while (q.sink.told().empty()) std::this_thread::yield();
  q.queue.stop_workers();
  EXPECT_EQ(q.sink.told().size(), 1U);
  EXPECT_TRUE(q.queue.list().empty());
}

}  // namespace
}  // namespace headrace::runtime::test
