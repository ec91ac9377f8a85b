// The operator's business (design 4.11): incidents by id `<root>:<number>`.

#include <charconv>

#include "engine/impl.hpp"
#include "headrace/jobs/mismatch.hpp"

namespace headrace::engine {

namespace {

struct IncidentId {
  std::uint64_t root = 0;
  std::uint32_t number = 0;
};

Error unknown(std::string_view id) {
  return make_error(ErrorCode::NotFound, "expected an open incident '" + std::string(id.substr(0, 64)) + "', but there is none");
}

Result<IncidentId> parse(std::string_view id) {
  IncidentId parsed;
  const std::size_t colon = id.find(':');
  if (colon == std::string_view::npos) return unknown(id);
  const auto root = std::from_chars(id.data(), id.data() + colon, parsed.root);
  const auto number = std::from_chars(id.data() + colon + 1, id.data() + id.size(), parsed.number);
  if (root.ec != std::errc() || root.ptr != id.data() + colon || number.ec != std::errc() ||
      number.ptr != id.data() + id.size() || parsed.root == 0) {
    return unknown(id);
  }
  return parsed;
}

}  // namespace

std::vector<IncidentSnapshot> Engine::incidents() const {
  if (Shard::inside()) return {};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> open;
  {
    const std::lock_guard lock(impl_->incidents_mutex_);
    open.assign(impl_->incidents_.begin(), impl_->incidents_.end());
  }
  std::vector<IncidentSnapshot> found;
  for (const auto& [root, number] : open) {
    (void)impl_->look(nullptr, root, [&, wanted = number](Cell* c) {
      if (c == nullptr || !c->inst.definition) return;
      if (const core::Incident* i = c->inst.incident(wanted)) found.push_back(incident_of(c->inst, *i));
    });
  }
  return found;
}

Result<IncidentSnapshot> Engine::incident(std::string_view id) const {
  const Result<IncidentId> parsed = parse(id);
  if (!parsed.ok()) return parsed.error();
  std::optional<IncidentSnapshot> found;
  const Status looked = impl_->look(nullptr, parsed->root, [&](Cell* c) {
    if (c == nullptr || !c->inst.definition) return;
    if (const core::Incident* i = c->inst.incident(parsed->number)) found = incident_of(c->inst, *i);
  });
  if (!looked.ok()) return looked.error();
  if (!found) return unknown(id);
  return *std::move(found);
}

namespace {
// A root that is gone reads as an incident that is gone.
Status as_incident(Status s, std::string_view id) {
  if (!s.ok() && (s.error().code == ErrorCode::InstanceNotFound ||
                  (s.error().code == ErrorCode::Conflict && s.error().message.find("to be active") != std::string::npos))) {
    return unknown(id);
  }
  return s;
}
}  // namespace

Status Engine::retry_incident(std::string_view id, int retries) {
  const Result<IncidentId> parsed = parse(id);
  if (!parsed.ok()) return parsed.error();
  if (retries < 0 || retries > 1'000'000)
    return make_error(ErrorCode::Validation, "retries: expected 0 to 1000000, found " + std::to_string(retries));
  return as_incident(impl_->call(nullptr, parsed->root, core::RetryIncident{parsed->number, retries}), id);
}

Status Engine::resolve_incident(std::string_view id, VariableBlock output) {
  const Result<IncidentId> parsed = parse(id);
  if (!parsed.ok()) return parsed.error();
  return as_incident(impl_->call(nullptr, parsed->root, core::ResolveIncident{parsed->number, std::move(output), true}), id);
}

Status Engine::raise_incident_error(std::string_view id, std::string code, std::string message) {
  const Result<IncidentId> parsed = parse(id);
  if (!parsed.ok()) return parsed.error();
  return as_incident(
      impl_->call(nullptr, parsed->root, core::RaiseIncidentError{parsed->number, std::move(code), std::move(message)}), id);
}

Status Engine::annotate_incident(std::string_view id, std::string text) {
  const Result<IncidentId> parsed = parse(id);
  if (!parsed.ok()) return parsed.error();
  if (text.size() > 65'536)
    return make_error(ErrorCode::Validation, "text: expected at most 65536 bytes, found " + std::to_string(text.size()));
  return as_incident(impl_->call(nullptr, parsed->root, core::AnnotateIncident{parsed->number, std::move(text)}), id);
}

// The raw result that did not fit is kept in the incident: it is mapped again under the service's present options, without
// running the work again.
Status Engine::remap_incident(std::string_view id) {
  const Result<IncidentId> parsed = parse(id);
  if (!parsed.ok()) return parsed.error();
  Value body;
  model::DefinitionPtr definition;
  std::uint32_t node = core::kNone;
  const Status looked = impl_->look(nullptr, parsed->root, [&](Cell* c) {
    const core::Incident* i = c == nullptr || !c->inst.definition ? nullptr : c->inst.incident(parsed->number);
    if (i == nullptr) return;
    if (jobs::keeps_result(i->failure)) body = i->failure.body;
    definition = c->inst.definition;
    node = i->node;
  });
  if (!looked.ok()) return looked.error();
  if (!definition) return unknown(id);
  if (!body.is(Kind::Map))
    return make_error(ErrorCode::Conflict, "expected incident '" + std::string(id) + "' to keep a raw result, but it has none");
  const DeployedPtr latest = impl_->deployed(definition->id, std::nullopt);
  const model::NodeIndex there = latest->definition->find_node(definition->node(node).id);
  if (there == core::kNone || latest->definition->node(there).kind != model::ElementKind::ServiceTask) {
    return make_error(ErrorCode::Conflict,
                      "expected service task '" + definition->node(node).id + "' in the latest version of the process");
  }
  const jobs::ServicePtr& service = latest->services[there];
  const policy::PolicyPtr& p = service ? service->policy : latest->definition->node(there).service().in_process_policy;
  if (service) {
    const Result<jobs::OutcomeCompleted> mapped = jobs::map_result(*p, body);
    if (!mapped.ok()) return make_error(ErrorCode::Technical, mapped.error().message);
    return resolve_incident(id, mapped->output);
  }
  const VariableBlock raw = VariableBlock::from_payload(codec::encode(body));
  const core::OperationVerdict verdict = core::judge(*p, model::OperationOutput{raw}, 0, 0);
  if (const auto* ok = std::get_if<jobs::OutcomeCompleted>(&verdict)) return resolve_incident(id, ok->output);
  std::string why = "the result still does not fit";
  if (const auto* e = std::get_if<core::OperationExhausted>(&verdict)) why = e->failure.message;
  if (const auto* r = std::get_if<core::OperationRetry>(&verdict)) why = r->failure.message;
  return make_error(ErrorCode::Technical, why);
}

Status Engine::cancel_incident(std::string_view id, std::string reason) {
  const Result<IncidentId> parsed = parse(id);
  if (!parsed.ok()) return parsed.error();
  const Result<IncidentSnapshot> found = incident(id);
  if (!found.ok()) return found.error();
  return as_incident(impl_->call(nullptr, parsed->root, core::Cancel{std::move(reason)}), id);
}

}  // namespace headrace::engine
