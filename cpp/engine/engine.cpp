#include "headrace/engine/engine.hpp"

#include "engine/impl.hpp"
#include "headrace/store/memory.hpp"

namespace headrace::engine {

namespace {
std::uint64_t next_engine_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}
}  // namespace

Engine::Impl::Impl(EngineOptions options)
    : options_(std::move(options)),
      pool_(options_.threads, options_.max_stuck_threads),
      shard_counters_(options_.shards),
      defaults_(options_.defaults),
      number_(next_engine_number()) {
  if (options_.dispatcher) {
    dispatcher_ = options_.dispatcher;
    local_ = std::dynamic_pointer_cast<runtime::LocalDispatcher>(dispatcher_);
  } else {
    runtime::LocalDispatcherOptions o;
    o.lock_duration = defaults_.lock_duration.value_or(policy::kDefaultLock);
    o.max_lock_duration = defaults_.max_lock_duration.value_or(policy::kDefaultMaxLock);
    o.due_on_call = options_.threads > 0;
    local_ = std::make_shared<runtime::LocalDispatcher>(options_.clock, options_.random, options_.recorder, o);
    dispatcher_ = local_;
  }
  if (auto* binder = dynamic_cast<jobs::SinkBinder*>(dispatcher_.get())) binder->bind_sink(this);
  for (std::size_t i = 0; i < options_.shards; ++i) {
    shards_.push_back(
        std::make_unique<Shard>(*this, *options_.store, (options_.keep_ended + options_.shards - 1) / options_.shards));
  }
  if (options_.threads > 0 && !options_.clock->manual()) {
    agenda_.on_earlier([this] { wake_timer(); });
    if (local_) local_->on_due_changed([this] { wake_timer(); });
    timer_ = std::thread([this] { timer_loop(); });
  }
}

Engine::Impl::~Impl() {
  close();
  for (const std::unique_ptr<Shard>& shard : shards_) shard->shut();
}

void Engine::Impl::close() {
  if (closed_.exchange(true)) return;
  wake_timer();
  if (timer_.joinable()) timer_.join();
  wake_watches();  // host code may wait in one of them, and the pool for it
  if (local_) {
    local_->stop_workers();
    local_->close();
  }
  pool_.stop();
  for (const std::unique_ptr<Shard>& shard : shards_) shard->pick_up();  // what the pool had not taken yet
  {
    const std::unique_lock lock(gate_->mutex);
    gate_->shut = true;
  }
  wake_watches();
  if (auto* binder = dynamic_cast<jobs::SinkBinder*>(dispatcher_.get())) binder->bind_sink(nullptr);
}

void Engine::Impl::wake_watches() {
  for (const std::unique_ptr<Shard>& shard : shards_) {
    Item all;
    all.look = [&shard](Cell*) {
      shard->each([](Cell& cell, const CellPtr&) {
        if (!cell.extra) return;
        std::vector<std::shared_ptr<runtime::CellWatch>> watches;
        watches.swap(cell.extra->watches);
        for (const auto& w : watches) w->look(cell);
      });
    };
    shard->submit(std::move(all));
  }
}

void Engine::Impl::fill(core::Command& command, core::Action&& action) {
  command.action = std::move(action);
  command.now = options_.clock->now();
  command.jitter = options_.random->next();
}

Status Engine::Impl::call(const CellPtr& cell, std::uint64_t root, core::Action action) {
  if (closed_) return make_error(ErrorCode::Closed, "the engine is closed");
  if (Shard::inside())
    return make_error(ErrorCode::WouldDeadlock,
                      "expected a call from outside a step, but this one would wait for the step it is made in");
  runtime::Answer answer;
  Item item;
  item.cell = cell;
  item.root = root;
  fill(item.command, std::move(action));
  item.answer = &answer;
  shard_of(root).submit(std::move(item));
  // a store that answers later on this thread (hand-driven)
  while (!answer.ready() && options_.store->pump()) {
  }
  return answer.take();
}

void Engine::Impl::call_later(std::uint64_t root, core::Action action, UniqueFunction<void(Status)> done) {
  Item item;
  item.root = root;
  fill(item.command, std::move(action));
  item.done = std::move(done);
  shard_of(root).submit(std::move(item));
}

namespace {
bool is_fault(ErrorCode c) { return c == ErrorCode::Expression || c == ErrorCode::Technical || c == ErrorCode::Validation; }
}  // namespace

