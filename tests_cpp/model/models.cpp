#include "models.hpp"

#include <algorithm>

namespace headrace::model::testing {

void add(Builder& b, ElementKind kind, std::string_view id, std::string_view parent, NodeConfig config, int line) {
  b.add_node(kind, std::string(id), "", std::string(parent), std::move(config), line);
}

void flow(Builder& b, std::string_view source, std::string_view target) {
  std::string id(source);
  b.add_flow(id.append("_").append(target), std::string(source), std::string(target), {});
}

Condition when(std::string_view text) { return {expr::Expression::parse(text).value(), nullptr}; }

OperationPtr message_operation() {
  auto op = std::make_shared<Operation>();
  op->name = "charge";
  op->in_message = std::make_shared<policy::MessageType>(policy::MessageType{"In", {{"amount", policy::FieldType::Float}}});
  op->out_message = std::make_shared<policy::MessageType>(policy::MessageType{"Out", {{"receipt", policy::FieldType::String}}});
  op->errors = {{"DECLINED", ""}};
  op->body = std::make_shared<EchoBody>();
  return op;
}

ServiceTaskConfig worker_task(std::string_view topic) {
  ServiceTaskConfig c;
  c.locus = Locus::Worker;
  c.topic = std::string(topic);
  c.operation = message_operation();
  return c;
}

ServiceTaskConfig in_process_task() {
  ServiceTaskConfig c;
  c.operation = message_operation();
  return c;
}

Builder straight(NodeConfig task, ElementKind kind) {
  Builder b("order");
  add(b, ElementKind::StartEvent, "start");
  add(b, kind, "task", "", std::move(task));
  add(b, ElementKind::EndEvent, "end");
  flow(b, "start", "task");
  flow(b, "task", "end");
  return b;
}

Builder straight() { return straight(std::monostate(), ElementKind::UserTask); }

std::string rules_of(const Builder& b) {
  std::string rules;
  for (const Fault& f : b.build().faults) rules.append(rules.empty() ? "" : ", ").append(f.rule).append(" ").append(f.element);
  return rules;
}

bool warns(const Builder& b, std::string_view text) {
  const Builder::Built built = b.build();
  return built.definition && std::any_of(built.definition->warnings.begin(), built.definition->warnings.end(),
                                         [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

}  // namespace headrace::model::testing
