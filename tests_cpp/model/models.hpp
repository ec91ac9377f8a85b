#pragma once
// Small models to break in one place.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/model/builder.hpp"

namespace headrace::model::testing {

struct EchoBody final : OperationBody {
  OperationResult invoke(const OperationCall& call) const override { return OperationOutput{call.input}; }
};

inline void add(Builder& b, ElementKind kind, const std::string& id, const std::string& parent = "", NodeConfig config = {},
                int line = 0) {
  b.add_node(kind, id, "", parent, std::move(config), line);
}
inline void flow(Builder& b, const std::string& source, const std::string& target) {
  b.add_flow(source + "_" + target, source, target, {});
}
inline Condition when(std::string_view text) { return {expr::Expression::parse(text).value(), nullptr}; }

inline OperationPtr message_operation() {
  auto op = std::make_shared<Operation>();
  op->name = "charge";
  op->in_message = std::make_shared<policy::MessageType>(policy::MessageType{"In", {{"amount", policy::FieldType::Float}}});
  op->out_message = std::make_shared<policy::MessageType>(policy::MessageType{"Out", {{"receipt", policy::FieldType::String}}});
  op->errors = {{"DECLINED", ""}};
  op->body = std::make_shared<EchoBody>();
  return op;
}
inline ServiceTaskConfig worker_task(const std::string& topic = "charge") {
  ServiceTaskConfig c;
  c.locus = Locus::Worker;
  c.topic = topic;
  c.operation = message_operation();
  return c;
}
inline ServiceTaskConfig in_process_task() {
  ServiceTaskConfig c;
  c.operation = message_operation();
  return c;
}

// start -> task -> end, with the given task.
inline Builder straight(NodeConfig task, ElementKind kind = ElementKind::ServiceTask) {
  Builder b("order");
  add(b, ElementKind::StartEvent, "start");
  add(b, kind, "task", "", std::move(task));
  add(b, ElementKind::EndEvent, "end");
  flow(b, "start", "task");
  flow(b, "task", "end");
  return b;
}
inline Builder straight() { return straight(std::monostate(), ElementKind::UserTask); }

// The rules that fail, each with its element: "start-missing order".
inline std::vector<std::string> rules_of(const Builder& b) {
  std::vector<std::string> rules;
  for (const Fault& f : b.build().faults) rules.push_back(f.rule + " " + f.element);
  return rules;
}
inline std::vector<std::string> only(const std::string& one) { return {one}; }
inline bool warns(const Builder& b, std::string_view text) {
  const Builder::Built built = b.build();
  return built.definition && std::any_of(built.definition->warnings.begin(), built.definition->warnings.end(),
                                         [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

}  // namespace headrace::model::testing