void Engine::Impl::insist(std::uint64_t root, core::Action action) {
  core::Action kept = action;
  call_later(root, std::move(action), [this, root, kept = std::move(kept)](Status done) mutable {
    if (done.ok()) return;
    if (done.error().code == ErrorCode::Store || done.error().code == ErrorCode::StoreBusy) {
      std::uint64_t number = 0;
      {
        const std::lock_guard lock(runs_mutex_);
        number = next_number_++;
        again_.emplace(number, std::pair{root, std::move(kept)});
      }
      agenda_.put({0, number}, options_.clock->now() + jobs::kTellAgain);
      return;
    }
    auto* result = std::get_if<core::OperationDone>(&kept);
    if (result == nullptr || !is_fault(done.error().code) || std::holds_alternative<core::OperationExhausted>(result->verdict))
      return;
    core::OperationExhausted failed;
    failed.failure.message = done.error().message;
    result->verdict = std::move(failed);
    insist(root, std::move(kept));
  });
}

Status Engine::Impl::look(const CellPtr& cell, std::uint64_t root, UniqueFunction<void(Cell*)> look) {
  if (Shard::inside())
    return make_error(ErrorCode::WouldDeadlock, "expected a look from outside a step, but this one would wait for itself");
  runtime::Answer answer;
  Item item;
  item.cell = cell;
  item.root = root;
  item.look = [&answer, &look](Cell* c) {
    look(c);
    answer.give(Ok{});
  };
  shard_of(root).submit(std::move(item));
  while (!answer.ready() && options_.store->pump()) {
  }
  return answer.take();
}

std::uint64_t Engine::Impl::active_instances() const {
  std::uint64_t n = 0;
  for (const ShardCounters& s : shard_counters_) {
    const std::uint64_t ended =
        s.completed.get() + s.failed.get() + s.cancelled.get();  // read first: never more than were started
    n += s.started.get() - ended;
  }
  return n;
}

