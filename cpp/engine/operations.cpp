// In-process operations and asked conditions: host code on the pool, results back as commands (design 1.8, 4.13; ADR-021 2.9).

#include "engine/impl.hpp"

namespace headrace::engine {

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
  if (run->cancelled->load()) return;
  run->on_thread = true;
  const model::ServiceTaskConfig& service = run->definition->node(run->node).service();
  model::OperationResult result = service.operation->body->invoke(input);
  run->on_thread = false;
  // what was late by the engine's clock is late, whether the limit has fired yet or not
  if (options_.clock->now() >= run->limit) time_out(run);
  if (run->settled.exchange(true)) {
    counters_.late.fetch_add(1, std::memory_order_relaxed);
    if (run->replaced.exchange(false)) pool_.replacement_over();
    return;
  }
  settle(run, core::judge(*service.in_process_policy, std::move(result), static_cast<int>(run->execution), options_.random->next()));
}

// Its thread may come back at this very moment: whoever sees the other's mark ends the replacement.
void Engine::Impl::replace_thread_of(const RunPtr& run) {
  if (!run->on_thread || pool_.hand_driven() || !pool_.replace_one()) return;
  run->replaced = true;
  if (!run->on_thread && run->replaced.exchange(false)) pool_.replacement_over();
}

// The limit of WithTimeout has passed: a technical fault; the thread is replaced while it is stuck.
void Engine::Impl::time_out(const RunPtr& run) {
  if (run->settled.exchange(true)) return;
  run->cancelled->store(true);
  counters_.timed_out.fetch_add(1, std::memory_order_relaxed);
  replace_thread_of(run);
  const model::Node& node = run->definition->node(run->node);
  policy::Failure late;
  late.code = Value("timeout");
  late.message = "operation of '" + node.id + "' did not return within " + to_text(*node.service().options.timeout);
  settle(run, core::judge(*node.service().in_process_policy, model::OperationFault{std::move(late)}, static_cast<int>(run->execution), options_.random->next()));
}

void Engine::Impl::settle(const RunPtr& run, core::OperationVerdict verdict) {
  {
    const std::lock_guard lock(runs_mutex_);
    const auto it = runs_.find({run->root, run->token, run->visit});
    if (it != runs_.end() && it->second == run) runs_.erase(it);
    limits_.erase(run->number);
  }
  if (run->limit != Instant::never()) agenda_.remove({0, run->number});
  call_later(run->root, core::OperationDone{run->token, run->visit, run->execution, std::move(verdict)});
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
  run->cancelled->store(true);
  run->settled.store(true);
  replace_thread_of(run);
}

void Engine::Impl::ask(Cell& cell, const core::Ask& question) {
  pool_.post([this, root = cell.inst.root, definition = cell.inst.definition, question] {
    core::Answered answers{question.token, question.visit, question.flows, {}};
    for (const model::FlowIndex f : question.flows) answers.answers.push_back(definition->flow(f).condition->callable->holds(question.visible));
    call_later(root, std::move(answers));
  });
}

}  // namespace headrace::engine
