// Structured records from committed events: the story of an instance (ADR-021 section 6). Names of variables, never their values.

#include "engine/impl.hpp"

namespace headrace::engine {

using observe::Level;
using observe::What;

namespace {

// Also names the job that an operator finds in the queue.
observe::Record raised_record(const Cell& cell, const core::Incident& incident, Instant at) {
  const model::Node& node = cell.inst.definition->node(incident.node);
  observe::Record r;
  r.level = Level::Error;
  r.what = What::IncidentRaised;
  r.at = at;
  r.root = cell.inst.root;
  r.process = cell.inst.definition->id;
  r.node = node.id;
  if (incident.job.root != 0) r.job = jobs::to_text(incident.job, node.id);
  if (node.kind == model::ElementKind::ServiceTask) r.topic = node.service().topic;
  r.attempt = incident.attempts + incident.expiries;
  r.text = std::string(core::name_of(incident.kind)) + ": " + incident.failure.message;
  return r;
}

}  // namespace

void Engine::Impl::note(Level level, What what, const Cell& cell, Instant at, std::string text, std::string node) {
  if (!options_.recorder->enabled(level)) return;
  observe::Record r;
  r.level = level;
  r.what = what;
  r.at = at;
  r.root = cell.inst.root;
  r.process = cell.inst.definition->id;
  r.node = std::move(node);
  r.text = std::move(text);
  options_.recorder->record(std::move(r));
}

void Engine::Impl::record_events(Cell& cell, std::span<const core::Event> events, Instant at) {
  const model::Definition& def = *cell.inst.definition;
  for (const core::Event& e : events) {
    if (std::holds_alternative<core::InstanceStarted>(e)) {
      note(Level::Info, What::InstanceStarted, cell, at, "");
    } else if (const auto* created = std::get_if<core::TokenCreated>(&e)) {
      note(Level::Debug, What::NodeEntered, cell, at, "", def.node(created->node).id);
    } else if (const auto* moved = std::get_if<core::TokenMoved>(&e)) {
      note(Level::Debug, What::NodeEntered, cell, at, "", def.node(moved->node).id);
    } else if (const auto* completed = std::get_if<core::ElementCompleted>(&e)) {
      note(Level::Debug, What::NodeCompleted, cell, at, "", def.node(completed->node).id);
    } else if (const auto* cancelled = std::get_if<core::ElementCancelled>(&e)) {
      note(Level::Debug, What::NodeCancelled, cell, at, "", def.node(cancelled->node).id);
    } else if (const auto* set = std::get_if<core::VariableSet>(&e)) {
      const std::uint32_t by = set->variable.written_by();
      note(Level::Debug, What::VariableWritten, cell, at, std::string(set->variable.name()),
           by == Variable::kNobody ? "" : def.node(by).id);
    } else if (const auto* raised = std::get_if<core::IncidentRaised>(&e)) {
      if (options_.recorder->enabled(Level::Error)) options_.recorder->record(raised_record(cell, *raised->incident, at));
    } else if (std::holds_alternative<core::IncidentClosed>(e)) {
      note(Level::Info, What::IncidentResolved, cell, at, "");
    } else if (const auto* suspended = std::get_if<core::InstanceSuspendedChanged>(&e)) {
      note(Level::Info, suspended->suspended ? What::InstanceSuspended : What::InstanceResumed, cell, at, "");
    } else if (const auto* ended = std::get_if<core::InstanceEnded>(&e)) {
      std::string text(core::name_of(ended->state));
      if (ended->ending && !ended->ending->reason.empty()) text += ": " + ended->ending->reason;
      note(Level::Info, What::InstanceEnded, cell, at, std::move(text));
    }
  }
}

}  // namespace headrace::engine
