#pragma once
// The state of the table and the moves that its transitions share.

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "headrace/jobs/table.hpp"
#include "indexed_heap.hpp"
#include "key_map.hpp"
#include "line.hpp"
#include "record.hpp"
#include "worker_names.hpp"

namespace headrace::jobs {

struct Lane {
  std::int64_t priority = 0;
  Line line;
};

struct TopicState {
  std::string name;
  TopicOptions options;
  bool camunda7 = false;  // the profile of its last job: whether a cap holds where none is named (design 4.17)
  bool fresh = false;
  std::vector<Lane> lanes;  // highest priority first
  std::size_t fetchable = 0;
  std::uint64_t served = 0;  // stamp of the last fetch, for topics in turn
  std::array<std::uint64_t, kJobStates> gauge{};
  TopicMetrics count;
  Instant asked;                     // last fetch that named it
  Instant alarm = Instant::never();  // when it counts as stuck
};

struct Table::Impl {
  Slab slab;
  KeyMap keys;
  WorkerNames workers;
  IndexedHeap<&Record::due_at> due;
  std::vector<std::unique_ptr<TopicState>> topics;
  std::unordered_map<std::string_view, std::uint32_t> topic_ids;
  std::vector<std::uint32_t> fresh;
  LockDefaults defaults;
  Instant first_alarm = Instant::never();  // a lower bound, made exact when it is reached
  std::uint64_t sequence = 0;
  std::uint64_t serve_stamp = 0;
  std::uint64_t steps = 0;
  std::vector<std::uint32_t> asked;  // of the running fetch: topics with jobs, and the lock of each
  std::vector<Duration> asked_lock;
  std::vector<std::uint32_t> turn;

  std::uint32_t topic_id(const std::string& name);
  TopicState* topic_of(const std::string& name) const;
  TopicState& topic_of(const Record& r) { return *topics[r.topic]; }

  Record* find(const JobKey& key, std::uint32_t* index = nullptr);
  std::uint32_t index_of(const Record& r) const { return keys.find(slab, r.job.key); }

  // State, with the gauges in step.
  void set_state(Record& r, JobState s);
  // Into its topic's order, to be fetched; a suspended one stays out of it.
  void make_ready(Record& r, std::uint32_t index);
  void leave_line(Record& r, std::uint32_t index);
  // Keeps the heap of due times in step with the record.
  void update_due(Record& r, std::uint32_t index);
  Instant due_of(const Record& r) const;
  Instant timeout_of(const Record& r) const;
  void set_holder(Record& r, std::uint32_t name);
  const std::string& holder(const Record& r) const;
  // Queued and fetchable since `when`.
  void queue(Record& r, std::uint32_t index, Instant when);
  void back_off(Record& r, std::uint32_t index, Instant until);
  // Takes it out of line and heap; it becomes final and leaves the table.
  Job remove(Record& r, std::uint32_t index, JobState final_state);

  Duration cap_of(const TopicState* t) const;
  Duration cap_of(const Record& r) const;
  Attempts attempts_of(const Record& r) const;
  void count_attempts(Record& r, bool expiry, int n, std::optional<int> left, std::string error);
  Ticket take_out(Record& r, std::uint32_t index, Cause cause);
  Ended put_back(Record& r, std::uint32_t index);
  JobInfo info_of(const Record& r) const;

  std::uint32_t front(TopicState& t);
  void lock(Record& r, std::uint32_t index, std::uint32_t name, const FetchRequest& request, Duration length, Instant now,
            std::vector<LockedJob>& out);
  // The end of a lock: queued again, or a ticket where a policy is to be asked.
  void expire(Record& r, std::uint32_t index, DueWork& out);
  void arm_alarm(TopicState& t, Instant now);
  void raise_alarms(Instant now, DueWork& out);
};

// "expected job '7:7:1:3:pay' to be locked by 'w1', but …"
Error job_error(ErrorCode code, const Record& r, const std::string& expected, const std::string& found);
Error unknown_job(const JobKey& key);
bool camunda7(const Record& r);

}  // namespace headrace::jobs
