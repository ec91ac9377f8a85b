// In-process operations and asked conditions: host code on the pool, results back as commands (design 1.8, 4.13; ADR-021 2.9).

#include <exception>

#include "engine/impl.hpp"

namespace headrace::engine {

namespace {

// What host code throws is a fault of its task: it must not reach the threads of the engine.
model::OperationResult call_body(const model::OperationBody& body, const model::OperationCall& input) {
  try {
    return body.invoke(input);
  } catch (const std::exception& e) {
    policy::Failure thrown;
    thrown.code = Value("exception");
    thrown.message = e.what();
    return model::OperationFault{std::move(thrown)};
  }
}

class GuardedBody final : public model::OperationBody {
 public:
  explicit GuardedBody(std::shared_ptr<const OperationBody> inner) : inner_(std::move(inner)) {}
  model::OperationResult invoke(const model::OperationCall& input) const override { return call_body(*inner_, input); }
  bool inline_safe() const override { return true; }
  std::string describe() const override { return inner_->describe(); }

 private:
  const std::shared_ptr<const OperationBody> inner_;
};

Result<bool> call_predicate(const model::Predicate& predicate, const VariableBlock& visible) {
  try {
    return predicate.holds(visible);
  } catch (const std::exception& e) {
    return make_error(ErrorCode::Technical, "'" + predicate.describe() + "' threw: " + e.what());
  }
}

}  // namespace

model::OperationPtr guarded(model::OperationPtr operation) {
  if (!operation || !operation->body || !operation->body->inline_safe()) return operation;
  auto copy = std::make_shared<model::Operation>(*operation);
  copy->body = std::make_shared<GuardedBody>(operation->body);
  return copy;
}

void Engine::Impl::invoke(Cell& cell, const core::InvokeOperation& call) {
  auto run = std::make_shared<OperationRun>();
  run->root = cell.inst.root;
  run->token = call.token;
  run->visit = call.visit;
  run->execution = static_cast<std::uint32_t>(call.attempt - 1);
  run->definition = cell.inst.definition;
  run->node = call.node;
  const model::ServiceTaskConfig& service = run->definition->node(call.node).service();
  if (service.options.timeout) run->limit = options_.clock->now() + *service.options.timeout;
  {
    const std::lock_guard lock(runs_mutex_);
    run->number = next_number_++;
    runs_[{run->root, run->token, run->visit}] = run;
    if (service.options.timeout) limits_[run->number] = run;
  }
  if (service.options.timeout) agenda_.put({0, run->number}, run->limit);
  counters_.operations.fetch_add(1, std::memory_order_relaxed);
  model::OperationCall input;
  input.input = call.input;
  input.id = jobs::to_text({run->root, run->root, run->token, run->visit}, run->definition->node(call.node).id);
  input.attempt = call.attempt;
  input.cancelled = run->cancelled;
  pool_.post([this, run, input = std::move(input)] { run_operation(run, input); });
}

void Engine::Impl::run_operation(const RunPtr& run, const model::OperationCall& input) {
  const std::shared_ptr<Gate> gate = gate_;
  run->on_thread = true;  // before the look at the mark: who sets it looks here after that
  std::optional<model::OperationResult> result;
  if (!run->cancelled->load()) run->begun = true;
  if (run->begun) result = call_body(*run->definition->node(run->node).service().operation->body, input);
  const std::shared_lock open(gate->mutex);
  if (gate->shut) return;
  run->on_thread = false;
  if (!result) {
    if (run->replaced.exchange(false)) pool_.replacement_over();
    return;
  }
  // what was late by the engine's clock is late, whether the limit has fired yet or not
  if (options_.clock->now() >= run->limit) time_out(run);
  if (run->settled.exchange(true)) {
    counters_.late.fetch_add(1, std::memory_order_relaxed);
    if (run->replaced.exchange(false)) pool_.replacement_over();
    return;
  }
  settle(run, judge(*run, *std::move(result)));
}

core::OperationVerdict Engine::Impl::judge(const OperationRun& run, model::OperationResult result) const {
  const policy::Policy& p = *run.definition->node(run.node).service().in_process_policy;
  try {
    return core::judge(p, std::move(result), static_cast<int>(run.execution), options_.random->next());
  } catch (const std::exception& e) {  // a custom policy
    core::OperationExhausted failed;
    failed.failure.message = std::string("the policy of the task threw: ") + e.what();
    return failed;
  }
}

// Its thread may come back at this very moment: whoever sees the other's mark ends the replacement.
void Engine::Impl::replace_thread_of(const RunPtr& run) {
  if (!run->on_thread || pool_.hand_driven() || !pool_.replace_one()) return;
  run->replaced = true;
  if (!run->on_thread && run->replaced.exchange(false)) pool_.replacement_over();
}

// The limit of WithTimeout has passed: a technical fault; the thread is replaced while it is stuck. What the fault means is host
// code where the policy is: the pool's affair, which has a thread for it now.
void Engine::Impl::time_out(const RunPtr& run) {
  if (run->settled.exchange(true)) return;
  run->cancelled->store(true);
  counters_.timed_out.fetch_add(1, std::memory_order_relaxed);
  replace_thread_of(run);
  const model::Node& node = run->definition->node(run->node);
  policy::Failure late;
  late.code = Value("timeout");
  late.message = "operation of '" + node.id + "' did not " + (run->begun ? "return" : "begin") + " within " +
                 to_text(*node.service().options.timeout) + (run->begun ? "" : ": the task threads were busy");
  auto judged = [this, run, late = std::move(late)]() mutable {
    settle(run, judge(*run, model::OperationFault{std::move(late)}));
  };
  if (node.service().in_process_policy->custom()) {
    pool_.post(std::move(judged));
  } else {
    judged();
  }
}

void Engine::Impl::settle(const RunPtr& run, core::OperationVerdict verdict) {
  {
    const std::lock_guard lock(runs_mutex_);
    const auto it = runs_.find({run->root, run->token, run->visit});
    if (it != runs_.end() && it->second == run) runs_.erase(it);
    limits_.erase(run->number);
  }
  if (run->limit != Instant::never()) agenda_.remove({0, run->number});
  insist(run->root, core::OperationDone{run->token, run->visit, run->execution, std::move(verdict)});
}

void Engine::Impl::cancel_operation(const core::CancelOperation& c, std::uint64_t root) {
  RunPtr run;
  {
    const std::lock_guard lock(runs_mutex_);
    const auto it = runs_.find({root, c.token, c.visit});
    if (it == runs_.end()) return;
    run = it->second;
    runs_.erase(it);
    limits_.erase(run->number);
  }
  if (run->limit != Instant::never()) agenda_.remove({0, run->number});
  run->cancelled->store(true);
  run->settled.store(true);
  replace_thread_of(run);
}

void Engine::Impl::ask(Cell& cell, const core::Ask& question) {
  pool_.post([this, root = cell.inst.root, definition = cell.inst.definition, question] {
    const std::shared_ptr<Gate> gate = gate_;
    core::Answered answers{question.token, question.visit, question.flows, {}};
    for (const model::FlowIndex f : question.flows)
      answers.answers.push_back(call_predicate(*definition->flow(f).condition->callable, question.visible));
    const std::shared_lock open(gate->mutex);
    if (!gate->shut) insist(root, std::move(answers));
  });
}

}  // namespace headrace::engine
