#include "local_core.hpp"

#include <utility>

#include "fetch_waiter.hpp"
#include "local_answers.hpp"
#include "shard.hpp"

namespace headrace::runtime {

LocalCore::LocalCore(std::shared_ptr<Clock> clock, std::shared_ptr<Random> random, std::shared_ptr<observe::Recorder> recorder,
                     LocalDispatcherOptions options)
    : clock_(std::move(clock)), random_(std::move(random)), records_(std::move(recorder)), options_(options) {
  table_.set_defaults({options.lock_duration, options.max_lock_duration});
}

LocalCore::Section::~Section() {
  std::vector<WaiterPtr> answered;
  std::shared_ptr<UniqueFunction<void()>> changed;
  if (core_.held_ == 0 && core_.table_.has_fresh()) core_.serve(answered);
  const Instant due = core_.due_time();
  core_.due_.store(due.us, std::memory_order_relaxed);
  if (due < core_.told_due_) {
    core_.told_due_ = due;
    changed = core_.due_changed_;
  }
  lock_.unlock();
  for (const WaiterPtr& w : answered) w->signal();
  if (changed) (*changed)();
}

Instant LocalCore::due_time() const {
  const Instant due = table_.next_due();
  return manual() ? due : std::min(due, table_.next_alarm());  // an alarm is nothing that a virtual clock stops at
}

// Oldest waiter first, whatever its topics, and only as many as there are jobs.
void LocalCore::serve(std::vector<WaiterPtr>& answered) {
  if (lines_.empty()) return table_.drop_fresh();
  fresh_.clear();
  table_.take_fresh(fresh_);
  while (Waiter* first = oldest_waiter()) {
    ++looks_;
    leave_lines(*first);
    const WaiterPtr w = first->weak_from_this().lock();
    if (!w) continue;  // its destructor waits for this mutex
    w->answer(fetch_now(w->request()));
    answered.push_back(w);
  }
}

// Of those for whom a fresh topic has a job; topics without jobs or waiters are left out from here on.
Waiter* LocalCore::oldest_waiter() {
  Waiter* first = nullptr;
  for (std::size_t i = 0; i < fresh_.size();) {
    const auto line = table_.fetchable(fresh_[i]) == 0 ? lines_.end() : lines_.find(fresh_[i].str());
    if (line == lines_.end()) {
      std::swap(fresh_[i], fresh_.back());
      fresh_.pop_back();
      continue;
    }
    Waiter* w = line->second.front();
    if (first == nullptr || w->arrival_ < first->arrival_) first = w;
    ++i;
  }
  return first;
}

void LocalCore::enter_lines(Waiter& w) {
  w.arrival_ = ++arrivals_;
  for (const Topic& t : w.request().topics) {
    auto& line = lines_[t.str()];
    w.places_.push_back(line.insert(line.end(), &w));
  }
  w.in_line_ = true;
}

void LocalCore::leave_lines(Waiter& w) {
  if (!w.in_line_) return;
  w.in_line_ = false;
  for (std::size_t i = 0; i < w.places_.size(); ++i) {
    const auto line = lines_.find(w.request().topics[i].str());
    line->second.erase(w.places_[i]);
    if (line->second.empty()) lines_.erase(line);
  }
}

Result<std::vector<jobs::LockedJob>> LocalCore::fetch_now(const jobs::FetchRequest& request) {
  std::vector<jobs::LockedJob> out;
  const Instant at = now();
  if (const Status s = table_.fetch(request, at, out); !s) {
    records_.cap_hit(request, s.error().message, at);
    return s.error();
  }
  for (const jobs::LockedJob& j : out) records_.fetched(j, at);
  return out;
}

// Looks and registers in one stretch: a job that comes in between would be missed.
Result<WaiterPtr> LocalCore::look(const jobs::FetchRequest& request, bool may_wait, std::vector<jobs::LockedJob>& out) {
  if (const Status s = jobs::Table::check(request); !s) return s.error();
  book_due();
  const Section section(*this);
  if (closed_) return closed_engine();
  auto found = fetch_now(request);
  if (!found) return found.error();
  out = std::move(*found);
  if (!out.empty() || !may_wait) return WaiterPtr();
  auto w = std::make_shared<Waiter>(shared_from_this(), request);
  enter_lines(*w);
  return w;
}

Result<std::vector<jobs::LockedJob>> LocalCore::fetch(const jobs::FetchRequest& request, Duration wait) {
  std::vector<jobs::LockedJob> out;
  const bool waits = wait.us > 0 && !manual();
  if (waits && Shard::inside()) return inside_a_step();
  Result<WaiterPtr> w = look(request, waits, out);
  if (!w) return w.error();
  if (!*w) return out;
  (*w)->wait(wait);
  {
    const Section section(*this);
    leave_lines(**w);
  }
  return (*w)->take();  // empty when nothing came in time
}

Result<WaiterPtr> LocalCore::start_fetch(const jobs::FetchRequest& request) {
  std::vector<jobs::LockedJob> out;
  Result<WaiterPtr> w = look(request, true, out);
  if (!w || *w) return w;
  auto answered = std::make_shared<Waiter>(shared_from_this(), request);
  answered->answer(std::move(out));
  return answered;
}

void LocalCore::leave(Waiter& w) {
  Section section(*this);
  leave_lines(w);
  for (const jobs::LockedJob& j : w.give_up()) section.table().hand_back(j.job.key, j.epoch);
}

void LocalCore::close() {
  std::vector<WaiterPtr> refused;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    while (!lines_.empty()) {
      Waiter& first = *lines_.begin()->second.front();
      leave_lines(first);
      if (WaiterPtr w = first.weak_from_this().lock()) {
        w->answer(closed_engine());
        refused.push_back(std::move(w));
      }
    }
  }
  for (const WaiterPtr& w : refused) w->signal();
}

Instant LocalCore::next_due() const {
  const std::lock_guard lock(mutex_);
  told_due_ = due_time();
  return told_due_;
}

void LocalCore::on_due_changed(UniqueFunction<void()> changed) {
  const std::lock_guard lock(mutex_);
  due_changed_ = std::make_shared<UniqueFunction<void()>>(std::move(changed));
}

}  // namespace headrace::runtime
