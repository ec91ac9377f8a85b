// The way of jobs to the queue (design 1.5). Ours takes them at once, after the commit that made them. A foreign dispatcher is
// called on the pool, about one job in the order of its commits, and asked again after a pause when it refuses; when it keeps
// refusing, that is a technical fault of the task.

#include <exception>

#include "engine/impl.hpp"

namespace headrace::engine {

namespace {

constexpr int kDeliveryTries = 4;
Duration pause_after(int tries) { return Duration::millis(25LL << (2 * tries)); }  // 100 ms, 400 ms, 1.6 s

// The in message as the enqueue bound it, or all that is visible.
VariableView input_of(const core::Instance& inst, const core::Token& t) {
  VariableView visible = inst.view(t.scope);
  const model::OperationPtr& operation = inst.definition->node(t.node).service().operation;
  if (!operation) return visible;
  VariableBlock bound;
  if (operation->in_message) {
    for (const policy::Field& field : operation->in_message->fields) {
      const Variable* v = visible.find(field.name);
      if (v != nullptr) bound.set(Variable::of(field.name, policy::widened(field, *v).view(), v->written_by()));
    }
  }
  return VariableView(std::move(bound));
}

Status tell(jobs::WorkerDispatcher& dispatcher, const JobKey& key, const std::optional<jobs::Job>& job) {
  try {
    return job ? dispatcher.enqueue(*job) : dispatcher.withdraw(key);
  } catch (const std::exception& e) {
    return make_error(ErrorCode::Technical, std::string("it threw: ") + e.what());
  }
}

}  // namespace

void Engine::Impl::deliver(jobs::Job job) {
  const JobKey key = job.key;
  if (local_) {
    const Status queued = local_->enqueue(std::move(job));
    if (!queued.ok()) insist(key.root, core::EnqueueRefused{key, queued.error().message});
    return;
  }
  bool first = false;
  {
    const std::lock_guard lock(runs_mutex_);
    const auto [place, fresh] = outbox_.try_emplace(key);
    first = fresh;
    place->second.todo.emplace_back(std::move(job));
  }
  if (first) pool_.post([this, key] { hand_in(key); });
}

void Engine::Impl::withdraw(const JobKey& key) {
  if (local_) {
    (void)local_->withdraw(key);
    return;
  }
  bool now = false;
  std::uint64_t pause = 0;
  {
    const std::lock_guard lock(runs_mutex_);
    const auto [place, fresh] = outbox_.try_emplace(key);
    Parcel& p = place->second;
    p.todo.resize(p.calling ? 1 : 0);  // what has not begun need not begin
    p.todo.emplace_back(std::nullopt);
    pause = std::exchange(p.pause, 0);
    if (pause != 0) {
      pauses_.erase(pause);
      p.tries = 0;
    }
    now = fresh || pause != 0;
  }
  if (pause != 0) agenda_.remove({0, pause});
  if (now) pool_.post([this, key] { hand_in(key); });
}

// An operator's retry of a job that a foreign queue has ended: it is enqueued anew, under its key.
void Engine::Impl::deliver_again(const Cell& cell, const JobKey& key) {
  const core::Token* t = cell.inst.token(key.token);
  if (t == nullptr || t->visit != key.visit) return;
  jobs::Job job;
  job.key = key;
  job.service = deployment_of(cell.inst.definition.get()).services[t->node];
  job.view = input_of(cell.inst, *t);
  job.enqueued = options_.clock->now();
  job.business_key = cell.inst.business_key;
  job.traceparent = cell.inst.traceparent;
  deliver(std::move(job));
}

void Engine::Impl::hand_in(const JobKey& key) {
  const std::shared_ptr<Gate> gate = gate_;
  const std::shared_ptr<jobs::WorkerDispatcher> dispatcher = dispatcher_;
  for (;;) {
    std::optional<jobs::Job> job;
    {
      const std::lock_guard lock(runs_mutex_);
      Parcel& p = outbox_.at(key);
      if (p.todo.empty()) {
        outbox_.erase(key);
        return;
      }
      job = p.todo.front();
      p.calling = true;
    }
    const Status taken = tell(*dispatcher, key, job);
    const std::shared_lock open(gate->mutex);
    if (gate->shut) return;
    std::uint64_t pause = 0;
    int tries = 0;
    bool given_up = false;
    {
      const std::lock_guard lock(runs_mutex_);
      Parcel& p = outbox_.at(key);
      p.calling = false;
      tries = ++p.tries;
      const bool withdrawn = p.todo.size() > 1;
      given_up = !taken.ok() && !withdrawn && tries >= kDeliveryTries;
      if (taken.ok() || withdrawn || given_up) {
        p.todo.pop_front();
        p.tries = 0;
      } else {
        pause = p.pause = next_number_++;
        pauses_.emplace(pause, key);
      }
    }
    if (given_up && job) insist(key.root, core::EnqueueRefused{key, "the dispatcher refused the job: " + taken.error().message});
    if (pause == 0) continue;
    agenda_.put({0, pause}, options_.clock->now() + pause_after(tries));
    return;
  }
}

void Engine::Impl::pause_is_over(std::uint64_t number, const JobKey& key) {
  {
    const std::lock_guard lock(runs_mutex_);
    const auto it = outbox_.find(key);
    if (it == outbox_.end() || it->second.pause != number) return;
    it->second.pause = 0;
  }
  pool_.post([this, key] { hand_in(key); });
}

}  // namespace headrace::engine
