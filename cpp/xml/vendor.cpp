// Content of Camunda 7's namespace (and its relatives). What would change behaviour and is not supported is a fault that names
// it; what does no harm is passed over; what nobody knows is a warning.

#include <algorithm>
#include <array>

#include "elements.hpp"

namespace headrace::xml {

namespace {

enum class Use : std::uint8_t {
  Harmless,       // forms, people, history, catalogues: nothing the engine acts on
  ServiceTask,    // read by service_task.cpp; a fault elsewhere
  TaskOrProcess,  // camunda:taskPriority
  FalseOnly,      // a switch whose default is off
  Java,           // needs a JVM
  Refused,        // would change what happens
};
struct Rule {
  std::string_view name;
  Use use;
};

constexpr auto kAttributes = std::to_array<Rule>({
    {"historyTimeToLive", Use::Harmless},
    {"versionTag", Use::Harmless},
    {"isStartableInTasklist", Use::Harmless},
    {"candidateStarterUsers", Use::Harmless},
    {"candidateStarterGroups", Use::Harmless},
    {"formKey", Use::Harmless},
    {"formRef", Use::Harmless},
    {"formRefBinding", Use::Harmless},
    {"formRefVersion", Use::Harmless},
    {"formHandlerClass", Use::Harmless},
    {"assignee", Use::Harmless},
    {"candidateUsers", Use::Harmless},
    {"candidateGroups", Use::Harmless},
    {"dueDate", Use::Harmless},
    {"followUpDate", Use::Harmless},
    {"priority", Use::Harmless},
    {"jobPriority", Use::Harmless},
    {"exclusive", Use::Harmless},
    {"modelerTemplate", Use::Harmless},
    {"modelerTemplateVersion", Use::Harmless},
    {"modelerTemplateIcon", Use::Harmless},
    {"diagramRelationId", Use::Harmless},
    {"errorMessage", Use::Harmless},
    {"decisionRef", Use::Harmless},
    {"decisionRefBinding", Use::Harmless},
    {"decisionRefVersion", Use::Harmless},
    {"decisionRefVersionTag", Use::Harmless},
    {"decisionRefTenantId", Use::Harmless},
    {"mapDecisionResult", Use::Harmless},
    {"resultVariable", Use::Harmless},
    {"type", Use::ServiceTask},
    {"topic", Use::ServiceTask},
    {"taskPriority", Use::TaskOrProcess},
    {"asyncBefore", Use::FalseOnly},
    {"asyncAfter", Use::FalseOnly},
    {"async", Use::FalseOnly},
    {"class", Use::Java},
    {"delegateExpression", Use::Java},
    {"expression", Use::Java},
    {"initiator", Use::Refused},
    {"errorCodeVariable", Use::Refused},
    {"errorMessageVariable", Use::Refused},
    {"collection", Use::Refused},
    {"elementVariable", Use::Refused},
    {"resource", Use::Refused},
    {"calledElementBinding", Use::Refused},
    {"calledElementVersion", Use::Refused},
    {"calledElementVersionTag", Use::Refused},
    {"calledElementTenantId", Use::Refused},
    {"caseRef", Use::Refused},
    {"caseBinding", Use::Refused},
    {"caseVersion", Use::Refused},
    {"caseTenantId", Use::Refused},
    {"variableMappingClass", Use::Refused},
    {"variableMappingDelegateExpression", Use::Refused},
    {"escalationCodeVariable", Use::Refused},
    {"variableName", Use::Refused},
    {"variableEvents", Use::Refused},
    {"scriptFormat", Use::Refused},
    {"task", Use::Refused},
    {"operationName", Use::Refused},
    {"isAsyncAllowed", Use::FalseOnly},
    {"triggerable", Use::FalseOnly},
});

constexpr auto kExtensions = std::to_array<Rule>({
    {"properties", Use::Harmless},
    {"formData", Use::Harmless},
    {"formProperty", Use::Harmless},
    {"potentialStarter", Use::Harmless},
    {"inputOutput", Use::Refused},
    {"executionListener", Use::Refused},
    {"taskListener", Use::Refused},
    {"failedJobRetryTimeCycle", Use::Refused},
    {"errorEventDefinition", Use::Refused},
    {"connector", Use::Refused},
    {"field", Use::Refused},
    {"in", Use::Refused},
    {"out", Use::Refused},
    {"script", Use::Refused},
    {"caseExecutionListener", Use::Refused},
    {"variableListener", Use::Refused},
    {"inputParameter", Use::Refused},
    {"outputParameter", Use::Refused},
    {"validation", Use::Harmless},
});

template <std::size_t N>
const Rule* find_rule(const std::array<Rule, N>& rules, std::string_view name) {
  const auto at = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
  return at == rules.end() ? nullptr : &*at;
}

bool refused(Use use, const Element& e, const Attribute& a) {
  switch (use) {
    case Use::Harmless:
      return false;
    case Use::ServiceTask:
      return e.name != "serviceTask";
    case Use::TaskOrProcess:
      return e.name != "serviceTask" && e.name != "process";
    case Use::FalseOnly:
      return a.value != "false";
    case Use::Java:
    case Use::Refused:
      return true;
  }
  return true;
}

std::string place(const Element& e, const Element& owner) { return describe(e) + (&e == &owner ? "" : " of " + describe(owner)); }

void check_attribute(const Element& e, const Attribute& a, const Element& owner, Context& c) {
  const std::string written =
      "camunda:" + model::printable(a.name, 80) + "=\"" + model::printable(a.value) + "\" on " + place(e, owner);
  const Rule* rule = find_rule(kAttributes, a.name);
  if (rule == nullptr) return c.warn(owner, "unknown-extension", written + " is not known and is ignored");
  if (!refused(rule->use, e, a)) return;
  if (rule->use == Use::Java) {
    c.fault(owner, "unsupported-extension", "expected no code that needs Java, but found " + written,
            "do the work in a worker: camunda:type=\"external\" and camunda:topic");
  } else {
    c.fault(owner, "unsupported-extension", "expected only extensions that this engine follows, but found " + written,
            "remove it");
  }
}

}  // namespace

void check_vendor(const Element& e, const Element& owner, Context& c) {
  check_own_namespace(e, owner, c);
  for (const Attribute& a : e.attributes) {
    if (a.ns == Ns::Camunda) check_attribute(e, a, owner, c);
  }
  const Element* extensions = e.child("extensionElements");
  if (extensions == nullptr) return;
  for (const Element& x : extensions->children) {
    if (x.ns != Ns::Camunda) continue;
    const Rule* rule = find_rule(kExtensions, x.name);
    const std::string written = "camunda:" + model::printable(x.name, 80) + " in " + place(e, owner);
    if (rule == nullptr) {
      c.warn(owner, "unknown-extension", written + " is not known and is ignored");
    } else if (rule->use != Use::Harmless) {
      c.fault(owner, "unsupported-extension", "expected only extensions that this engine follows, but found " + written,
              "remove it");
    }
  }
}

}  // namespace headrace::xml
