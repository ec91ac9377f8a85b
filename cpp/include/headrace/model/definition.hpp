#pragma once
// A compiled process definition: dense indexes, immutable, shared by all its instances. Made by model/builder.hpp, which
// validates it. Safe from any thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "headrace/expr/expression.hpp"
#include "headrace/model/operation.hpp"
#include "headrace/policy/policy.hpp"

namespace headrace::model {

using NodeIndex = std::uint32_t;
using FlowIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// The kinds of elements an engine can run; one behaviour each (core/elements).
enum class ElementKind : std::uint8_t {
  StartEvent,
  EndEvent,
  TerminateEndEvent,
  ErrorEndEvent,
  ServiceTask,
  BusinessRuleTask,
  UserTask,
  ExclusiveGateway,
  ParallelGateway,
  SubProcess,
  BoundaryTimer,
  BoundaryError,
};
inline constexpr std::size_t kElementKinds = 12;
// BPMN's own words: "startEvent", "serviceTask", …
std::string_view name_of(ElementKind);
bool is_activity(ElementKind);  // tasks and sub-processes: what a boundary event can be attached to

// How a service task runs (ADR-021 2.1, 2.2).
enum class Locus : std::uint8_t { InProcess, Worker };

struct ServiceTaskConfig {
  Locus locus = Locus::InProcess;
  std::string topic;       // Worker: the fetch key
  OperationPtr operation;  // null: an external task from XML, open contract
  policy::ServiceOptions options;
  std::int64_t priority = 0;
  std::string implementation;           // carried, never selects a locus (design 4.14)
  policy::PolicyPtr in_process_policy;  // InProcess: resolved when the model is built; null means no policy at all
};
struct BusinessRuleConfig {
  std::string decision_ref;
};
// A timer's value: an ISO 8601 duration or date, or an expression that gives one (or a datetime).
struct TimerConfig {
  enum class Type : std::uint8_t { Duration, Date } type = Type::Duration;
  expr::Expression value;
};
struct ErrorConfig {
  std::optional<std::string> code;  // nullopt: catch-all (boundary); an error end event always has one
  std::string message;
};
using NodeConfig = std::variant<std::monostate, ServiceTaskConfig, BusinessRuleConfig, TimerConfig, ErrorConfig>;

// A condition of a sequence flow: an expression, or a host callable asked by the shell (design 1.3 `Ask`).
struct Condition {
  expr::Expression expression;
  PredicatePtr callable;  // null: use the expression
};

struct Flow {
  FlowIndex index = kNone;
  std::string id;
  NodeIndex source = kNone;
  NodeIndex target = kNone;
  std::optional<Condition> condition;
  int line = 0;
};

struct Node {
  NodeIndex index = kNone;
  ElementKind kind = ElementKind::StartEvent;
  std::string id;
  std::string name;
  NodeIndex parent = kNone;  // the enclosing sub-process, kNone at the top
  std::vector<FlowIndex> incoming;
  std::vector<FlowIndex> outgoing;
  FlowIndex default_flow = kNone;
  NodeIndex attached_to = kNone;      // boundary events
  std::vector<NodeIndex> boundaries;  // activities: their boundary events
  NodeIndex start = kNone;            // sub-process: its none start event
  int line = 0;                       // in the XML, 0 when built in code
  NodeConfig config;

  const ServiceTaskConfig& service() const { return *std::get_if<ServiceTaskConfig>(&config); }
  const TimerConfig& timer() const { return *std::get_if<TimerConfig>(&config); }
  const ErrorConfig& error() const { return *std::get_if<ErrorConfig>(&config); }
};

// Diagram interchange (BPMN DI), for drawings; in the units of the file.
struct Shape {
  NodeIndex node = kNone;
  double x = 0, y = 0, width = 0, height = 0;
};
struct Edge {
  FlowIndex flow = kNone;
  std::vector<std::pair<double, double>> waypoints;
};
struct Diagram {
  std::vector<Shape> shapes;
  std::vector<Edge> edges;
};

class Definition {
 public:
  std::string id;  // process id, NCName
  std::string name;
  policy::Profile profile = policy::Profile::Headrace;
  std::uint32_t version = 1;  // set at deploy
  std::vector<Node> nodes;
  std::vector<Flow> flows;
  NodeIndex start = kNone;  // the none start event
  Diagram diagram;          // empty when the model has none
  std::string source;       // the XML it came from, "" when built in code
  std::vector<std::string> warnings;

  const Node& node(NodeIndex i) const { return nodes[i]; }
  const Flow& flow(FlowIndex i) const { return flows[i]; }
  std::vector<NodeIndex> by_id;  // node indexes in the order of their ids, filled by the builder

  // kNone when absent. A binary search where by_id is filled, else one by one.
  NodeIndex find_node(std::string_view id) const;
};
using DefinitionPtr = std::shared_ptr<const Definition>;

}  // namespace headrace::model
