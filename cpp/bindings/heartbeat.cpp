#include "heartbeat.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <thread>

#include "waits.hpp"

namespace headrace::bindings {

namespace {

struct Pulse {
  HeartbeatPtr heartbeat;
  std::int64_t begun_us;
};

// The thread and what is due when.
class Heart {
 public:
  Heart() : generation_(Host::current_generation()), thread_([this] { run(); }) {}
  ~Heart() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void add(HeartbeatPtr h) {
    const std::int64_t now = steady_us();
    const std::int64_t due = saturating_add(now, h->options().every.us);
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      const auto place = due_.emplace(due, Pulse{std::move(h), now});
      first = place == due_.begin();
    }
    if (first) changed_.notify_one();
  }
  bool of_this_process() const { return generation_ == Host::current_generation(); }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (due_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const std::int64_t now = steady_us();
      const auto next = due_.begin();
      if (next->first > now) {
        changed_.wait_for(lock, std::chrono::microseconds(next->first - now));
        continue;
      }
      Pulse pulse = std::move(next->second);
      due_.erase(next);
      lock.unlock();
      const bool more = pulse.heartbeat->beat(now, pulse.begun_us);
      const std::int64_t again = saturating_add(now, pulse.heartbeat->options().every.us);
      if (!more) pulse.heartbeat.reset();
      lock.lock();
      if (more) due_.emplace(again, std::move(pulse));
    }
  }
  const unsigned generation_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::int64_t, Pulse> due_;
  bool stopped_ = false;
  std::thread thread_;
};

std::mutex heart_mutex;
Heart* heart = nullptr;

}  // namespace

std::optional<Error> Heartbeat::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void Heartbeat::stop() {
  Beat beating = Beat::Beating;
  state_.compare_exchange_strong(beating, Beat::Stopped);
}

bool Heartbeat::beat(std::int64_t now_us, std::int64_t begun_us) {
  if (state_.load() != Beat::Beating) return false;
  if (now_us - begun_us >= options_.limit.us) {
    state_.store(Beat::TimedOut);
    return false;
  }
  const auto extended = host_->dispatcher().extend_lock(target_, options_.lock);
  if (extended) return true;
  Beat beating = Beat::Beating;
  const std::lock_guard lock(mutex_);
  if (state_.compare_exchange_strong(beating, Beat::Lost)) error_ = extended.error();
  return false;
}

HeartbeatPtr start_heartbeat(HostPtr host, jobs::ReportTarget target, BeatOptions options) {
  auto heartbeat = std::make_shared<Heartbeat>(std::move(host), std::move(target), options);
  const std::lock_guard lock(heart_mutex);
  // In a forked child the old thread is not there, and its lock may be held for ever.
  if (heart == nullptr || !heart->of_this_process()) heart = new Heart();
  heart->add(heartbeat);
  return heartbeat;
}

void stop_heart() {
  Heart* stopped = nullptr;
  {
    const std::lock_guard lock(heart_mutex);
    stopped = std::exchange(heart, nullptr);
  }
  if (stopped != nullptr && stopped->of_this_process()) delete stopped;
}

}  // namespace headrace::bindings
