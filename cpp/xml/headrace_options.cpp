// Our own namespace, urn:headrace:bpmn:1: the options of a service task (headrace-namespace.md lists them).

#include <algorithm>

#include "elements.hpp"
#include "headrace/base/json.hpp"
#include "headrace/policy/schema.hpp"
#include "option_reader.hpp"

namespace headrace::xml {

namespace {

using policy::ServiceOptions;

void read_attributes(const Element& service, ServiceOptions& o, OptionReader& r) {
  o.timeout = r.duration(service, "timeout");
  o.lock_duration = r.duration(service, "lockDuration");
  o.max_lock_duration = r.duration(service, "maxLockDuration");
  o.job_timeout = r.duration(service, "jobTimeout");
  o.expiry_as_attempt = r.flag(service, "expiryAsAttempt");
  o.trust = r.choice<policy::Trust>(
      service, "trust",
      {{"workerTrusted", policy::Trust::WorkerTrusted}, {"engineAuthoritative", policy::Trust::EngineAuthoritative}});
  o.on_exhausted = r.choice<policy::OnExhausted>(
      service, "onExhausted", {{"incident", policy::OnExhausted::Incident}, {"fail", policy::OnExhausted::Fail}});
  o.on_mismatch = r.choice<policy::OnMismatch>(
      service, "onMismatch", {{"retry", policy::OnMismatch::Retry}, {"incident", policy::OnMismatch::Incident}});
  o.on_uncaught = r.choice<policy::OnUncaughtError>(
      service, "onUncaughtError", {{"fail", policy::OnUncaughtError::Fail}, {"end", policy::OnUncaughtError::End}});
}

// Each part once, and one retry policy whatever its kind; errors may be many.
void refuse_repeated(const Element& service, OptionReader& r) {
  std::vector<std::string> seen;
  for (const Element& child : service.children) {
    if (child.ns != Ns::Headrace || child.name == "error") continue;
    std::string what = is_retry(child) ? "retry policy" : "hr:" + std::string(child.name);
    if (std::find(seen.begin(), seen.end(), what) != seen.end()) {
      r.fault(child, "expected at most one " + model::printable(what, 80) + " in hr:service, but found another one");
    }
    seen.push_back(std::move(what));
  }
}

// Carried as text: a schema engine stands outside the core.
std::shared_ptr<const policy::OutputSchema> read_schema(const Element& e, OptionReader& r) {
  r.only(e, {});
  const Result<Value> parsed = json::parse(e.text);
  if (!parsed.ok()) {
    r.fault(e, "expected a JSON Schema in hr:outputSchema: " + parsed.error().message);
    return nullptr;
  }
  if (!parsed->is(Kind::Map) && !parsed->is(Kind::Bool)) {
    r.fault(e, "expected a JSON Schema, an object, in hr:outputSchema, but found " + std::string(name_of(parsed->kind())));
    return nullptr;
  }
  return std::make_shared<policy::SchemaText>(e.text);
}

void read_children(const Element& service, ServiceOptions& o, OptionReader& r) {
  refuse_repeated(service, r);
  for (const Element& child : service.children) {
    if (child.ns != Ns::Headrace) continue;
    if (is_retry(child)) {
      o.retry = read_retry(child, r);
    } else if (child.name == "errorMapper") {
      o.errors = read_error_mapper(child, r);
    } else if (child.name == "outputMapping") {
      o.output = read_output_mapping(child, r);
    } else if (child.name == "status") {
      r.only(child, {"name", "overwrite"});
      o.status = policy::StatusTarget{r.required(child, "name"), r.flag(child, "overwrite").value_or(false)};
    } else if (child.name == "outputSchema") {
      o.schema = read_schema(child, r);
    }
  }
}

}  // namespace

void read_options(const Element& task, model::ServiceTaskConfig& config, Context& c) {
  const Element* extensions = task.child("extensionElements");
  const Element* service = extensions == nullptr ? nullptr : extensions->child("service", Ns::Headrace);
  if (service == nullptr) return;
  OptionReader r(task, c);
  r.only(*service,
         {"timeout", "lockDuration", "maxLockDuration", "jobTimeout", "expiryAsAttempt", "trust", "onExhausted", "onMismatch",
          "onUncaughtError"},
         {"noRetry", "fixedDelay", "exponentialBackoff", "errorMapper", "outputMapping", "status", "outputSchema", "inMessage",
          "outMessage", "error"});
  read_attributes(*service, config.options, r);
  read_children(*service, config.options, r);
  config.operation = read_contract(*service, r);
}

void check_own_namespace(const Element& e, const Element& owner, Context& c) {
  const bool task = e.is(Ns::Bpmn, "serviceTask");
  const auto refuse = [&](const std::string& what) {
    c.fault(owner, "service-option",
            "expected only what the namespace urn:headrace:bpmn:1 has here, but found " + what + " on " + describe(e));
  };
  for (const Attribute& a : e.attributes) {
    if (a.ns == Ns::Headrace && !(task && a.name == "topic")) refuse("attribute " + model::printable(a.name, 80));
  }
  const Element* extensions = e.child("extensionElements");
  if (extensions == nullptr) return;
  int services = 0;
  for (const Element& x : extensions->children) {
    if (x.ns != Ns::Headrace) continue;
    if (!task || x.name != "service" || ++services > 1) refuse("element " + model::printable(x.name, 80));
  }
}

}  // namespace headrace::xml
