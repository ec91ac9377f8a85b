#include <algorithm>
#include <unordered_set>

#include "table_impl.hpp"

namespace headrace::jobs {
namespace {

Error bad(const std::string& field, const std::string& expected, const std::string& found) {
  return make_error(ErrorCode::Validation, field + ": expected " + expected + ", found " + found);
}

Status check_duration(const std::string& field, Duration d) {
  if (d.us > 0 && d <= kMaxDuration) return Ok{};
  return bad(field, "a positive duration of at most 100 years", to_text(d));
}

Status check_topics(const std::vector<Topic>& topics) {
  if (topics.empty() || topics.size() > 1000) return bad("topics", "1 to 1000 topics", std::to_string(topics.size()));
  std::unordered_set<std::string_view> seen;
  for (const Topic& t : topics) {
    if (t.empty()) return bad("topics", "names that are not empty", "an empty one");
    if (topics.size() > 1 && !seen.insert(t.str()).second) return bad("topics", "each topic once", "'" + t.str() + "' twice");
  }
  return Ok{};
}

Error above_cap(const std::string& topic, Duration lock, Duration cap) {
  return make_error(ErrorCode::LockCapExceeded, "lock_duration: expected at most " + to_text(cap) + ", the max_lock_duration of topic '" + topic +
                                                    "', found " + to_text(lock));
}

}  // namespace

Status Table::check(const FetchRequest& r) {
  if (r.worker.empty() || r.worker.str().size() > 255) {
    return bad("worker", "1 to 255 bytes", r.worker.empty() ? "an empty name" : std::to_string(r.worker.str().size()) + " bytes");
  }
  if (const Status s = check_topics(r.topics); !s) return s;
  if (r.max_jobs < 1 || r.max_jobs > 10'000) return bad("max_jobs", "1 to 10000", std::to_string(r.max_jobs));
  return r.lock_duration ? check_duration("lock_duration", *r.lock_duration) : Status(Ok{});
}

std::uint32_t Table::Impl::front(TopicState& t) {
  for (const Lane& l : t.lanes) {
    ++steps;
    if (const std::uint32_t i = l.line.front(slab); i != kNil) return i;
  }
  return kNil;
}

void Table::Impl::lock(Record& r, std::uint32_t index, std::uint32_t name, const FetchRequest& request, Duration length, Instant now,
                       std::vector<LockedJob>& out) {
  TopicState& t = topic_of(r);
  leave_line(r, index);
  set_state(r, JobState::Locked);
  set_holder(r, name);
  ++r.epoch;
  r.charged = false;
  r.first_lock = now;
  r.when = now + length;
  const policy::Policy& p = r.policy();
  r.owner = p.trust == policy::Trust::WorkerTrusted && request.runs_policy && !p.custom() ? Owner::Worker : Owner::Engine;
  update_due(r, index);
  ++t.count.fetched;
  t.served = ++serve_stamp;
  LockedJob& j = out.emplace_back();
  j.job = r.job;
  j.worker = request.worker;
  j.deadline = r.when;
  j.epoch = r.epoch;
  j.owner = r.owner;
  if (r.history) {
    j.generation = r.history->generation;
    j.attempt = r.history->failures + r.history->expiries + 1;
    j.expiries = r.history->expiries;
    j.retries = r.history->left;
  }
}

Status Table::fetch(const FetchRequest& request, Instant now, std::vector<LockedJob>& out) {
  Impl& m = *impl_;
  m.asked.clear();
  m.asked_lock.clear();
  for (const Topic& name : request.topics) {
    const auto it = m.topic_ids.find(name.str());
    TopicState* t = it == m.topic_ids.end() ? nullptr : m.topics[it->second].get();
    const Duration cap = m.cap_of(t);
    Duration length = std::min(m.defaults.lock, cap);  // nobody asked for it: a short cap alone refuses no bare fetch
    if (t != nullptr && t->options.lock_duration) length = *t->options.lock_duration;
    if (request.lock_duration) length = *request.lock_duration;
    if (length > cap) {
      if (t != nullptr) ++t->count.cap_hits;
      return above_cap(name.str(), length, cap);
    }
    if (t == nullptr) continue;
    t->asked = std::max(t->asked, now);
    if (t->fetchable == 0) continue;
    m.arm_alarm(*t, now);
    m.asked.push_back(it->second);
    m.asked_lock.push_back(length);
  }
  if (m.asked.empty()) return Ok{};
  // topics in turn: the one served longest ago first
  std::vector<std::uint32_t> turn(m.asked.size());
  for (std::uint32_t i = 0; i < turn.size(); ++i) turn[i] = i;
  if (turn.size() > 1) {
    std::stable_sort(turn.begin(), turn.end(), [&](auto a, auto b) { return m.topics[m.asked[a]]->served < m.topics[m.asked[b]]->served; });
  }
  const std::uint32_t name = m.workers.find_or_add(request.worker.str());
  const std::size_t before = out.size();
  const std::size_t most = before + static_cast<std::size_t>(request.max_jobs);
  for (std::size_t at = 0; out.size() < most && !turn.empty();) {
    TopicState& t = *m.topics[m.asked[turn[at]]];
    const std::uint32_t index = m.front(t);
    if (index == kNil) {
      turn.erase(turn.begin() + static_cast<std::ptrdiff_t>(at));
      at = turn.empty() ? 0 : at % turn.size();
      continue;
    }
    Record& r = m.slab[index];
    const Duration length = m.asked_lock[turn[at]];
    if (length > m.cap_of(r)) {  // a job of another profile than the topic's last one
      if (out.size() > before) break;
      ++t.count.cap_hits;
      return above_cap(t.name, length, m.cap_of(r));
    }
    m.lock(r, index, name, request, length, now, out);
    at = (at + 1) % turn.size();
  }
  return Ok{};
}

Result<Instant> Table::extend(const ReportTarget& target, Duration d, Instant now) {
  Impl& m = *impl_;
  if (const Status s = check_duration("duration", d); !s) return s.error();
  std::uint32_t index = 0;
  Record* r = m.find(target.key, &index);
  if (r == nullptr) return unknown_job(target.key);
  if (r->holder == kNil || m.holder(*r) != target.worker.str() || (target.epoch && *target.epoch != r->epoch)) {
    return job_error(ErrorCode::NotLockHolder, *r, "to be locked by '" + target.worker.str() + "'",
                     r->holder == kNil ? "nobody holds it" : "it was locked by '" + m.holder(*r) + "' in epoch " + std::to_string(r->epoch));
  }
  const JobState at = r->state == JobState::Reporting ? r->from : r->state;
  // camunda7: the retry time of a failure is shown as its lock, and the same worker may extend it
  const bool locked = at == JobState::Locked || (at == JobState::BackingOff && camunda7(*r) && !r->pending);
  if (!locked || now >= r->when) {
    return job_error(ErrorCode::LockExpired, *r, "to be locked by '" + target.worker.str() + "'",
                     locked ? "but its lock ended at " + to_text(r->when) : "but its lock has ended");
  }
  const Duration cap = m.cap_of(*r);
  if (!cap.unbounded() && now + d > r->first_lock + cap) {
    ++m.topic_of(*r).count.cap_hits;
    return job_error(ErrorCode::LockCapExceeded, *r,
                     "to be locked at most until " + to_text(r->first_lock + cap) + " (max_lock_duration " + to_text(cap) + ")",
                     "found " + to_text(now + d));
  }
  r->when = now + d;
  m.update_due(*r, index);
  ++m.topic_of(*r).count.extensions;
  return r->when;
}

Status Table::unlock(const ReportTarget& target, Instant now) {
  Impl& m = *impl_;
  std::uint32_t index = 0;
  Record* r = m.find(target.key, &index);
  if (r == nullptr) return unknown_job(target.key);
  if (r->holder == kNil || m.holder(*r) != target.worker.str() || (target.epoch && *target.epoch != r->epoch) ||
      r->state == JobState::Reporting) {
    return job_error(ErrorCode::NotLockHolder, *r, "to be locked by '" + target.worker.str() + "'",
                     r->state == JobState::Reporting ? "its report is being applied" : "found it locked by '" + m.holder(*r) + "'");
  }
  m.set_holder(*r, kNil);
  ++m.topic_of(*r).count.unlocks;
  if (r->state == JobState::Locked || (r->state == JobState::BackingOff && camunda7(*r) && !r->pending)) m.queue(*r, index, now);
  return Ok{};
}

void Table::hand_back(const JobKey& key, std::uint64_t epoch) {
  std::uint32_t index = 0;
  Record* r = impl_->find(key, &index);
  if (r == nullptr || r->state != JobState::Locked || r->epoch != epoch) return;
  impl_->set_holder(*r, kNil);
  impl_->queue(*r, index, r->first_lock);
}

}  // namespace headrace::jobs
