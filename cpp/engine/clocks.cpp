#include <atomic>
#include <chrono>
#include <mutex>
#include <random>

#include "engine/impl.hpp"

namespace headrace::engine {

namespace {

class SystemClock final : public Clock {
 public:
  Instant now() const override {
    using std::chrono::duration_cast;
    using std::chrono::microseconds;
    return {duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count()};
  }
};

class SystemRandom final : public Random {
 public:
  double next() override {
    thread_local std::mt19937_64 generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
  }
};

class CountingIds final : public IdSource {
 public:
  std::uint64_t next() override { return next_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> next_{1};
};

class NoRecorder final : public observe::Recorder {
 public:
  void record(observe::Record) override {}
};

}  // namespace

std::shared_ptr<Clock> system_clock() { return std::make_shared<SystemClock>(); }
std::shared_ptr<Random> system_random() { return std::make_shared<SystemRandom>(); }
std::shared_ptr<IdSource> counting_ids() { return std::make_shared<CountingIds>(); }
std::shared_ptr<observe::Recorder> no_recorder() { return std::make_shared<NoRecorder>(); }

struct ManualClock::State {
  mutable std::mutex mutex;
  Instant now;
};

ManualClock::ManualClock(Instant start) : state_(std::make_unique<State>()) { state_->now = start; }
ManualClock::~ManualClock() = default;

Instant ManualClock::now() const {
  const std::lock_guard lock(state_->mutex);
  return state_->now;
}

void ManualClock::set(Instant t) {
  const std::lock_guard lock(state_->mutex);
  if (t > state_->now) state_->now = t;
}

}  // namespace headrace::engine
