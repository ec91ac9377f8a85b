#pragma once
// Structured records of what happens (ADR-021 section 6). The engine makes a Record only when its level is enabled: a filtered
// one costs a level test. Sinks: spdlog, a bounded queue for Python's logging, tests. Levels: debug enqueue/fetch/report, info
// terminal, warning expiry/cap/bypass, error incident.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/base/id.hpp"
#include "headrace/base/time.hpp"

namespace headrace::observe {

enum class Level : std::uint8_t { Debug, Info, Warning, Error, Off };

enum class What : std::uint8_t {
  InstanceStarted,
  InstanceEnded,
  InstanceSuspended,
  InstanceResumed,
  NodeEntered,
  NodeCompleted,
  NodeCancelled,
  JobEnqueued,
  JobFetched,
  JobReported,
  JobReportRefused,
  LockExtended,
  LockCapHit,
  LockExpired,
  JobUnlocked,
  JobRetried,
  JobBackedOff,
  JobClassified,
  JobCompleted,
  JobFailed,
  JobCancelled,
  JobExhausted,
  IncidentRaised,
  IncidentResolved,
  OperationTimedOut,
  OperationLate,
  ExecutorBypassed,
  TopicStuck,
  ClauseFailed,
  TimerFired,
  Deployed,
  VariableWritten,
  EngineNote,
};
// "instance-started", "job-enqueued", …: the stable names of records.
std::string_view name_of(What);

struct Record {
  Level level = Level::Debug;
  What what = What::EngineNote;
  Instant at;
  std::uint64_t root = 0;  // 0: not about an instance
  std::string job;         // JobId text
  std::string process, node, topic, worker;
  int attempt = 0;
  Duration duration;  // lock length, delay, …
  std::string text;   // for people; never variable values
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  bool enabled(Level l) const { return l >= level_.load(std::memory_order_relaxed); }
  void set_level(Level l) { level_.store(l, std::memory_order_relaxed); }
  Level level() const { return level_.load(std::memory_order_relaxed); }
  // Any thread; must not block and must not call the engine.
  virtual void record(Record) = 0;

 private:
  std::atomic<Level> level_{Level::Off};
};

}  // namespace headrace::observe
