// What the shards ask of the engine: effects after a commit, counters, and the way of a worker's report into the loop.

#include "engine/impl.hpp"

namespace headrace::engine {

void Engine::Impl::perform(Cell& cell, core::Effect& effect) {
  const core::Instance& inst = cell.inst;
  if (auto* enqueue = std::get_if<core::EnqueueJob>(&effect)) {
    jobs::Job job;
    job.key = enqueue->key;
    job.service = deployment_of(inst.definition.get()).services[enqueue->node];
    job.view = std::move(enqueue->view);
    job.enqueued = enqueue->at;
    job.business_key = inst.business_key;
    job.traceparent = inst.traceparent;
    deliver(std::move(job));
  } else if (auto* withdrawn = std::get_if<core::WithdrawJob>(&effect)) {
    withdraw(withdrawn->key);
  } else if (auto* publish = std::get_if<core::PublishVariables>(&effect)) {
    if (local_) local_->publish(publish->key, std::move(publish->view));
  } else if (auto* suspend = std::get_if<core::SuspendJob>(&effect)) {
    if (local_) local_->suspend(suspend->key);
  } else if (auto* resume = std::get_if<core::ResumeJob>(&effect)) {
    if (local_) local_->resume(resume->key);
  } else if (auto* retry = std::get_if<core::RetryJob>(&effect)) {
    if (local_) {
      (void)local_->retry(retry->key, retry->retries);
    } else {
      deliver_again(cell, retry->key);
    }
  } else if (auto* finish = std::get_if<core::FinishJob>(&effect)) {
    if (local_) {
      (void)local_->finish(finish->key, finish->completed ? jobs::JobState::Completed : jobs::JobState::Failed);
    } else {
      withdraw(finish->key);
    }
  } else if (auto* arm = std::get_if<core::ArmTimer>(&effect)) {
    if (!inst.suspended) agenda_.put({inst.root, arm->id}, arm->due);
  } else if (auto* disarm = std::get_if<core::DisarmTimer>(&effect)) {
    agenda_.remove({inst.root, disarm->id});
  } else if (auto* call = std::get_if<core::InvokeOperation>(&effect)) {
    invoke(cell, *call);
  } else if (auto* cancel = std::get_if<core::CancelOperation>(&effect)) {
    cancel_operation(*cancel, inst.root);
  } else if (auto* question = std::get_if<core::Ask>(&effect)) {
    ask(cell, *question);
  } else if (auto* raised = std::get_if<core::NoticeIncident>(&effect)) {
    counters_of(inst.root).incidents_raised.add();
    if (const core::Incident* incident = inst.incident(raised->number)) {
      if (local_ && incident->kind == core::IncidentKind::FailedExternalTask) local_->park(incident->job);
      const std::lock_guard lock(incidents_mutex_);
      incidents_.emplace(inst.root, raised->number);
    }
  } else if (auto* closed = std::get_if<core::NoticeIncidentClosed>(&effect)) {
    const std::lock_guard lock(incidents_mutex_);
    incidents_.erase({inst.root, closed->number});
  } else if (std::holds_alternative<core::FinishInstance>(effect)) {
    ShardCounters& c = counters_of(inst.root);
    Tally& ended = inst.state == core::InstanceState::Completed ? c.completed
                   : inst.state == core::InstanceState::Failed  ? c.failed
                                                                : c.cancelled;
    ended.add();
    if (inst.cold) {  // only then can there have been incidents or timers
      const std::lock_guard lock(incidents_mutex_);
      incidents_.erase(incidents_.lower_bound({inst.root, 0}), incidents_.upper_bound({inst.root, 0xFFFFFFFFU}));
    }
  }
}

void Engine::Impl::committed(Cell& cell, std::span<const core::Event> events, std::uint64_t steps, Instant at) {
  ShardCounters& c = counters_of(cell.root);
  c.commits.add();
  c.steps.add(steps);
  if (std::holds_alternative<core::InstanceStarted>(events[0])) c.started.add();
  if (options_.recorder->enabled(observe::Level::Error)) record_events(cell, events, at);
}

void Engine::Impl::undone(Cell& cell, std::uint64_t steps, bool conflict) {
  ShardCounters& c = counters_of(cell.root);
  c.steps_undone.add(steps);
  if (conflict) c.conflicts.add();
}

bool Engine::Impl::hand_over(Shard& shard) {
  if (pool_.hand_driven() || closed_) return false;
  return pool_.offer([&shard] { shard.pick_up(); });
}

void Engine::Impl::report_job_completion(jobs::WorkerOutcome outcome, UniqueFunction<void(Status)> done) {
  const std::uint64_t root = outcome.key.root;
  call_later(root, core::ReportOutcome{outcome.key, std::move(outcome.outcome)}, std::move(done));
}

}  // namespace headrace::engine
