#include "headrace/runtime/local_dispatcher.hpp"

#include "fetch_waiter.hpp"
#include "local_core.hpp"
#include "local_pool.hpp"

namespace headrace::runtime {

using Section = LocalCore::Section;

class LocalDispatcher::Impl {
 public:
  Impl(LocalDispatcher& self, std::shared_ptr<LocalCore> c) : core(std::move(c)), pool(self, core) {}
  std::shared_ptr<LocalCore> core;
  LocalPool pool;
};

LocalDispatcher::LocalDispatcher(std::shared_ptr<Clock> clock, std::shared_ptr<Random> random,
                                 std::shared_ptr<observe::Recorder> recorder, LocalDispatcherOptions options)
    : impl_(std::make_unique<Impl>(
          *this, std::make_shared<LocalCore>(std::move(clock), std::move(random), std::move(recorder), options))) {}

LocalDispatcher::~LocalDispatcher() {
  stop_workers();
  close();
}

Status LocalDispatcher::enqueue(jobs::Job job) {
  LocalCore& core = *impl_->core;
  const bool tell = core.records().enabled(observe::Level::Debug);
  std::optional<jobs::Job> copy = tell ? std::optional(job) : std::nullopt;
  bool fresh = false;
  {
    Section section(core);
    fresh = section.table().enqueue(std::move(job));
  }
  if (tell && fresh) core.records().enqueued(*copy, copy->enqueued);
  return Ok{};
}

Status LocalDispatcher::withdraw(const JobKey& key) {
  jobs::Job gone;  // destroyed without the mutex: it may hold the last reference to a definition
  jobs::Withdrawn result{};
  {
    Section section(*impl_->core);
    result = section.table().withdraw(key, gone);
  }
  if (result == jobs::Withdrawn::Cancelled && impl_->core->records().enabled(observe::Level::Info)) {
    impl_->core->records().cancelled(gone, impl_->core->now());
  }
  return Ok{};
}

Result<std::vector<jobs::LockedJob>> LocalDispatcher::fetch_and_lock(const jobs::FetchRequest& request, Duration wait) {
  return impl_->core->fetch(request, wait);
}

Result<std::shared_ptr<FetchWaiter>> LocalDispatcher::start_fetch(const jobs::FetchRequest& request) {
  Result<WaiterPtr> w = impl_->core->start_fetch(request);
  if (!w) return w.error();
  return std::shared_ptr<FetchWaiter>(std::move(*w));
}

Result<Instant> LocalDispatcher::extend_lock(const jobs::ReportTarget& target, Duration d) {
  return impl_->core->extend(target, d);
}
Status LocalDispatcher::unlock(const jobs::ReportTarget& target) { return impl_->core->unlock(target); }

Status LocalDispatcher::report(const jobs::ReportTarget& target, jobs::Report report) {
  return impl_->core->report(target, std::move(report));
}

std::vector<std::optional<Error>> LocalDispatcher::complete_many(
    std::vector<std::pair<jobs::ReportTarget, VariableBlock>> items) {
  return impl_->core->complete_many(std::move(items));
}

std::uint64_t LocalDispatcher::pending(const Topic& topic) const {
  Section section(*impl_->core);
  return section.table().queued(topic);
}

void LocalDispatcher::bind_sink(jobs::JobCompletionSink* sink) { impl_->core->bind_sink(sink); }

void LocalDispatcher::configure_topic(const Topic& topic, const jobs::TopicOptions& options) {
  Section(*impl_->core).table().configure(topic, options);
  if (options.max_queued) impl_->core->limited.store(true, std::memory_order_relaxed);
}

void LocalDispatcher::set_lock_defaults(Duration lock, Duration cap) { Section(*impl_->core).table().set_defaults({lock, cap}); }

bool LocalDispatcher::accepts(const Topic& topic) const {
  return !impl_->core->limited.load(std::memory_order_relaxed) || Section(*impl_->core).table().accepts(topic);
}

void LocalDispatcher::publish(const JobKey& key, VariableView view) {
  VariableView old;
  Section section(*impl_->core);
  old = section.table().publish(key, std::move(view));
}

void LocalDispatcher::park(const JobKey& key) { Section(*impl_->core).table().park(key); }
void LocalDispatcher::suspend(const JobKey& key) { Section(*impl_->core).table().suspend(key); }
void LocalDispatcher::resume(const JobKey& key) { Section(*impl_->core).table().resume(key); }

Status LocalDispatcher::retry(const JobKey& key, int retries) {
  return Section(*impl_->core).table().retry(key, retries, impl_->core->now());
}

Status LocalDispatcher::finish(const JobKey& key, jobs::JobState final_state) {
  jobs::Job gone;
  return Section(*impl_->core).table().finish(key, final_state, gone);
}

std::size_t LocalDispatcher::run_due(Instant now) { return impl_->core->run_due(now); }
Instant LocalDispatcher::next_due() const { return impl_->core->next_due(); }
void LocalDispatcher::on_due_changed(UniqueFunction<void()> changed) { impl_->core->on_due_changed(std::move(changed)); }

void LocalDispatcher::register_handler(const Topic& topic, Handler handler, int parallelism, const WorkerId& worker) {
  impl_->pool.add(topic, std::move(handler), parallelism, worker);
}
std::size_t LocalDispatcher::run_handlers_once() { return impl_->pool.run_once(); }
void LocalDispatcher::start_workers() { impl_->pool.start(); }
void LocalDispatcher::stop_workers() { impl_->pool.stop(); }

std::optional<jobs::JobInfo> LocalDispatcher::find(const JobKey& key) const { return Section(*impl_->core).table().find(key); }
std::vector<jobs::JobInfo> LocalDispatcher::list() const { return Section(*impl_->core).table().list(); }
jobs::QueueMetrics LocalDispatcher::metrics() const { return Section(*impl_->core).table().metrics(); }
std::uint64_t LocalDispatcher::steps() const {
  Section section(*impl_->core);
  return section.table().steps() + impl_->core->waiters_looked_at();
}
void LocalDispatcher::close() { impl_->core->close(); }

}  // namespace headrace::runtime
