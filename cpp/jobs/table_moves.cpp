#include <algorithm>

#include "table_impl.hpp"

namespace headrace::jobs {

Error job_error(ErrorCode code, const Record& r, const std::string& expected, const std::string& found) {
  return make_error(code, "expected job '" + to_text(r.job.key, r.job.service->node) + "' " + expected + ", " + found);
}

Error unknown_job(const JobKey& key) {
  return make_error(ErrorCode::JobNotFound,
                    "expected an open job '" + to_text(key, "") + "', found none: it is finished or was never there");
}

bool camunda7(const Record& r) { return r.policy().profile == policy::Profile::Camunda7; }

std::uint32_t Table::Impl::topic_id(const std::string& name) {
  if (const auto it = topic_ids.find(name); it != topic_ids.end()) return it->second;
  topics.push_back(std::make_unique<TopicState>());
  topics.back()->name = name;
  const auto id = static_cast<std::uint32_t>(topics.size() - 1);
  topic_ids.emplace(topics.back()->name, id);
  return id;
}

TopicState* Table::Impl::topic_of(const std::string& name) const {
  const auto it = topic_ids.find(name);
  return it == topic_ids.end() ? nullptr : topics[it->second].get();
}

Record* Table::Impl::find(const JobKey& key, std::uint32_t* index) {
  const std::uint32_t i = keys.find(slab, key);
  if (i == kNil) return nullptr;
  if (index != nullptr) *index = i;
  return &slab[i];
}

void Table::Impl::set_state(Record& r, JobState s) {
  auto& gauge = topic_of(r).gauge;
  --gauge[static_cast<std::size_t>(r.state)];
  ++gauge[static_cast<std::size_t>(s)];
  r.state = s;
}

void Table::Impl::make_ready(Record& r, std::uint32_t index) {
  if (r.suspended) return;
  TopicState& t = topic_of(r);
  const std::int64_t priority = r.job.service->priority;
  auto lane = std::find_if(t.lanes.begin(), t.lanes.end(), [&](const Lane& l) { return l.priority <= priority; });
  if (lane == t.lanes.end() || lane->priority != priority) lane = t.lanes.insert(lane, Lane{priority, {}});
  lane->line.push(slab, index);
  if (t.fetchable++ == 0) arm_alarm(t, r.when);
  if (!t.fresh) {
    t.fresh = true;
    fresh.push_back(r.topic);
  }
}

void Table::Impl::leave_line(Record& r, std::uint32_t index) {
  if (!r.in_line) return;
  TopicState& t = topic_of(r);
  const auto lane =
      std::find_if(t.lanes.begin(), t.lanes.end(), [&](const Lane& l) { return l.priority == r.job.service->priority; });
  lane->line.erase(slab, index);
  if (--t.fetchable == 0) t.alarm = Instant::never();
  // a few empty lanes are kept, so that a topic that runs dry and fills again allocates nothing
  if (lane->line.empty() && t.lanes.size() > 4) t.lanes.erase(lane);
}

void Table::Impl::arm_alarm(TopicState& t, Instant now) {
  t.alarm = std::max(now, t.asked) + kStuckAfter;
  first_alarm = std::min(first_alarm, t.alarm);
}

Instant Table::Impl::timeout_of(const Record& r) const {
  const Duration timeout = r.policy().job_timeout;
  if (timeout.us <= 0 || r.timed_out || r.suspended) return Instant::never();
  return (r.history && r.history->generation > 1 ? r.history->retried : r.job.enqueued) + timeout;
}

Instant Table::Impl::due_of(const Record& r) const {
  switch (r.state) {
    case JobState::Queued:
      return timeout_of(r);
    case JobState::Locked:
      return std::min(r.when, timeout_of(r));
    case JobState::BackingOff:
      return r.pending ? r.when : std::min(r.when, timeout_of(r));
    default:
      return Instant::never();
  }
}

void Table::Impl::update_due(Record& r, std::uint32_t index) {
  const Instant t = due_of(r);
  if (r.due_at != kNil) due.erase(slab, index);
  if (t != Instant::never()) due.push(slab, index, {t, r.sequence});
}

void Table::Impl::set_holder(Record& r, std::uint32_t name) {
  if (r.holder != kNil) workers.drop(r.holder);
  r.holder = name;
  if (name != kNil) workers.use(name);
}

const std::string& Table::Impl::holder(const Record& r) const {
  static const std::string kNobody;
  return r.holder == kNil ? kNobody : workers.name(r.holder);
}

void Table::Impl::queue(Record& r, std::uint32_t index, Instant when) {
  set_state(r, JobState::Queued);
  r.when = when;
  make_ready(r, index);
  update_due(r, index);
}

void Table::Impl::back_off(Record& r, std::uint32_t index, Instant until) {
  set_state(r, JobState::BackingOff);
  r.when = until;
  update_due(r, index);
}

Job Table::Impl::remove(Record& r, std::uint32_t index, JobState final_state) {
  leave_line(r, index);
  if (r.due_at != kNil) due.erase(slab, index);
  set_holder(r, kNil);
  TopicState& t = topic_of(r);
  --t.gauge[static_cast<std::size_t>(r.state)];
  switch (final_state) {
    case JobState::Completed:
      ++t.count.completed;
      break;
    case JobState::Failed:
      ++t.count.failed;
      break;
    default:
      ++t.count.cancelled;
      break;
  }
  keys.erase(r.job.key, index);
  Job gone = std::move(r.job);
  slab.give(index);
  return gone;
}

Duration Table::Impl::cap_of(const TopicState* t) const {
  if (t == nullptr) return defaults.cap;
  if (t->options.max_lock_duration) return *t->options.max_lock_duration;
  return t->camunda7 ? Duration::max() : defaults.cap;
}

Duration Table::Impl::cap_of(const Record& r) const {
  const TopicState& t = *topics[r.topic];
  if (t.options.max_lock_duration) return *t.options.max_lock_duration;
  return camunda7(r) ? Duration::max() : defaults.cap;
}

Attempts Table::Impl::attempts_of(const Record& r) const {
  Attempts a;
  if (r.history) {
    a.failures = r.history->failures;
    a.expiries = r.history->expiries;
    a.spent = r.history->spent;
    a.allowance = r.history->allowance;
  }
  a.charged = r.charged;
  a.incident = r.state == JobState::Reporting ? r.from == JobState::Incident : r.state == JobState::Incident;
  return a;
}

void Table::Impl::count_attempts(Record& r, bool expiry, int n, std::optional<int> left, std::string error) {
  const auto add = [n](int& count) {
    count = count > std::numeric_limits<int>::max() - n ? std::numeric_limits<int>::max() : count + n;
  };
  History& h = r.past();
  add(expiry ? h.expiries : h.failures);
  add(h.spent);
  h.left = left;
  h.last_error = std::move(error);
  r.charged = true;
  topic_of(r).count.attempts += static_cast<std::uint64_t>(n);
}

Ticket Table::Impl::take_out(Record& r, std::uint32_t index, Cause cause) {
  r.from = r.state;
  leave_line(r, index);
  set_state(r, JobState::Reporting);
  update_due(r, index);
  return {index, cause, r.job.key, r.job.service.get(), r.owner, r.timed_out, attempts_of(r)};
}

Ended Table::Impl::put_back(Record& r, std::uint32_t index) {
  set_state(r, r.from);
  if (r.from == JobState::Queued) make_ready(r, index);
  update_due(r, index);
  Ended e;
  e.state = r.state;
  e.undone = true;
  return e;
}

}  // namespace headrace::jobs
