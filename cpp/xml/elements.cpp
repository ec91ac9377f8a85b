#include "elements.hpp"

#include <algorithm>
#include <array>

namespace headrace::xml {

namespace {

struct Reader {
  std::string_view name;
  void (*read)(const Element&, Context&);
};
constexpr auto kReaders = std::to_array<Reader>({
    {"startEvent", read_start_event},
    {"endEvent", read_end_event},
    {"boundaryEvent", read_boundary_event},
    {"serviceTask", read_service_task},
    {"businessRuleTask", read_business_rule_task},
    {"userTask", read_user_task},
    {"exclusiveGateway", read_exclusive_gateway},
    {"parallelGateway", read_parallel_gateway},
    {"subProcess", read_sub_process},
    {"sequenceFlow", read_sequence_flow},
});

// They carry no behaviour: notes, pools and lanes, data whose associations are refused where they would act.
constexpr auto kSilent = std::to_array<std::string_view>({"documentation",
                                                          "extensionElements",
                                                          "incoming",
                                                          "outgoing",
                                                          "laneSet",
                                                          "textAnnotation",
                                                          "association",
                                                          "group",
                                                          "dataObject",
                                                          "dataObjectReference",
                                                          "dataStoreReference",
                                                          "property",
                                                          "ioSpecification",
                                                          "auditing",
                                                          "monitoring",
                                                          "resourceRole",
                                                          "performer",
                                                          "humanPerformer",
                                                          "potentialOwner",
                                                          "rendering",
                                                          "supports",
                                                          "correlationSubscription",
                                                          "categoryValueRef",
                                                          "supportedInterfaceRef",
                                                          "dataInput",
                                                          "dataOutput"});

// BPMN's elements that this engine knows by name and cannot run yet.
constexpr auto kUnsupported = std::to_array<std::string_view>({"task",
                                                               "manualTask",
                                                               "sendTask",
                                                               "receiveTask",
                                                               "scriptTask",
                                                               "callActivity",
                                                               "transaction",
                                                               "adHocSubProcess",
                                                               "inclusiveGateway",
                                                               "complexGateway",
                                                               "eventBasedGateway",
                                                               "intermediateCatchEvent",
                                                               "intermediateThrowEvent",
                                                               "implicitThrowEvent",
                                                               "event",
                                                               "choreographyTask",
                                                               "subChoreography",
                                                               "callChoreography",
                                                               "multiInstanceLoopCharacteristics",
                                                               "standardLoopCharacteristics",
                                                               "dataInputAssociation",
                                                               "dataOutputAssociation",
                                                               "messageEventDefinition",
                                                               "signalEventDefinition",
                                                               "escalationEventDefinition",
                                                               "compensateEventDefinition",
                                                               "conditionalEventDefinition",
                                                               "linkEventDefinition",
                                                               "cancelEventDefinition",
                                                               "timerEventDefinition",
                                                               "terminateEventDefinition",
                                                               "errorEventDefinition",
                                                               "eventDefinitionRef",
                                                               "ioBinding"});

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void refuse_child(const Element& owner, const Element& child, Context& c) {
  const Element& named = child.id().empty() ? owner : child;
  c.builder.add_refused(child.id());
  if (contains(kUnsupported, child.name)) {
    const std::string where = &named == &owner ? " in " + describe(owner) : "";
    c.unsupported(named, describe(child) + where, "this element is not supported yet");
  } else {
    c.fault(named, "unknown-element",
            "expected an element of BPMN 2.0 that may stand in " + describe(owner) + ", but found " + std::string(child.name));
  }
}

void refuse_unless(const Element& e, std::string_view attribute, std::string_view fallback, Context& c) {
  const auto value = e.find(attribute);
  if (value && *value != fallback)
    c.unsupported(e, describe(e) + " with " + std::string(attribute) + "=\"" + model::printable(*value) + "\"");
}

}  // namespace

void read_scope(const Element& scope, Context& c) {
  for (const Element& child : scope.children) {
    if (child.ns != Ns::Bpmn || contains(kSilent, child.name)) continue;
    const auto reader = std::find_if(kReaders.begin(), kReaders.end(), [&](const Reader& r) { return r.name == child.name; });
    if (reader != kReaders.end()) {
      reader->read(child, c);
    } else {
      refuse_child(scope, child, c);
    }
  }
}

void check_common(const Element& e, std::initializer_list<std::string_view> own, Context& c) {
  if (e.id().empty())
    c.fault(e, "id-missing", "expected an id on " + describe(e) + ", but there is none", "give the element an id");
  check_vendor(e, e, c);
  for (const Element& child : e.children) {
    if (child.ns != Ns::Bpmn || contains(kSilent, child.name)) continue;
    if (std::find(own.begin(), own.end(), child.name) == own.end()) refuse_child(e, child, c);
  }
}

void check_activity(const Element& e, std::initializer_list<std::string_view> own, Context& c) {
  check_common(e, own, c);
  if (flag(e, "isForCompensation", false, c)) c.unsupported(e, describe(e) + " with isForCompensation=\"true\"");
  refuse_unless(e, "startQuantity", "1", c);
  refuse_unless(e, "completionQuantity", "1", c);
  read_default(e, c);
}

void read_default(const Element& e, Context& c) {
  if (const auto flow = e.find("default")) c.builder.set_default(e.id(), reference(*flow), e.line);
}

std::vector<const Element*> event_definitions(const Element& event) {
  constexpr std::string_view kEnd = "EventDefinition";
  std::vector<const Element*> found;
  for (const Element& child : event.children) {
    if (child.ns == Ns::Bpmn && (child.name.ends_with(kEnd) || child.name == "eventDefinitionRef")) found.push_back(&child);
  }
  return found;
}

std::optional<expr::Expression> parse_expression(const Element& owner, std::string_view text, std::string_view what, Context& c) {
  Result<expr::Expression> parsed = expr::Expression::parse(text);
  if (parsed.ok()) return *std::move(parsed);
  c.fault(owner, "expression", "expected " + std::string(what) + " to be an expression: " + parsed.error().message);
  return std::nullopt;
}

bool has_expression(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("#{") != std::string_view::npos;
}

}  // namespace headrace::xml
