#include "fetch_waiter.hpp"

#include <algorithm>
#include <chrono>

#include "patience.hpp"

namespace headrace::runtime {
namespace {

// A year is as good as for ever, and adds to a clock reading without overflow.
std::chrono::microseconds real(Duration d) {
  return std::chrono::microseconds(std::clamp<std::int64_t>(d.us, 0, Duration::hours(24LL * 366).us));
}

}  // namespace

bool Waiter::wait(Duration slice) {
  if (slice.us > 0 && soon([this] { return answered_.load(std::memory_order_acquire); })) return true;
  const auto end = std::chrono::steady_clock::now() + real(slice);
  for (;;) {
    auto until = end;
    // what comes due is booked by its waiters too: no other thread need be awake for it
    const Instant due = core_->manual() ? Instant::never() : core_->next_due();
    if (due != Instant::never()) until = std::min(end, std::chrono::steady_clock::now() + real(due - core_->now()));
    {
      std::unique_lock lock(mutex_);
      if (changed_.wait_until(lock, until, [this] { return answered_.load(); })) return true;
    }
    if (!core_->manual()) core_->book_due();
    if (std::chrono::steady_clock::now() >= end) return ready();
  }
}

bool Waiter::ready() const { return answered_.load(std::memory_order_acquire); }

Result<std::vector<jobs::LockedJob>> Waiter::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::vector<jobs::LockedJob>());
}

void Waiter::cancel() { core_->leave(*this); }

void Waiter::on_ready(UniqueFunction<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!answered_) {
      callback_ = std::move(callback);
      return;
    }
  }
  callback();
}

void Waiter::answer(Result<std::vector<jobs::LockedJob>> answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
  answered_ = true;
}

void Waiter::signal() {
  UniqueFunction<void()> callback;
  {
    const std::lock_guard lock(mutex_);
    callback = std::move(callback_);
    callback_ = {};
    changed_.notify_all();
  }
  if (callback) callback();
}

std::vector<jobs::LockedJob> Waiter::give_up() {
  const std::lock_guard lock(mutex_);
  auto left = std::exchange(answer_, std::vector<jobs::LockedJob>());
  answered_ = true;
  return left ? std::move(*left) : std::vector<jobs::LockedJob>();
}

}  // namespace headrace::runtime
