#pragma once
// What tests with real threads share: stores that answer on a thread of their own, a gate for host code to stand at, an engine
// with task threads.

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include "engine/fixture.hpp"

namespace headrace::engine::testing {

inline constexpr Duration kLong = Duration::seconds(200);  // never reached: a test that waits so long has failed

// The fake store with the thread that a remote store's client has: it answers there, later, in another order.
class ThreadedFake final : public store::Store {
 public:
  explicit ThreadedFake(headrace::testing::FakeStoreOptions o) : fake_(o), thread_([this] { run(); }) {}
  ~ThreadedFake() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  void commit(std::span<const store::Delta> deltas, CommitDone done) override {
    fake_.commit(deltas, std::move(done));
    wake();
  }
  void load(std::span<const std::uint64_t> roots, LoadDone done) override {
    fake_.load(roots, std::move(done));
    wake();
  }
  store::Traits traits() const override { return fake_.traits(); }

 private:
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      ++calls_;
    }
    wake_.notify_one();
  }
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return calls_ > 0 || stopping_; });
      if (stopping_) return;
      --calls_;
      lock.unlock();
      fake_.pump();
      lock.lock();
    }
  }
  headrace::testing::FakeStore fake_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::size_t calls_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

template <std::uint64_t kSeed, std::uint32_t kUnknown>
std::shared_ptr<store::Store> threaded_fake() {
  return std::make_shared<ThreadedFake>(headrace::testing::FakeStoreOptions{.seed = kSeed, .unknown_one_in = kUnknown});
}
// The five stores again, fit for many threads.
inline std::vector<StoreKind> every_threaded_store() {
  return {{"Memory", [] { return store::make_memory_store(); }},
          {"KeepingMemory", [] { return store::make_memory_store({.keep_state = true}); }},
          {"ThreadedFake1", threaded_fake<1, 0>},
          {"ThreadedFake2", threaded_fake<2, 0>},
          {"ThreadedFakeUnknown", threaded_fake<3, 7>}};
}
inline bool answers_at_once(const StoreKind& k) { return std::string_view(k.name).find("Fake") == std::string_view::npos; }

// An engine with task threads and a manual clock; time moves by advance().
struct Threaded : HandDriven {
  explicit Threaded(EngineOptions o = {}, int threads = 2) : HandDriven(nullptr) {
    o.clock = clock;
    o.threads = threads;
    engine = *Engine::create(std::move(o));
  }
  bool ends(const InstanceRef& i) const { return engine->start_wait(i, Until::Ended)->wait(kLong); }
  // Nothing of it runs by itself any more.
  bool rests(const InstanceRef& i) const { return engine->start_wait(i, Until::Idle)->wait(kLong); }
};

// Where host code stands until the test lets it go on.
class Gate {
 public:
  void stand() {
    std::unique_lock lock(mutex_);
    ++standing_;
    came_.notify_all();
    opened_.wait(lock, [this] { return open_; });
  }
  void wait_for(int standing) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return standing_ >= standing; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_, opened_;
  int standing_ = 0;
  bool open_ = false;
};

// Runs the functions on threads of their own, from one start.
template <class... F>
void at_once(F... f) {
  std::barrier start(static_cast<std::ptrdiff_t>(sizeof...(F)));
  std::vector<std::thread> threads;
  (threads.emplace_back([&start, f]() mutable {
    start.arrive_and_wait();
    f();
  }),
   ...);
  for (std::thread& t : threads) t.join();
}

// A dispatcher that does nothing but keep the sink.
class IdleDispatcher : public jobs::WorkerDispatcher, public jobs::SinkBinder {
 public:
  Status enqueue(jobs::Job) override { return Ok{}; }
  Status withdraw(const JobKey&) override { return Ok{}; }
  Result<std::vector<jobs::LockedJob>> fetch_and_lock(const jobs::FetchRequest&, Duration) override {
    return std::vector<jobs::LockedJob>();
  }
  Result<Instant> extend_lock(const jobs::ReportTarget&, Duration) override { return make_error(ErrorCode::JobNotFound, ""); }
  Status unlock(const jobs::ReportTarget&) override { return Ok{}; }
  Status report(const jobs::ReportTarget&, jobs::Report) override { return Ok{}; }
  std::vector<std::optional<Error>> complete_many(std::vector<std::pair<jobs::ReportTarget, VariableBlock>>) override {
    return {};
  }
  std::uint64_t pending(const Topic&) const override { return 0; }
  void bind_sink(jobs::JobCompletionSink* s) override { sink = s; }
  jobs::JobCompletionSink* sink = nullptr;
};

}  // namespace headrace::engine::testing
