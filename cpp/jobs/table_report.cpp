#include <algorithm>

#include "table_impl.hpp"

namespace headrace::jobs {

Result<Ticket> Table::begin_report(const ReportTarget& target) {
  Impl& m = *impl_;
  std::uint32_t index = 0;
  Record* r = m.find(target.key, &index);
  if (r == nullptr) return unknown_job(target.key);
  TopicState& t = m.topic_of(*r);
  const auto refuse = [&](ErrorCode code, const std::string& expected, const std::string& found) {
    ++t.count.reports_refused;
    return job_error(code, *r, expected, found);
  };
  if (r->holder == kNil || m.holder(*r) != target.worker.str()) {
    return refuse(ErrorCode::NotLockHolder, "to be locked by '" + target.worker.str() + "'",
                  r->holder == kNil ? "nobody holds it" : "found '" + m.holder(*r) + "'");
  }
  if (target.epoch && *target.epoch != r->epoch) {
    return refuse(ErrorCode::NotLockHolder,
                  "to be locked by '" + target.worker.str() + "' in epoch " + std::to_string(*target.epoch),
                  "found epoch " + std::to_string(r->epoch));
  }
  if (r->state == JobState::Reporting) return refuse(ErrorCode::Conflict, "without a report", "another one is being applied");
  if (r->suspended) return refuse(ErrorCode::InstanceSuspended, "of an instance that runs", "it is suspended");
  return m.take_out(*r, index, Cause::Worker);
}

Ended Table::undo(const Ticket& t) {
  Impl& m = *impl_;
  Record& r = m.slab[t.handle];
  ++m.topic_of(r).count.reports_refused;
  if (!r.withdrawn) return m.put_back(r, t.handle);
  Ended e;
  e.state = JobState::Cancelled;
  e.undone = true;
  e.gone = m.remove(r, t.handle, JobState::Cancelled);
  return e;
}

namespace {

// The record's memory of a verdict's fault.
struct Fault {
  bool counts;
  std::optional<int> left;
  const std::string& error;
  int executions = 1;
};

void remember(Table::Impl& m, Record& r, Cause cause, const Fault& f) {
  if (f.counts) {
    m.count_attempts(r, cause == Cause::Expiry, f.executions, f.left, f.error);
  } else {
    r.past().last_error = f.error;
    r.past().left = f.left;
  }
}

Ended again(Table::Impl& m, Record& r, const Ticket& t, const Again& a, Instant now) {
  remember(m, r, t.cause, {a.counts, a.left, a.error, a.executions});
  if (a.allowance) {
    r.past().allowance = a.allowance;
    r.past().spent = 0;
  }
  if (t.cause == Cause::Worker && !camunda7(r)) m.set_holder(r, kNil);  // camunda7: the worker stays after a fail
  // an expiry's delay runs from the deadline, whenever it was noticed
  const Instant from = t.cause == Cause::Expiry ? r.when : now;
  ++m.topic_of(r).count.retries;
  r.pending = false;
  Ended e;
  e.due = from + a.delay;
  if (e.due <= now) {
    m.queue(r, t.handle, e.due);
  } else {
    m.back_off(r, t.handle, e.due);
  }
  e.state = r.state;
  return e;
}

Ended exhausted(Table::Impl& m, Record& r, const Ticket& t, const Exhaust& x, Instant now) {
  remember(m, r, t.cause, {x.counts, 0, x.error, x.executions});
  if (t.cause == Cause::Timeout) r.timed_out = true;
  ++m.topic_of(r).count.exhausted;
  r.pending = false;
  Ended e;
  e.state = r.withdrawn && x.state == JobState::Incident ? JobState::Cancelled : x.state;
  if (e.state != JobState::Incident) {
    e.gone = m.remove(r, t.handle, e.state);
    return e;
  }
  if (t.cause == Cause::Worker && !camunda7(r)) m.set_holder(r, kNil);
  m.set_state(r, JobState::Incident);
  r.when = x.shown_lock.us > 0 ? now + x.shown_lock : Instant{};
  m.update_due(r, t.handle);
  return e;
}

// The engine could not take an exhaustion that no worker waits for: it is told again, and not counted again.
Ended tell_again(Table::Impl& m, Record& r, const Ticket& t, const Exhaust& x, Instant now) {
  remember(m, r, t.cause, {x.counts, 0, x.error, x.executions});
  if (t.cause == Cause::Timeout) r.timed_out = true;
  r.pending = true;
  m.back_off(r, t.handle, now + kTellAgain);
  Ended e;
  e.state = r.state;
  e.undone = true;
  e.due = r.when;
  return e;
}

}  // namespace

Ended Table::end(const Ticket& t, const Verdict& v, const Status& answer, Instant now) {
  Impl& m = *impl_;
  Record& r = m.slab[t.handle];
  TopicState& topic = m.topic_of(r);
  const auto cancel = [&] {
    Ended e;
    e.state = JobState::Cancelled;
    e.undone = !answer.ok();
    e.gone = m.remove(r, t.handle, JobState::Cancelled);
    return e;
  };
  if (!answer) {
    if (t.cause == Cause::Worker) ++topic.count.reports_refused;
    if (answer.error().code == ErrorCode::JobNotFound || r.withdrawn) return cancel();
    const Exhaust* x = std::get_if<Exhaust>(&v.is);
    return t.cause == Cause::Worker || x == nullptr ? m.put_back(r, t.handle) : tell_again(m, r, t, *x, now);
  }
  if (t.cause == Cause::Worker) ++topic.count.reports;
  const bool parked = r.parked;
  r.parked = false;
  if (const Finish* f = std::get_if<Finish>(&v.is)) {
    if (parked) {
      Exhaust x;
      x.counts = !t.attempts.charged;
      x.error = "the report was taken, and its step raised an incident";
      return exhausted(m, r, t, x, now);
    }
    Ended e;
    e.state = f->state;
    e.gone = m.remove(r, t.handle, f->state);
    return e;
  }
  if (const Exhaust* x = std::get_if<Exhaust>(&v.is)) return exhausted(m, r, t, *x, now);
  if (const Again* a = std::get_if<Again>(&v.is)) {
    if (!r.withdrawn) return again(m, r, t, *a, now);
    remember(m, r, t.cause, {a->counts, a->left, a->error, a->executions});
    return cancel();
  }
  const Noted& n = *std::get_if<Noted>(&v.is);
  if (r.withdrawn) return cancel();
  r.past().last_error = n.error;
  if (!camunda7(r)) m.set_holder(r, kNil);
  Ended e = m.put_back(r, t.handle);
  e.undone = false;
  return e;
}

}  // namespace headrace::jobs
