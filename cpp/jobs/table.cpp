#include "headrace/jobs/table.hpp"

#include <algorithm>

#include "table_impl.hpp"

namespace headrace::jobs {

Table::Table() : impl_(std::make_unique<Impl>()) {}
Table::~Table() = default;
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(Table&&) noexcept = default;

void Table::set_defaults(LockDefaults d) { impl_->defaults = d; }

void Table::configure(const Topic& topic, const TopicOptions& options) {
  impl_->topics[impl_->topic_id(topic.str())]->options = options;
}

bool Table::accepts(const Topic& topic) const {
  const TopicState* t = impl_->topic_of(topic.str());
  return t == nullptr || !t->options.max_queued || t->gauge[static_cast<std::size_t>(JobState::Queued)] < *t->options.max_queued;
}

bool Table::enqueue(Job job) {
  Impl& m = *impl_;
  m.keys.expect(job.key);
  const std::uint32_t topic = m.topic_id(job.service->topic.str());
  if (m.find(job.key) != nullptr) return false;
  const std::uint32_t index = m.slab.take();
  Record& r = m.slab[index];
  r.topic = topic;
  r.job = std::move(job);
  r.next = kNil;
  r.sequence = ++m.sequence;
  m.keys.insert(r.job.key, index);
  TopicState& t = m.topic_of(r);
  t.camunda7 = camunda7(r);
  ++t.count.enqueued;
  ++t.gauge[static_cast<std::size_t>(JobState::Queued)];
  // what arrives now became fetchable now: a step that committed a moment earlier on another thread does not overtake
  r.when = r.job.enqueued;
  for (const Lane& l : t.lanes) {
    if (l.priority == r.job.service->priority) r.when = std::max(r.when, l.line.last_ready(m.slab));
  }
  m.make_ready(r, index);
  m.update_due(r, index);
  return true;
}

Withdrawn Table::withdraw(const JobKey& key, Job& gone) {
  std::uint32_t index = 0;
  Record* r = impl_->find(key, &index);
  if (r == nullptr) return Withdrawn::Unknown;
  if (r->state == JobState::Reporting) {
    r->withdrawn = true;
    return Withdrawn::Pending;
  }
  gone = impl_->remove(*r, index, JobState::Cancelled);
  return Withdrawn::Cancelled;
}

VariableView Table::publish(const JobKey& key, VariableView view) {
  if (Record* r = impl_->find(key)) std::swap(r->job.view, view);
  return view;
}

void Table::park(const JobKey& key) {
  Record* r = impl_->find(key);
  if (r != nullptr && r->state == JobState::Reporting) r->parked = true;
}

void Table::suspend(const JobKey& key) {
  std::uint32_t index = 0;
  Record* r = impl_->find(key, &index);
  if (r == nullptr || r->suspended) return;
  impl_->leave_line(*r, index);
  r->suspended = true;
  impl_->update_due(*r, index);
}

void Table::resume(const JobKey& key) {
  std::uint32_t index = 0;
  Record* r = impl_->find(key, &index);
  if (r == nullptr || !r->suspended) return;
  r->suspended = false;
  if (r->state == JobState::Queued) impl_->make_ready(*r, index);
  impl_->update_due(*r, index);
}

Status Table::retry(const JobKey& key, int retries, Instant now) {
  std::uint32_t index = 0;
  Record* r = impl_->find(key, &index);
  if (r == nullptr) return unknown_job(key);
  if (retries < 0) {
    return make_error(ErrorCode::Validation, "expected a count of retries of 0 or more, found " + std::to_string(retries));
  }
  const bool incident = r->state == JobState::Incident;
  if (!incident && (!camunda7(*r) || r->state == JobState::Reporting)) {
    return job_error(ErrorCode::Conflict, *r, "to stand in an incident", "found it " + std::string(name_of(r->state)));
  }
  History& h = r->past();
  h.allowance = h.left = retries > 0 ? std::optional(retries) : std::nullopt;
  h.spent = 0;
  if (!incident) return Ok{};  // camunda7: set_retries on an open job
  h.failures = h.expiries = 0;
  ++h.generation;
  h.retried = now;
  // `charged` stays: the epoch that cost an attempt may still report late, and costs no second one (design 4.6)
  r->timed_out = r->pending = false;
  // the retry time of a failure with 0 retries goes on (camunda7, design 4.17)
  if (camunda7(*r) && r->when > now) {
    impl_->back_off(*r, index, r->when);
  } else {
    impl_->queue(*r, index, now);
  }
  return Ok{};
}

Status Table::finish(const JobKey& key, JobState final_state, Job& gone) {
  std::uint32_t index = 0;
  Record* r = impl_->find(key, &index);
  if (r == nullptr) return unknown_job(key);
  if (r->state != JobState::Incident) {
    return job_error(ErrorCode::Conflict, *r, "to stand in an incident", "found it " + std::string(name_of(r->state)));
  }
  gone = impl_->remove(*r, index, final_state);
  return Ok{};
}

bool Table::has_fresh() const { return !impl_->fresh.empty(); }

void Table::take_fresh(std::vector<Topic>& out) {
  for (const std::uint32_t id : impl_->fresh) {
    impl_->topics[id]->fresh = false;
    out.emplace_back(impl_->topics[id]->name);
  }
  impl_->fresh.clear();
}

void Table::drop_fresh() {
  for (const std::uint32_t id : impl_->fresh) impl_->topics[id]->fresh = false;
  impl_->fresh.clear();
}

std::size_t Table::fetchable(const Topic& topic) const {
  const TopicState* t = impl_->topic_of(topic.str());
  return t == nullptr ? 0 : t->fetchable;
}

std::uint64_t Table::queued(const Topic& topic) const {
  constexpr auto kQueued = static_cast<std::size_t>(JobState::Queued);
  if (!topic.empty()) {
    const TopicState* t = impl_->topic_of(topic.str());
    return t == nullptr ? 0 : t->gauge[kQueued];
  }
  std::uint64_t sum = 0;
  for (const auto& t : impl_->topics) sum += t->gauge[kQueued];
  return sum;
}

}  // namespace headrace::jobs
