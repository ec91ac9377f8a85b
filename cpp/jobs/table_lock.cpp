#include "check_request.hpp"
#include "table_impl.hpp"

namespace headrace::jobs {

Result<Instant> Table::extend(const ReportTarget& target, Duration d, Instant now) {
  Impl& m = *impl_;
  if (const Status s = check_duration("duration", d); !s) return s.error();
  std::uint32_t index = 0;
  Record* r = m.find(target.key, &index);
  if (r == nullptr) return unknown_job(target.key);
  if (r->holder == kNil || m.holder(*r) != target.worker.str() || (target.epoch && *target.epoch != r->epoch)) {
    return job_error(
        ErrorCode::NotLockHolder, *r, "to be locked by '" + target.worker.str() + "'",
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
    return job_error(
        ErrorCode::NotLockHolder, *r, "to be locked by '" + target.worker.str() + "'",
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
  impl_->queue(*r, index, r->ready);
}

}  // namespace headrace::jobs
