// Deploying: versions, rules that need the engine's defaults, topic options, and the shared part of each service's jobs.

#include "engine/impl.hpp"
#include "headrace/policy/schema.hpp"

namespace headrace::engine {

namespace {

using model::ElementKind;
using model::Locus;

bool is_external(const model::Node& n) { return n.kind == ElementKind::ServiceTask && n.service().locus == Locus::Worker; }

// Rules that only the engine can check: what a service leaves open comes from its defaults (design 4.14).
std::vector<model::Fault> faults_of(const model::Definition& def, const policy::EngineOptions& defaults) {
  std::vector<model::Fault> faults;
  for (const model::Node& n : def.nodes) {
    if (!is_external(n)) continue;
    if (policy::schema_text(n.service().options) != nullptr) {
      faults.push_back({n.id, n.line, "output-schema", "expected a compiled output schema, but found the text of a JSON Schema",
                        "deploy the model through Python with the extra schema (pip install headrace[schema])"});
    }
    const policy::Policy p = policy::resolve_external(n.service().options, defaults, def.profile);
    if (p.errors && p.errors->may_give_status() && !p.status) {
      faults.push_back({n.id, n.line, "status-without-target",
                        "the error mapper may give a status, but the task has no WithStatus", "add WithStatus(name)"});
    }
    const bool contract =
        n.service().operation && (n.service().operation->in_message || n.service().operation->out_message || p.output);
    if (p.trust == policy::Trust::EngineAuthoritative && !contract) {
      faults.push_back({n.id, n.line, "authoritative-without-contract",
                        "EngineAuthoritative needs a message contract, but the operation has none",
                        "give the operation an in or out message"});
    }
  }
  return faults;
}

}  // namespace

DeployedPtr Engine::Impl::resolve(const model::DefinitionPtr& def) const {
  auto made = std::make_shared<Deployed>();
  made->definition = def;
  made->services.resize(def->nodes.size());
  for (const model::Node& n : def->nodes) {
    if (!is_external(n)) continue;
    const model::ServiceTaskConfig& config = n.service();
    policy::Policy p = policy::resolve_external(config.options, defaults_, def->profile);
    if (config.operation) {
      p.in_message = config.operation->in_message;
      p.out_message = config.operation->out_message;
    }
    auto service = std::make_shared<jobs::Service>();
    service->topic = Topic(config.topic);
    service->node = n.id;
    service->process = def->id;
    service->version = def->version;
    service->policy = std::make_shared<const policy::Policy>(std::move(p));
    service->priority = config.priority;
    service->keep_alive = def;
    made->topics.push_back(service->topic);
    made->services[n.index] = std::move(service);
  }
  return made;
}

Result<model::DefinitionPtr> Engine::Impl::deploy(std::shared_ptr<model::Definition> def) {
  if (closed_) return make_error(ErrorCode::Closed, "the engine is closed");
  const std::unique_lock lock(deploy_mutex_);
  std::vector<model::Fault> faults = faults_of(*def, defaults_);
  // lock options belong to the topic: two services that name different ones are a mistake, also across processes (design 4.4)
  for (const model::Node& n : def->nodes) {
    if (!is_external(n)) continue;
    for (const auto& [id, versions] : deployed_) {
      if (id == def->id) continue;
      for (const model::Node& other : versions.back()->definition->nodes) {
        if (!is_external(other) || other.service().topic != n.service().topic) continue;
        const policy::ServiceOptions& a = n.service().options;
        const policy::ServiceOptions& b = other.service().options;
        const bool differ = (a.lock_duration && b.lock_duration && a.lock_duration != b.lock_duration) ||
                            (a.max_lock_duration && b.max_lock_duration && a.max_lock_duration != b.max_lock_duration);
        if (differ) {
          faults.push_back(
              {n.id, n.line, "topic-lock-options",
               "topic '" + n.service().topic + "' has other lock options in '" + other.id + "' of process '" + id + "'",
               "name the same ones"});
        }
      }
    }
  }
  if (!faults.empty()) return make_error(ErrorCode::Model, model::to_text(def->id, faults));

  std::vector<DeployedPtr>& versions = deployed_[def->id];
  def->version = static_cast<std::uint32_t>(versions.size()) + 1;
  for (model::Node& n : def->nodes) {
    if (n.kind != ElementKind::ServiceTask || n.service().locus != Locus::InProcess) continue;
    auto& config = *std::get_if<model::ServiceTaskConfig>(&n.config);
    config.operation = guarded(std::move(config.operation));
    policy::Policy p = policy::resolve_in_process(config.options, defaults_, def->profile);
    if (config.operation) {
      p.in_message = config.operation->in_message;
      p.out_message = config.operation->out_message;
    }
    config.in_process_policy = std::make_shared<const policy::Policy>(std::move(p));
  }
  const model::DefinitionPtr fixed = std::move(def);
  DeployedPtr made = resolve(fixed);
  versions.push_back(made);
  by_definition_[fixed.get()] = made;
  ++deploy_generation_;
  for (const model::Node& n : fixed->nodes) {
    if (!is_external(n)) continue;
    const policy::ServiceOptions& o = n.service().options;
    if (local_ && (o.lock_duration || o.max_lock_duration)) {
      local_->configure_topic(
          Topic(n.service().topic),
          {.lock_duration = o.lock_duration, .max_lock_duration = o.max_lock_duration, .max_queued = std::nullopt});
    }
    if (n.service().operation && n.service().operation->body && options_.recorder->enabled(observe::Level::Warning)) {
      observe::Record r;
      r.level = observe::Level::Warning;
      r.what = observe::What::ExecutorBypassed;
      r.at = options_.clock->now();
      r.process = fixed->id;
      r.node = n.id;
      r.topic = n.service().topic;
      r.text = "the operation's implementor is bypassed: the task is run by workers";
      options_.recorder->record(std::move(r));
    }
  }
  return fixed;
}

DeployedPtr Engine::Impl::deployed(std::string_view process, std::optional<std::uint32_t> version) const {
  const std::shared_lock lock(deploy_mutex_);
  const auto it = deployed_.find(process);
  if (it == deployed_.end()) return nullptr;
  const std::uint32_t v = version.value_or(static_cast<std::uint32_t>(it->second.size()));
  if (v == 0 || v > it->second.size()) return nullptr;
  return it->second[v - 1];
}

Error Engine::Impl::not_deployed(std::string_view process, std::optional<std::uint32_t> version) const {
  const std::string name = "process '" + model::printable(process, 100) + "'";
  const std::shared_lock lock(deploy_mutex_);
  const auto it = deployed_.find(process);
  if (it == deployed_.end() || !version) {
    return make_error(ErrorCode::NotFound, "expected " + name + " to be deployed, but it is not");
  }
  const std::size_t latest = it->second.size();
  return make_error(ErrorCode::NotFound,
                    "expected version " + std::to_string(*version) + " of " + name + " to be deployed, but there " +
                        (latest == 1 ? "is version 1 alone" : "are versions 1 to " + std::to_string(latest)));
}

// On the path of every job: the last answer is kept by each thread, as long as nothing is deployed.
const Deployed& Engine::Impl::deployment_of(const model::Definition* def) {
  struct Last {
    std::uint64_t engine = 0, generation = 0;
    const model::Definition* def = nullptr;
    const Deployed* deployed = nullptr;
  };
  thread_local Last last;
  const std::uint64_t generation = deploy_generation_.load(std::memory_order_acquire);
  if (last.engine != number_ || last.generation != generation || last.def != def) {
    const std::shared_lock lock(deploy_mutex_);
    last = Last{number_, generation, def, by_definition_.at(def).get()};
  }
  return *last.deployed;
}

model::DefinitionPtr Engine::Impl::find(std::string_view process, std::uint32_t version) const {
  const DeployedPtr d = deployed(process, version);
  return d ? d->definition : nullptr;
}

std::vector<model::DefinitionPtr> Engine::Impl::all_definitions() const {
  const std::shared_lock lock(deploy_mutex_);
  std::vector<model::DefinitionPtr> all;
  for (const auto& [id, versions] : deployed_) {
    for (const DeployedPtr& d : versions) all.push_back(d->definition);
  }
  return all;
}

// For jobs enqueued from now on; queued ones keep their policy.
void Engine::Impl::set_defaults(policy::EngineOptions defaults) {
  const std::unique_lock lock(deploy_mutex_);
  defaults_ = std::move(defaults);
  for (auto& [id, versions] : deployed_) {
    for (DeployedPtr& d : versions) {
      retired_.push_back(d);
      d = resolve(d->definition);
      by_definition_[d->definition.get()] = d;
    }
  }
  ++deploy_generation_;
  if (local_) {
    local_->set_lock_defaults(defaults_.lock_duration.value_or(policy::kDefaultLock),
                              defaults_.max_lock_duration.value_or(policy::kDefaultMaxLock));
  }
}

}  // namespace headrace::engine
