#pragma once
// The stuck-topic alarm (ADR-021 section 6, design 4.3): jobs wait on a topic and nobody has fetched it for a while. It is an
// alarm for operators, no fault of the jobs. Pure but for the memory of what was raised; the caller serialises.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "headrace/base/time.hpp"
#include "headrace/observe/recorder.hpp"

namespace headrace::observe {

inline constexpr Duration kStuckAfter = Duration::minutes(5);

// A topic as it stands. A poller that waits on the topic now counts as a fetch now.
struct TopicLook {
  std::string topic;
  std::uint64_t queued = 0;           // jobs that could be fetched
  Instant oldest_queued;              // when the oldest of them became fetchable; read only when queued > 0
  std::optional<Instant> last_fetch;  // nullopt: never
};

// True when a job has waited for `after` in which nobody asked for the topic.
bool is_stuck(const TopicLook&, Instant now, Duration after = kStuckAfter);
// When is_stuck becomes true if nothing changes; Instant::never() while nothing waits.
Instant stuck_at(const TopicLook&, Duration after = kStuckAfter);

// Raises once per episode: a topic must have been fetched or emptied before it is raised again.
class StuckTopicAlarm {
 public:
  explicit StuckTopicAlarm(Duration after = kStuckAfter) : after_(after) {}
  // TopicStuck records (warning) of the topics that became stuck since the last look, in the order given. Topics that are not in
  // `looks` are forgotten.
  std::vector<Record> look(const std::vector<TopicLook>& looks, Instant now);

 private:
  Duration after_;
  std::set<std::string> raised_;
};

}  // namespace headrace::observe
