#include <algorithm>

#include "table_impl.hpp"

namespace headrace::jobs {
namespace {

// Whether the end of this lock costs an attempt (design 4.6).
bool counted(const Record& r) {
  const policy::Policy& p = r.policy();
  if (!p.expiry_as_attempt || p.retry == nullptr || r.suspended) return false;
  return r.when - r.first_lock >= kCountedLock;
}

}  // namespace

void Table::Impl::expire(Record& r, std::uint32_t index, DueWork& out) {
  const bool counts = counted(r);
  ++topic_of(r).count.expiries;
  out.expired.push_back({r.job.key, counts});
  if (!counts) return queue(r, index, r.when);
  const Attempts a = attempts_of(r);
  if (a.expiries == 0 && !r.policy().retry->custom()) {
    // the usual case asks nobody: the first expiry of a stock policy, with attempts left
    Attempts after = a;
    ++after.spent;
    const std::optional<int> left = left_of(r.policy(), after);
    if (left && *left > 0) {
      count_attempts(r, true, 1, left, "lock expired");
      ++topic_of(r).count.retries;
      return queue(r, index, r.when);
    }
  }
  out.tickets.push_back(take_out(r, index, Cause::Expiry));
}

void Table::run_due(Instant now, DueWork& out) {
  Impl& m = *impl_;
  while (!m.due.empty() && m.due.top_key().time <= now) {
    const std::uint32_t index = m.due.top();
    const Instant time = m.due.top_key().time;
    Record& r = m.slab[index];
    ++m.steps;
    ++out.booked;
    if (r.pending) {
      out.tickets.push_back(m.take_out(r, index, Cause::Pending));
    } else if (m.timeout_of(r) == time) {
      out.tickets.push_back(m.take_out(r, index, Cause::Timeout));
    } else if (r.state == JobState::BackingOff) {
      m.queue(r, index, r.when);
    } else {
      m.expire(r, index, out);
    }
  }
  if (m.first_alarm <= now) m.raise_alarms(now, out);
}

void Table::Impl::raise_alarms(Instant now, DueWork& out) {
  first_alarm = Instant::never();
  for (const auto& t : topics) {
    if (t->alarm <= now) {
      ++t->count.stuck;
      ++out.booked;
      t->alarm = Instant::never();  // told once, until somebody asks for the topic again
      out.stuck.push_back(t->name);
    }
    first_alarm = std::min(first_alarm, t->alarm);
  }
}

Instant Table::next_due() const { return impl_->due.empty() ? Instant::never() : impl_->due.top_key().time; }

Instant Table::next_alarm() const { return impl_->first_alarm; }

}  // namespace headrace::jobs