namespace {
// Counted while it lives.
class UnderWay {
 public:
  explicit UnderWay(std::atomic<std::uint64_t>& n) : n_(n), before_(n.fetch_add(1)) {}
  ~UnderWay() { n_.fetch_sub(1); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  std::uint64_t before() const { return before_; }

 private:
  std::atomic<std::uint64_t>& n_;
  const std::uint64_t before_;
};
}  // namespace

Result<InstanceRef> Engine::Impl::start(const DeployedPtr& deployed, VariableBlock variables, const StartOptions& o) {
  if (closed_) return make_error(ErrorCode::Closed, "the engine is closed");
  std::optional<UnderWay> entrance;
  if (options_.max_instances) entrance.emplace(starting_);
  if (entrance && active_instances() + entrance->before() >= *options_.max_instances) {
    return make_error(ErrorCode::Overloaded, "expected at most " + std::to_string(*options_.max_instances) +
                                                 " active instances; no more are started for now");
  }
  if (local_) {
    for (const Topic& topic : deployed->topics) {
      if (!local_->accepts(topic)) {
        return make_error(ErrorCode::Overloaded, "expected room on topic '" + topic.str() +
                                                     "', but max_queued is reached; no instance is started for now");
      }
    }
  }
  const std::uint64_t root = options_.ids->next();
  auto cell = std::make_shared<Cell>(root);
  core::StartInstance start;
  start.root = root;
  start.definition = deployed->definition;
  start.variables = std::move(variables);
  if (!o.business_key.empty()) start.business_key = Slice::copy_of(o.business_key);
  if (!o.traceparent.empty()) start.traceparent = Slice::copy_of(o.traceparent);
  const Status started = call(cell, root, std::move(start));
  if (!started.ok()) return started.error();
  return cell;
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() { close(); }

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions o) {
  if (o.threads < 0 || o.threads > 1'024) {
    return make_error(ErrorCode::Validation, "threads: expected 0 to 1024, found " + std::to_string(o.threads));
  }
  if (o.shards > 1'024)
    return make_error(ErrorCode::Validation, "shards: expected at most 1024, found " + std::to_string(o.shards));
  if (!o.clock) o.clock = system_clock();
  if (!o.random) o.random = system_random();
  if (!o.ids) o.ids = counting_ids();
  if (!o.recorder) o.recorder = no_recorder();
  if (!o.store) o.store = store::make_memory_store();
  if (o.shards == 0) o.shards = o.threads == 0 ? 1 : 4 * std::max(1U, std::thread::hardware_concurrency());
  return std::unique_ptr<Engine>(new Engine(std::make_unique<Impl>(std::move(o))));
}

Result<model::DefinitionPtr> Engine::deploy(std::shared_ptr<model::Definition> def) { return impl_->deploy(std::move(def)); }

Result<model::DefinitionPtr> Engine::definition(std::string_view process, std::optional<std::uint32_t> version) const {
  const DeployedPtr d = impl_->deployed(process, version);
  if (!d) return impl_->not_deployed(process, version);
  return d->definition;
}

std::vector<model::DefinitionPtr> Engine::definitions() const { return impl_->all_definitions(); }

Result<InstanceRef> Engine::start(std::string_view process, VariableBlock variables, const StartOptions& o) {
  const DeployedPtr d = impl_->deployed(process, o.version);
  if (!d) return impl_->not_deployed(process, o.version);
  return impl_->start(d, std::move(variables), o);
}

std::vector<Result<InstanceRef>> Engine::start_many(std::string_view process, std::vector<VariableBlock> variables,
                                                    const StartOptions& o) {
  std::vector<Result<InstanceRef>> started;
  started.reserve(variables.size());
  const DeployedPtr d = impl_->deployed(process, o.version);
  for (VariableBlock& v : variables) {
    if (d) {
      started.push_back(impl_->start(d, std::move(v), o));
    } else {
      started.emplace_back(impl_->not_deployed(process, o.version));
    }
  }
  return started;
}

std::uint64_t Engine::root_of(const InstanceRef& ref) { return ref->root; }
core::InstanceState Engine::state_of(const InstanceRef& ref) const { return ref->state.load(std::memory_order_acquire); }

Result<InstanceRef> Engine::instance(std::uint64_t root) const {
  InstanceRef found;
  Shard& shard = impl_->shard_of(root);
  const Status looked = impl_->look(nullptr, root, [&](Cell* c) {
    if (c != nullptr) found = shard.find(root);
  });
  if (!looked.ok()) return looked.error();
  if (!found)
    return make_error(ErrorCode::InstanceNotFound,
                      "expected instance " + std::to_string(root) + ", but it is unknown or was forgotten");
  return found;
}

Status Engine::cancel(const InstanceRef& ref, std::string reason) {
  return impl_->call(ref, ref->root, core::Cancel{std::move(reason)});
}
Status Engine::suspend(const InstanceRef& ref) { return impl_->call(ref, ref->root, core::Suspend{}); }
Status Engine::resume(const InstanceRef& ref) { return impl_->call(ref, ref->root, core::Resume{}); }
Status Engine::set_variables(const InstanceRef& ref, VariableBlock v) {
  return impl_->call(ref, ref->root, core::SetVariables{std::move(v)});
}

Result<std::size_t> Engine::run_until_idle() { return impl_->run_until_idle(); }
Result<Ok> Engine::advance(Duration d) { return impl_->advance(d); }
jobs::WorkerDispatcher& Engine::dispatcher() { return *impl_->dispatcher_; }
runtime::LocalDispatcher* Engine::local_dispatcher() { return impl_->local_.get(); }
Status Engine::set_defaults(policy::EngineOptions o) {
  impl_->set_defaults(std::move(o));
  return Ok{};
}
const EngineOptions& Engine::options() const { return impl_->options_; }
Instant Engine::now() const { return impl_->options_.clock->now(); }
std::string Engine::durability() const { return impl_->options_.store->traits().durability; }
void Engine::close() { impl_->close(); }
bool Engine::closed() const { return impl_->closed_; }

Status Engine::begin_blocking() const {
  if (Shard::inside() || (impl_->driving_ && impl_->pool_.hand_driven() && runtime::Pool::on_pool_thread())) {
    return make_error(ErrorCode::WouldDeadlock, "expected a wait from outside a step, but this one would wait for itself");
  }
  if (!runtime::Pool::on_pool_thread()) return Ok{};
  if (impl_->pool_.replace_one()) return Ok{};
  return make_error(ErrorCode::WouldDeadlock, "expected a free task thread to take the place of the waiting one, but " +
                                                  std::to_string(impl_->options_.max_stuck_threads) + " replacements are in use");
}

void Engine::end_blocking() const {
  if (runtime::Pool::on_pool_thread()) impl_->pool_.replacement_over();
}

EngineMetrics Engine::metrics() const {
  const Counters& c = impl_->counters_;
  EngineMetrics m;
  if (impl_->local_) m.queue = impl_->local_->metrics();
  for (const ShardCounters& s : impl_->shard_counters_) {
    m.instances_completed += s.completed.get();
    m.instances_failed += s.failed.get();
    m.instances_cancelled += s.cancelled.get();
    m.instances_started += s.started.get();  // read last: never fewer than have ended
    m.incidents_raised += s.incidents_raised.get();
    m.steps += s.steps.get();
    m.steps_undone += s.steps_undone.get();
    m.commits += s.commits.get();
    m.conflicts += s.conflicts.get();
  }
  m.instances_active = m.instances_started - m.instances_completed - m.instances_failed - m.instances_cancelled;
  {
    const std::lock_guard lock(impl_->incidents_mutex_);
    m.incidents_open = impl_->incidents_.size();
  }
  m.operations = c.operations;
  m.operations_timed_out = c.timed_out;
  m.operations_late = c.late;
  m.threads_stuck = static_cast<std::uint64_t>(impl_->pool_.replacements());
  m.timers_fired = c.timers_fired;
  return m;
}

}  // namespace headrace::engine
