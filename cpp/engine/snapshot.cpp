// Committed state as values: what handles, listings and waits see.

#include <algorithm>
#include <chrono>

#include "engine/impl.hpp"
#include "runtime/patience.hpp"

namespace headrace::engine {

namespace {

std::string_view waits_for(core::Wait w) {
  constexpr std::string_view kNames[] = {"", "", "job", "operation", "ask", "join", "scope", "user", "retry", "failedStep"};
  return kNames[static_cast<std::size_t>(w)];
}

bool is_sensitive(const model::Node& node) {
  if (node.kind != model::ElementKind::ServiceTask || !node.service().operation) return false;
  const model::Operation& op = *node.service().operation;
  for (const auto& message : {op.in_message, op.out_message}) {
    if (message &&
        std::any_of(message->fields.begin(), message->fields.end(), [](const policy::Field& f) { return f.sensitive; }))
      return true;
  }
  return false;
}

}  // namespace

IncidentSnapshot incident_of(const core::Instance& inst, const core::Incident& i) {
  const model::Node& node = inst.definition->node(i.node);
  IncidentSnapshot s;
  s.id = std::to_string(inst.root) + ":" + std::to_string(i.number);
  s.kind = core::name_of(i.kind);
  s.root = inst.root;
  s.process = inst.definition->id;
  s.node = node.id;
  if (node.kind == model::ElementKind::ServiceTask) s.topic = node.service().topic;
  if (i.job.root != 0) s.job = jobs::to_text(i.job, node.id);
  s.attempts = i.attempts;
  s.expiries = i.expiries;
  s.code = i.failure.code;
  s.body = is_sensitive(node) ? Value("***") : i.failure.body;  // design 4.20
  s.message = i.failure.message;
  s.raised = i.raised;
  s.notes = i.notes;
  return s;
}

InstanceSnapshot snapshot_of(const Cell& cell) {
  const core::Instance& inst = cell.inst;
  const model::Definition& def = *inst.definition;
  InstanceSnapshot s;
  s.root = inst.root;
  s.definition = inst.definition;
  s.business_key = std::string(inst.business_key.view());
  s.state = inst.state;
  s.suspended = inst.suspended;
  s.started = inst.started;
  s.sequence = inst.sequence;
  for (const core::Scope& scope : inst.scopes) {
    if (scope.parent == core::kNone) {
      s.variables = scope.variables;
    } else {
      s.local_variables.emplace_back(def.node(scope.node).id, scope.variables);
    }
  }
  for (const core::Token& t : inst.tokens) {
    ActivitySnapshot a;
    a.node = def.node(t.node).id;
    a.state = core::name_of(t.activity);
    a.token = t.id;
    a.waits_for = waits_for(t.wait);
    if (t.wait == core::Wait::Job) a.job = jobs::to_text(inst.job_key(t), a.node);
    s.activities.push_back(std::move(a));
  }
  for (const core::ElementCount& c : inst.counts) s.counts.push_back({def.node(c.node).id, c.completed, c.cancelled});
  if (inst.ended_at != core::kNone) s.end_node = def.node(inst.ended_at).id;
  if (!inst.cold) return s;
  for (const core::IncidentPtr& i : inst.cold->incidents) s.incidents.push_back(incident_of(inst, *i));
  for (const core::Timer& t : inst.cold->timers) s.timers.push_back({def.node(t.node).id, t.due});
  if (inst.cold->ending.node != core::kNone) s.end_node = def.node(inst.cold->ending.node).id;
  s.error_code = inst.cold->ending.code;
  s.reason = inst.cold->ending.reason;
  return s;
}

Result<InstanceSnapshot> Engine::snapshot(const InstanceRef& ref) const {
  InstanceSnapshot s;
  bool found = false;
  const Status looked = impl_->look(ref, ref->root, [&](Cell* c) {
    if (c == nullptr || !c->inst.definition) return;
    s = snapshot_of(*c);
    found = true;
  });
  if (!looked.ok()) return looked.error();
  if (!found)
    return make_error(ErrorCode::InstanceNotFound,
                      "expected instance " + std::to_string(ref->root) + ", but the store does not know it");
  return s;
}

std::vector<InstanceRef> Engine::instances(const InstanceFilter& filter) const {
  std::vector<InstanceRef> found;
  if (Shard::inside()) return found;
  for (const std::unique_ptr<Shard>& shard : impl_->shards_) {
    std::vector<CellPtr> cells;
    Item all;
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false;
    all.look = [&](Cell*) {
      shard->each([&](Cell&, const CellPtr& ptr) { cells.push_back(ptr); });
      const std::lock_guard lock(mutex);
      done = true;
      wake.notify_one();
    };
    shard->submit(std::move(all));
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return done; });
    lock.unlock();
    for (const CellPtr& cell : cells) {
      if (filter.state && cell->state.load() != *filter.state) continue;
      bool fits = filter.process.empty() && filter.business_key.empty();
      if (!fits) {
        (void)impl_->look(cell, cell->root, [&](Cell* c) {
          fits = c != nullptr && c->inst.definition && (filter.process.empty() || c->inst.definition->id == filter.process) &&
                 (filter.business_key.empty() || c->inst.business_key.view() == filter.business_key);
        });
      }
      if (fits) found.push_back(cell);
    }
  }
  std::sort(found.begin(), found.end(), [](const InstanceRef& a, const InstanceRef& b) { return a->root < b->root; });
  if (found.size() > filter.limit) found.resize(filter.limit);
  return found;
}

