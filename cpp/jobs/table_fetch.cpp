#include <algorithm>

#include "table_impl.hpp"

namespace headrace::jobs {
namespace {

Error above_cap(const std::string& topic, Duration lock, Duration cap) {
  return make_error(ErrorCode::LockCapExceeded, "lock_duration: expected at most " + to_text(cap) +
                                                    ", the max_lock_duration of topic '" + topic + "', found " + to_text(lock));
}

}  // namespace

std::uint32_t Table::Impl::front(TopicState& t) {
  for (const Lane& l : t.lanes) {
    ++steps;
    if (const std::uint32_t i = l.line.front(slab); i != kNil) return i;
  }
  return kNil;
}

void Table::Impl::lock(Record& r, std::uint32_t index, std::uint32_t name, const FetchRequest& request, Duration length,
                       Instant now, std::vector<LockedJob>& out) {
  TopicState& t = topic_of(r);
  keys.expect(r.job.key);                  // for its report
  slab.expect(r.in_heap ? kNil : r.next);  // it has waited long and is far away by now; it is likely to be fetched next
  leave_line(r, index);
  set_state(r, JobState::Locked);
  set_holder(r, name);
  ++r.epoch;
  r.charged = false;
  r.ready = r.when;
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
    ++m.steps;
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
  std::vector<std::uint32_t>& turn = m.turn;
  turn.resize(m.asked.size());
  for (std::uint32_t i = 0; i < turn.size(); ++i) turn[i] = i;
  if (turn.size() > 1) {
    std::sort(turn.begin(), turn.end(), [&m](std::uint32_t a, std::uint32_t b) {
      return std::pair(m.topics[m.asked[a]]->served, a) < std::pair(m.topics[m.asked[b]]->served, b);
    });
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

}  // namespace headrace::jobs
