#include "runtime/shard.hpp"

#include "headrace/core/state_codec.hpp"

namespace headrace::runtime {

namespace {
constexpr std::size_t kCommandsOfOneRoot = 64;  // in one turn (design 1.4)
constexpr std::size_t kItemsBeforeHandOver = 4'096;
constexpr int kMaxTries = 50;  // a root that is always moved on by others
thread_local int t_draining = 0;

template <class F>
void if_alive(Life& life, F f) {
  if (t_draining > 0) return f();  // the store answered inside the call
  const std::shared_lock lock(life.mutex);
  if (!life.over) f();
}
}  // namespace

// A batch on its way to the store. The store may answer inside commit() or later on another thread.
struct Flight {
  std::vector<std::unique_ptr<Unit>> units;
  std::vector<store::CommitOutcome> outcomes;
  enum State : int { Pending, Answered, Detached };
  std::atomic<int> state{Pending};
};

Shard::Shard(ShardHost& host, store::Store& store, std::size_t keep_ended)
    : host_(host), store_(store), traits_(store.traits()), keep_ended_(keep_ended) {}
Shard::~Shard() { shut(); }

void Shard::shut() {
  const std::unique_lock lock(life_->mutex);
  life_->over = true;
}

bool Shard::inside() { return t_draining > 0; }

CellPtr Shard::find(std::uint64_t root) const { return cells_.find(root); }

bool Shard::enter(Item& item) {
  const std::lock_guard lock(mutex_);
  if (draining_) {
    inbox_.push_back(std::move(item));
    return false;
  }
  draining_ = true;
  return true;
}

void Shard::submit(Item&& item) {
  if (!enter(item)) return;
  ++t_draining;
  take(std::move(item));
  commit();
  drain_rest(1);
}

void Shard::drain() {
  ++t_draining;
  drain_rest(0);
}

void Shard::drain_rest(std::size_t done) {
  for (;;) {
    if (!batch_.empty()) {
      done += batch_.size();
      run_batch(batch_);
    }
    if (!again_.empty()) {
      batch_.swap(again_);
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (inbox_.empty()) {
      draining_ = false;
      break;
    }
    batch_.swap(inbox_);
    if (done > kItemsBeforeHandOver && give_away()) break;  // still draining: the other thread goes on with the batch
  }
  --t_draining;
}

bool Shard::give_away() {
  handed_ = true;
  return host_.hand_over(*this) || !handed_.exchange(false);
}

void Shard::pick_up() {
  if (handed_.exchange(false)) drain();
}

void Shard::run_batch(std::vector<Item>& batch) {
  std::vector<Item> items;
  items.swap(batch);
  for (Item& item : items) take(std::move(item));
  items.clear();
  if (batch.empty()) batch.swap(items);  // keeps the capacity
  commit();
}

void Shard::take(Item&& item) {
  if (!item.cell) item.cell = find(item.root);
  Cell* const cell = item.cell.get();
  if (cell == nullptr) {
    if (item.look) {
      item.look(nullptr);
    } else {
      const bool report = std::holds_alternative<core::ReportOutcome>(item.command.action);
      item.reply(make_error(report ? ErrorCode::JobNotFound : ErrorCode::InstanceNotFound,
                            "expected instance " + std::to_string(item.root) + ", but it is unknown or was forgotten"));
    }
    return;
  }
  const bool crowded = cell->unit != nullptr && (item.look || cell->unit->entries.size() >= kCommandsOfOneRoot);
  if (cell->busy || crowded || (cell->extra && !cell->extra->queue.empty())) {
    const CellPtr kept = std::move(item.cell);  // an item that waits in its cell does not own it
    cell->with_extra().queue.push_back(std::move(item));
    return;
  }
  if (!cell->loaded) {
    const CellPtr kept = std::move(item.cell);
    cell->with_extra().queue.push_back(std::move(item));
    start_load(kept);
    return;
  }
  if (item.look) {
    item.look(cell);
    return;
  }
  step_into(*cell, std::move(item));
}

std::unique_ptr<Unit> Shard::new_unit() {
  if (spare_.empty()) return std::make_unique<Unit>();
  std::unique_ptr<Unit> unit = std::move(spare_.back());
  spare_.pop_back();
  return unit;
}

void Shard::step_into(Cell& cell, Item&& item) {
  if (cell.unit == nullptr) {
    units_.push_back(new_unit());
    Unit& unit = *units_.back();
    unit.cell = std::move(item.cell);
    unit.first_sequence = cell.inst.sequence + 1;
    unit.fresh = std::holds_alternative<core::StartInstance>(item.command.action);
    if (unit.fresh) {
      unit.undo.off();
    } else {
      unit.undo.on();
    }
    cell.unit = &unit;
  }
  Unit& unit = *cell.unit;
  Status result = core::step(cell.inst, item.command, unit.buffer, unit.undo);
  unit.entries.emplace_back(std::move(item), std::move(result));
}

void Shard::commit() {
  if (units_.empty()) return;
  std::vector<std::unique_ptr<Unit>> made;
  made.swap(units_);
  deltas_.clear();
  for (const std::unique_ptr<Unit>& u : made) {
    u->cell->unit = nullptr;
    u->cell->busy = true;
    if (u->buffer.events.empty()) continue;
    deltas_.push_back(store::Delta{u->cell->root, u->first_sequence, u->cell->inst.sequence, u->buffer.events, &u->cell->inst});
  }
  if (deltas_.size() < made.size()) {  // refused commands change nothing: answered without the store
    std::vector<std::unique_ptr<Unit>> unchanged;
    std::erase_if(made, [&](std::unique_ptr<Unit>& u) {
      if (!u->buffer.events.empty()) return false;
      unchanged.push_back(std::move(u));
      return true;
    });
    for (std::unique_ptr<Unit>& u : unchanged) settle(std::move(u), store::CommitOutcome::Committed);
    if (made.empty()) return;
  }
  outcomes_.resize(deltas_.size());
  if (store_.commit_now(deltas_, outcomes_)) {
    for (std::size_t i = 0; i < made.size(); ++i) settle(std::move(made[i]), outcomes_[i]);
    made.clear();
    if (units_.empty()) units_.swap(made);  // keeps the capacity
    return;
  }
  const std::vector<store::Delta> deltas(deltas_);
  auto flight = std::make_shared<Flight>();
  flight->units = std::move(made);
  store_.commit(deltas, [this, flight, life = life_](std::span<const store::CommitOutcome> outcomes) {
    flight->outcomes.assign(outcomes.begin(), outcomes.end());
    if (flight->state.exchange(Flight::Answered) != Flight::Detached) return;
    if_alive(*life, [&] {
      Item back;
      back.look = [this, flight](Cell*) { land(*flight); };
      submit(std::move(back));
    });
  });
  if (flight->state.exchange(Flight::Detached) == Flight::Answered) land(*flight);
}

void Shard::land(Flight& flight) {
  for (std::size_t i = 0; i < flight.units.size(); ++i) settle(std::move(flight.units[i]), flight.outcomes[i]);
}

void Shard::settle(std::unique_ptr<Unit> unit, store::CommitOutcome outcome) {
  if (outcome == store::CommitOutcome::Unknown) {
    look_again(std::move(unit));
    return;
  }
  if (outcome != store::CommitOutcome::Committed) {
    take_back(std::move(unit), outcome);
    return;
  }
  unit->cell->busy = false;
  publish(*unit);
  const CellPtr cell = std::move(unit->cell);
  unit->buffer.clear();
  unit->undo.clear();
  cell->conflicts = 0;
  for (Unit::Entry& e : unit->entries) {
    e.item.reply(std::move(e.result));
  }
  unit->entries.clear();
  if (spare_.size() < 64) spare_.push_back(std::move(unit));
  evict(*cell);
  release(cell);
}

void Shard::publish(Unit& unit) {
  Cell& cell = *unit.cell;
  if (unit.buffer.events.empty()) return;
  if (unit.fresh && !cell.known) {
    cell.known = true;
    cells_.put(unit.cell);
  }
  host_.committed(cell, unit.buffer.events, cell.inst.sequence + 1 - unit.first_sequence, unit.entries.back().item.command.now);
  for (core::Effect& e : unit.buffer.effects) host_.perform(cell, e);
  cell.state.store(cell.inst.state, std::memory_order_release);
  if (cell.inst.state != core::InstanceState::Active) ended(unit.cell);
  if (cell.extra && !cell.extra->watches.empty()) {
    std::erase_if(cell.extra->watches, [&](const std::shared_ptr<CellWatch>& w) { return w->look(cell); });
  }
}

// Ended roots are remembered for a while, for handles and listings.
void Shard::ended(const CellPtr& cell) {
  ended_.push_back(cell->root);
  while (ended_.size() > keep_ended_) {
    cells_.erase(ended_.front());
    ended_.pop_front();
  }
}

void Shard::take_back(std::unique_ptr<Unit> unit, store::CommitOutcome outcome) {
  const CellPtr cell = unit->cell;
  host_.undone(*cell, unit->entries.size(), outcome == store::CommitOutcome::Conflict);
  if (unit->fresh) {
    cell->inst = core::Instance();
  } else {
    unit->undo.roll_back(cell->inst);
  }
  cell->busy = false;
  const bool again = outcome == store::CommitOutcome::Conflict && ++cell->conflicts < kMaxTries;
  std::vector<Item> items;
  for (Unit::Entry& e : unit->entries) {
    if (again) {
      e.item.cell.reset();
      items.push_back(std::move(e.item));
    } else {
      e.item.reply(outcome == store::CommitOutcome::Conflict
                       ? make_error(ErrorCode::Store, "expected instance " + std::to_string(cell->root) +
                                                          " to be ours, but others kept moving it on")
                       : make_error(ErrorCode::Store, "the store refused the step; nothing was changed"));
    }
  }
  if (!items.empty()) {
    std::vector<Item>& queue = cell->with_extra().queue;
    queue.insert(queue.begin(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }
  // what the store has is the truth now
  if (again && !unit->fresh && traits_.keeps_state) {
    cell->loaded = false;
    start_load(cell);
    return;
  }
  release(cell);
}

// The outcome of a commit is unknown (a lost connection): read back, never repeat blindly (reference/invariants.md S9).
void Shard::look_again(std::unique_ptr<Unit> unit) {
  const std::uint64_t root = unit->cell->root;
  const std::uint64_t wanted = unit->cell->inst.sequence;
  auto kept = std::make_shared<std::unique_ptr<Unit>>(std::move(unit));
  store_.load({&root, 1}, [this, kept, wanted, life = life_](std::vector<store::LoadedRoot> found) {
    const bool there = !found.empty() && found[0].state && found[0].sequence >= wanted;
    if_alive(*life, [&] {
      Item back;
      back.look = [this, kept, there](Cell*) {
        settle(std::move(*kept), there ? store::CommitOutcome::Committed : store::CommitOutcome::Conflict);
      };
      submit(std::move(back));
    });
  });
}

void Shard::start_load(const CellPtr& cell) {
  cell->busy = true;
  const std::uint64_t root = cell->root;
  store_.load({&root, 1}, [this, cell, life = life_](std::vector<store::LoadedRoot> found) {
    auto result =
        std::make_shared<store::LoadedRoot>(found.empty() ? store::LoadedRoot{cell->root, std::nullopt, 0} : std::move(found[0]));
    if_alive(*life, [&] {
      Item back;
      back.look = [this, cell, result](Cell*) { loaded(cell, std::move(*result)); };
      submit(std::move(back));
    });
  });
}

void Shard::loaded(const CellPtr& cell, store::LoadedRoot found) {
  cell->busy = false;
  Result<core::Instance> inst =
      found.state ? core::decode_state(*found.state, host_.definitions())
                  : Result<core::Instance>(make_error(ErrorCode::InstanceNotFound, "the store does not know the instance"));
  if (inst.ok()) {
    cell->inst = *std::move(inst);
    cell->loaded = true;
    release(cell);
    return;
  }
  std::vector<Item> waiting;
  waiting.swap(cell->with_extra().queue);
  for (Item& item : waiting) {
    if (item.look) item.look(nullptr);
    item.reply(inst.error());
  }
}

void Shard::release(const CellPtr& cell) {
  if (!cell->extra || cell->extra->queue.empty()) return;
  for (Item& item : cell->extra->queue) {
    item.cell = cell;
    again_.push_back(std::move(item));
  }
  cell->extra->queue.clear();
}

void Shard::evict(Cell& cell) {
  if (!traits_.evict_after_commit || !traits_.keeps_state || !cell.known || cell.busy) return;
  cell.inst = core::Instance();
  cell.loaded = false;
}

}  // namespace headrace::runtime