Status Engine::complete_user_task(const InstanceRef& ref, std::string_view node, VariableBlock output) {
  core::TokenId token = 0;
  const Status looked = impl_->look(ref, ref->root, [&](Cell* c) {
    if (c == nullptr || !c->inst.definition) return;
    for (const core::Token& t : c->inst.tokens) {
      if (t.wait == core::Wait::User && c->inst.definition->node(t.node).id == node) {
        token = t.id;
        return;
      }
    }
  });
  if (!looked.ok()) return looked.error();
  if (token == 0) {
    return make_error(ErrorCode::NotFound, "expected user task '" + std::string(node) + "' to wait in instance " +
                                               std::to_string(ref->root) + ", but it does not");
  }
  return impl_->call(ref, ref->root, core::CompleteUserTask{token, std::move(output)});
}

// --- waiting ---

namespace {

class Watch final : public runtime::CellWatch, public InstanceWaiter {
 public:
  Watch(Until until, std::shared_ptr<const std::atomic<bool>> closed) : until_(until), closed_(std::move(closed)) {}
  bool look(const Cell& cell) override {
    if (!over(cell) && !*closed_) return false;
    end();
    return true;
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
  }
  bool wait(Duration slice) override {
    const auto ready = [this] { return over_.load(std::memory_order_acquire) || *closed_; };
    if (slice.us > 0 && runtime::soon(ready)) return true;
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::microseconds(slice.us), ready);
  }

 private:
  bool over(const Cell& cell) const {
    if (cell.inst.state != core::InstanceState::Active) return true;
    if (until_ == Until::Ended) return false;
    return std::none_of(cell.inst.tokens.begin(), cell.inst.tokens.end(),
                        [](const core::Token& t) { return t.wait == core::Wait::Operation || t.wait == core::Wait::Ask; });
  }
  const Until until_;
  const std::shared_ptr<const std::atomic<bool>> closed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> over_{false};  // set under the mutex
};

}  // namespace

std::shared_ptr<InstanceWaiter> Engine::start_wait(const InstanceRef& ref, Until until) const {
  auto watch = std::make_shared<Watch>(until, impl_->closed_flag_);
  Item item;
  item.cell = ref;
  item.root = ref->root;
  item.look = [watch](Cell* c) {
    if (c == nullptr) return watch->end();  // the store has lost it
    if (watch->look(*c)) return;
    c->with_extra().watches.push_back(watch);
  };
  impl_->shard_of(ref->root).submit(std::move(item));
  return watch;
}

}  // namespace headrace::engine
