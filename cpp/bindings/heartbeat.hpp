#pragma once
// Heartbeats: one C++ thread extends the locks of running handlers, without the GIL, so that a handler that computes for a minute
// in Python does not lose its job (design 4.4).

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "headrace/jobs/job.hpp"
#include "host.hpp"

namespace headrace::bindings {

enum class Beat : std::uint8_t { Beating, Stopped, TimedOut, Lost };

struct BeatOptions {
  Duration lock;   // each extension ends at now + lock
  Duration every;  // between extensions
  Duration limit;  // no extension after it: the handler's own timeout
};

class Heartbeat {
 public:
  Heartbeat(HostPtr host, jobs::ReportTarget target, BeatOptions options)
      : host_(std::move(host)), target_(std::move(target)), options_(options) {}
  Beat state() const { return state_.load(); }
  std::optional<Error> error() const;  // why it is lost
  void stop();
  // One extension; false when there shall be no more. Called by the heart's thread alone.
  bool beat(std::int64_t now_us, std::int64_t begun_us);
  const BeatOptions& options() const { return options_; }

 private:
  const HostPtr host_;
  const jobs::ReportTarget target_;
  const BeatOptions options_;
  std::atomic<Beat> state_{Beat::Beating};
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};
using HeartbeatPtr = std::shared_ptr<Heartbeat>;

// Safe from any thread.
HeartbeatPtr start_heartbeat(HostPtr, jobs::ReportTarget, BeatOptions);
// Stops the thread; before Python ends. Needs no GIL, and the caller gives it up.
void stop_heart();

}  // namespace headrace::bindings
