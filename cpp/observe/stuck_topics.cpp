#include "headrace/observe/stuck_topics.hpp"

#include <algorithm>
#include <utility>

namespace headrace::observe {

Instant stuck_at(const TopicLook& look, Duration after) {
  if (look.queued == 0) return Instant::never();
  return std::max(look.oldest_queued, look.last_fetch.value_or(look.oldest_queued)) + after;
}

bool is_stuck(const TopicLook& look, Instant now, Duration after) { return look.queued > 0 && stuck_at(look, after) <= now; }

std::vector<Record> StuckTopicAlarm::look(const std::vector<TopicLook>& looks, Instant now) {
  std::vector<Record> records;
  std::set<std::string> stuck;
  for (const TopicLook& look : looks) {
    if (!is_stuck(look, now, after_)) continue;
    stuck.insert(look.topic);
    if (raised_.count(look.topic) != 0) continue;
    Record record;
    record.level = Level::Warning;
    record.what = What::TopicStuck;
    record.at = now;
    record.topic = look.topic;
    record.duration = now - look.oldest_queued;
    record.text = std::to_string(look.queued) + " jobs wait and no worker fetches this topic";
    records.push_back(std::move(record));
  }
  raised_ = std::move(stuck);
  return records;
}

}  // namespace headrace::observe
