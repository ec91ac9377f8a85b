#include "support/driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "headrace/base/json.hpp"
#include "headrace/core/evolve.hpp"
#include "support/text.hpp"

namespace headrace::testing {

using core::Instance;

namespace {

class OneDefinition final : public core::Definitions {
 public:
  explicit OneDefinition(model::DefinitionPtr d) : d_(std::move(d)) {}
  model::DefinitionPtr find(std::string_view, std::uint32_t) const override { return d_; }

 private:
  model::DefinitionPtr d_;
};

template <class Items>
std::string lines(const Items& items, const model::Definition& d, const char* mark) {
  std::string out;
  for (const auto& item : items) out += mark + to_text(item, d) + "\n";
  return out;
}

}  // namespace

Driver Driver::not_started(model::DefinitionPtr d) {
  Driver fresh;
  fresh.definition_ = std::move(d);
  return fresh;
}

Driver::Driver(model::DefinitionPtr d, VariableBlock variables) : definition_(std::move(d)) {
  const Status started = start(std::move(variables));
  if (!started.ok()) wrong("the start was refused: " + started.error().message);
}

Status Driver::start(VariableBlock variables) { return run(core::StartInstance{7, definition_, std::move(variables), {}, {}}); }

Status Driver::run(core::Action action) {
  const core::Command command{std::move(action), now, jitter, ""};
  buffer_.clear();
  undo_.clear();
  const bool fresh = inst_.definition == nullptr;
  const std::string before = fresh ? std::string() : core::encode_state(inst_);
  const Status result = core::step(inst_, command, buffer_, undo_);
  write(command, result);
  if (!result.ok()) {
    if (!fresh) check_refused(before);
    return result;
  }
  check_taken(before, command);
  return result;
}

void Driver::check_refused(const std::string& before) {
  if (core::encode_state(inst_) != before) wrong("a refused command changed the state");
  if (!buffer_.events.empty() || !buffer_.effects.empty() || buffer_.deferred || !undo_.empty())
    wrong("a refused command left something behind");
}

void Driver::check_taken(const std::string& before, const core::Command& command) {
  journal_.insert(journal_.end(), buffer_.events.begin(), buffer_.events.end());
  const std::string after = core::encode_state(inst_);
  check_fold(after);
  if (!before.empty()) {
    check_undo(before, after);
    check_reloaded(before, after, command);
  }
  const Result<Instance> loaded = core::decode_state(after, OneDefinition(definition_));
  if (!loaded.ok()) {
    wrong("the stored state is refused: " + loaded.error().message);
  } else if (core::encode_state(*loaded) != after) {
    wrong("the state is another one after it was stored and loaded");
  }
  for (const std::string& broken : invariants_.check(inst_)) wrong("broken: " + broken);
  outside_.perform(inst_, command.action, buffer_.effects);
  for (const std::string& broken : outside_.check(inst_)) wrong("outside: " + broken);
}

void Driver::check_fold(const std::string& after) {
  Instance folded;
  core::Undo none;
  none.off();
  for (const core::Event& e : journal_) core::evolve(folded, e, none);
  folded.sequence = inst_.sequence;
  if (core::encode_state(folded) != after) wrong("the fold of the events is not the state");
}

void Driver::check_undo(const std::string& before, const std::string& after) {
  undo_.roll_back(inst_);
  if (core::encode_state(inst_) != before) wrong("undo does not give the state before");
  for (const core::Event& e : buffer_.events) core::evolve(inst_, e, undo_);
  ++inst_.sequence;
  if (core::encode_state(inst_) != after) wrong("the events give another state after an undo");
}

void Driver::check_reloaded(const std::string& before, const std::string& after, const core::Command& command) {
  Result<Instance> loaded = core::decode_state(before, OneDefinition(definition_));
  if (!loaded.ok()) return wrong("the stored state is refused: " + loaded.error().message);
  core::StepBuffer buffer;
  core::Undo undo;
  const Status again = core::step(*loaded, command, buffer, undo);
  if (!again.ok()) return wrong("a reloaded instance refuses the command: " + again.error().message);
  if (core::encode_state(*loaded) != after) wrong("a reloaded instance comes to another state");
  if (lines(buffer.events, *definition_, "") != lines(buffer_.events, *definition_, ""))
    wrong("a reloaded instance makes other events");
  if (lines(buffer.effects, *definition_, "") != lines(buffer_.effects, *definition_, ""))
    wrong("a reloaded instance has other effects");
}

void Driver::write(const core::Command& command, const Status& result) {
  transcript_ += "> " + to_text(command.action, inst_) + "\n";
  if (!result.ok()) {
    transcript_ += "  refused: " + result.error().message + "\n";
    return;
  }
  transcript_ += lines(buffer_.events, *definition_, "  ") + lines(buffer_.effects, *definition_, "  ! ");
}

void Driver::wrong(const std::string& what) const { ADD_FAILURE() << what << "\n" << transcript_; }

// --- commands by element ---

Status Driver::report(std::string_view at, jobs::Outcome outcome) {
  return run(core::ReportOutcome{job(at), std::move(outcome)});
}
Status Driver::complete(std::string_view at, VariableBlock output) {
  return report(at, jobs::OutcomeCompleted{std::move(output), false, {}});
}
Status Driver::exhaust(std::string_view at, std::string message, int attempts) {
  jobs::OutcomeExhausted o;
  o.failure.message = std::move(message);
  o.attempts = attempts;
  return report(at, std::move(o));
}
Status Driver::bpmn_error(std::string_view at, std::string code, VariableBlock variables) {
  return report(at, jobs::OutcomeBpmnError{std::move(code), "", std::move(variables)});
}
Status Driver::status(std::string_view at, const Value& value) { return report(at, jobs::OutcomeStatus{codec::encode(value)}); }

Status Driver::finish_user(std::string_view at, VariableBlock output) {
  const core::Token* t = token_at(at);
  return run(core::CompleteUserTask{t == nullptr ? 0 : t->id, std::move(output)});
}

Status Driver::operation(std::string_view at, core::OperationVerdict verdict) {
  const core::Token* t = token_at(at);
  if (t == nullptr) return make_error(ErrorCode::NotFound, "no token");
  const auto it = outside_.operations.find({t->id, t->visit});
  // as the shell does: the execution is the attempt it was asked for
  const int attempt = it == outside_.operations.end() ? 1 : it->second.attempt;
  return run(core::OperationDone{t->id, t->visit, static_cast<std::uint32_t>(attempt - 1), std::move(verdict)});
}

Status Driver::fire(std::string_view at) {
  const core::Timer* t = timer_at(at);
  if (t == nullptr) return make_error(ErrorCode::NotFound, "no timer at " + std::string(at));
  now = std::max(now, t->due);
  return run(core::TimerFired{t->id});
}

Status Driver::answer(std::string_view at, std::vector<Result<bool>> answers) {
  const core::Token* t = token_at(at);
  if (t == nullptr) return make_error(ErrorCode::NotFound, "no token");
  const auto it = outside_.asked.find({t->id, t->visit});
  std::vector<model::FlowIndex> flows;
  if (it != outside_.asked.end()) flows = it->second.flows;
  return run(core::Answered{t->id, t->visit, std::move(flows), std::move(answers)});
}

// --- what tests look at ---

model::NodeIndex Driver::node(std::string_view id) const {
  const model::NodeIndex found = definition_->find_node(id);
  if (found == model::kNone) wrong("no element '" + std::string(id) + "'");
  return found;
}

std::string Driver::where() const {
  if (inst_.state != core::InstanceState::Active) return std::string(core::name_of(inst_.state));
  std::string out;
  for (const core::Token& t : inst_.tokens) {
    out += (out.empty() ? "" : ", ") + definition_->node(t.node).id + ": " + std::string(name_of(t.wait));
  }
  return out;
}

const core::Token* Driver::token_at(std::string_view id) const {
  const model::NodeIndex n = node(id);
  for (const core::Token& t : inst_.tokens) {
    if (t.node == n) return &t;
  }
  return nullptr;
}

const core::Timer* Driver::timer_at(std::string_view id) const {
  const model::NodeIndex n = node(id);
  if (!inst_.cold) return nullptr;
  for (const core::Timer& t : inst_.cold->timers) {
    if (t.node == n) return &t;
  }
  return nullptr;
}

JobKey Driver::job(std::string_view id) const {
  const core::Token* t = token_at(id);
  return t == nullptr ? JobKey{} : inst_.job_key(*t);
}

std::string Driver::variable(std::string_view name, core::ScopeId scope) const {
  const core::Scope* s = inst_.scope(scope);
  const Variable* v = s == nullptr ? nullptr : s->variables.find(name);
  return v == nullptr ? "absent" : json::dump(codec::decode(v->encoded()));
}

std::string Driver::count(std::string_view id) const {
  const model::NodeIndex n = node(id);
  for (const core::ElementCount& c : inst_.counts) {
    if (c.node != n) continue;
    return std::to_string(c.completed) + (c.cancelled == 0 ? "" : " (" + std::to_string(c.cancelled) + " cancelled)");
  }
  return "0";
}

const core::Incident* Driver::incident() const {
  return inst_.cold && !inst_.cold->incidents.empty() ? inst_.cold->incidents.back().get() : nullptr;
}

std::string Driver::effects_text() const { return lines(buffer_.effects, *definition_, ""); }

}  // namespace headrace::testing
