// Time: firing what is due, by a timer thread or by hand.

#include <algorithm>
#include <chrono>

#include "engine/impl.hpp"

namespace headrace::engine {

namespace {
constexpr Instant kLastInstant{2'932'897LL * 86'400'000'000 - 1};  // 9999-12-31T23:59:59.999999Z: later ones have no text
}

void Engine::Impl::fire(const runtime::AgendaKey& key) {
  if (key.root != 0) {
    counters_.timers_fired.fetch_add(1, std::memory_order_relaxed);
    const auto id = static_cast<std::uint32_t>(key.id);
    call_later(key.root, core::TimerFired{id}, [this, key, id](Status fired) {
      if (fired.ok()) return;
      const ErrorCode code = fired.error().code;
      // gone, or waiting for a resume that arms it again
      if (code == ErrorCode::NotFound || code == ErrorCode::InstanceSuspended || code == ErrorCode::Conflict ||
          code == ErrorCode::InstanceNotFound)
        return;
      if (code == ErrorCode::Store || code == ErrorCode::StoreBusy)
        return agenda_.put(key, options_.clock->now() + jobs::kTellAgain);
      insist(key.root, core::TimerFailed{id, fired.error().message});
    });
    return;
  }
  RunPtr run;
  std::optional<JobKey> refused;
  std::optional<std::pair<std::uint64_t, core::Action>> again;
  {
    const std::lock_guard lock(runs_mutex_);
    if (const auto it = limits_.find(key.id); it != limits_.end()) run = it->second;
    if (const auto it = pauses_.find(key.id); it != pauses_.end()) {
      refused = it->second;
      pauses_.erase(it);
    }
    if (const auto it = again_.find(key.id); it != again_.end()) {
      again = std::move(it->second);
      again_.erase(it);
    }
  }
  if (run) time_out(run);
  if (refused) pause_is_over(key.id, *refused);
  if (again) insist(again->first, std::move(again->second));
}

std::size_t Engine::Impl::fire_due(Instant now) {
  const std::vector<runtime::AgendaKey> due = agenda_.take_due(now);
  for (const runtime::AgendaKey& key : due) fire(key);
  std::size_t done = due.size();
  if (local_) done += local_->run_due(now);
  return done;
}

Instant Engine::Impl::next_due() const {
  const Instant mine = agenda_.next();
  return local_ ? std::min(mine, local_->next_due()) : mine;
}

Result<std::size_t> Engine::Impl::run_until_idle() {
  if (closed_) return make_error(ErrorCode::Closed, "the engine is closed");
  if (Shard::inside() || driving_.exchange(true)) {
    return make_error(ErrorCode::WouldDeadlock,
                      "expected run_until_idle() from outside, but the engine is being driven by this or another call");
  }
  std::size_t done = 0;
  for (;;) {
    std::size_t round = fire_due(options_.clock->now());
    while (options_.store->pump()) ++round;
    if (pool_.hand_driven()) {
      while (pool_.run_one()) ++round;
      if (local_) round += local_->run_handlers_once();
    }
    if (round == 0) break;
    done += round;
  }
  driving_ = false;
  return done;
}

Result<Ok> Engine::Impl::advance(Duration by) {
  auto* clock = dynamic_cast<ManualClock*>(options_.clock.get());
  if (clock == nullptr) return make_error(ErrorCode::Validation, "advance() needs an engine with a ManualClock");
  if (closed_) return make_error(ErrorCode::Closed, "the engine is closed");
  if (by.us < 0) return make_error(ErrorCode::Validation, "expected a duration that is not negative, found " + to_text(by));
  const Instant target = clock->now() + by;
  if (target > kLastInstant) {
    return make_error(ErrorCode::Validation, "expected a duration that ends before the year 10000, found " + to_text(by) +
                                                 " from " + to_text(clock->now()));
  }
  for (;;) {
    const Result<std::size_t> ran = run_until_idle();
    if (!ran.ok()) return ran.error();
    const Instant next = next_due();
    if (next > target || next <= clock->now()) break;
    clock->set(next);
  }
  clock->set(target);
  const Result<std::size_t> ran = run_until_idle();
  if (!ran.ok()) return ran.error();
  return Ok{};
}

void Engine::Impl::wake_timer() {
  {
    const std::lock_guard lock(timer_mutex_);
    timer_changed_ = true;
  }
  timer_wake_.notify_one();
}

void Engine::Impl::timer_loop() {
  std::unique_lock lock(timer_mutex_);
  while (!closed_) {
    timer_changed_ = false;
    lock.unlock();
    const Instant now = options_.clock->now();
    fire_due(now);
    const Instant next = next_due();
    lock.lock();
    if (closed_ || timer_changed_) continue;
    // at most a minute: a wall clock that was set must not make us sleep through it
    const std::int64_t wait = std::clamp<std::int64_t>((next - options_.clock->now()).us, 0, 60'000'000);
    timer_wake_.wait_for(lock, std::chrono::microseconds(wait), [this] { return timer_changed_ || closed_.load(); });
  }
}

}  // namespace headrace::engine
