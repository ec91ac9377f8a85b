#include <algorithm>

#include "table_impl.hpp"

namespace headrace::jobs {

JobInfo Table::Impl::info_of(const Record& r) const {
  JobInfo info;
  info.key = r.job.key;
  info.service = r.job.service;
  info.state = r.state;
  info.worker = WorkerId(holder(r));
  const JobState at = r.state == JobState::Reporting ? r.from : r.state;
  if (at != JobState::Queued) info.deadline = r.when;
  info.first_lock = r.first_lock;
  info.epoch = r.epoch;
  info.suspended = r.suspended;
  info.owner = r.owner;
  info.enqueued = r.job.enqueued;
  if (r.history) {
    info.generation = r.history->generation;
    info.failures = r.history->failures;
    info.expiries = r.history->expiries;
    info.retries = r.history->left;
    info.last_error = r.history->last_error;
  }
  return info;
}

std::optional<JobInfo> Table::find(const JobKey& key) const {
  const Record* r = impl_->find(key);
  return r == nullptr ? std::nullopt : std::optional(impl_->info_of(*r));
}

JobInfo Table::info(const Ticket& t) const { return impl_->info_of(impl_->slab[t.handle]); }

std::vector<JobInfo> Table::list() const {
  std::vector<JobInfo> all;
  all.reserve(impl_->keys.size());
  impl_->keys.each([&](std::uint32_t i) { all.push_back(impl_->info_of(impl_->slab[i])); });
  std::sort(all.begin(), all.end(), [](const JobInfo& a, const JobInfo& b) { return a.key < b.key; });
  return all;
}

QueueMetrics Table::metrics() const {
  QueueMetrics all;
  for (const auto& t : impl_->topics) {
    TopicMetrics m = t->count;
    m.topic = t->name;
    const auto gauge = [&](JobState s) { return t->gauge[static_cast<std::size_t>(s)]; };
    m.queued = gauge(JobState::Queued);
    m.locked = gauge(JobState::Locked);
    m.reporting = gauge(JobState::Reporting);
    m.backing_off = gauge(JobState::BackingOff);
    m.incidents = gauge(JobState::Incident);
    all.topics.push_back(std::move(m));
  }
  return all;
}

std::uint64_t Table::steps() const {
  std::uint64_t n = impl_->steps + impl_->due.steps();
  for (const auto& t : impl_->topics) {
    for (const Lane& l : t->lanes) n += l.line.steps();
  }
  return n;
}

std::size_t Table::bytes() const { return impl_->slab.bytes() + impl_->keys.bytes(); }

}  // namespace headrace::jobs
