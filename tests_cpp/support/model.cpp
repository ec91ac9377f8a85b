#include "support/model.hpp"

#include <gtest/gtest.h>

namespace headrace::testing {

using model::ElementKind;

VariableBlock vars(std::initializer_list<std::pair<std::string_view, Value>> entries) {
  VariableBlock block;
  for (const auto& [name, value] : entries) block.set(Variable::of(name, codec::encode(value).view(), Variable::kNobody));
  return block;
}

Model::Model(policy::Profile profile, std::string id) : profile_(profile), id_(id), builder_(std::move(id)) {
  builder_.set_profile(profile);
}

Model& Model::add(ElementKind kind, std::string id, model::NodeConfig config, std::string name) {
  builder_.add_node(kind, std::move(id), std::move(name), parent_, std::move(config));
  return *this;
}

Model& Model::in(std::string parent) {
  parent_ = std::move(parent);
  return *this;
}
Model& Model::start(std::string id) { return add(ElementKind::StartEvent, std::move(id)); }
Model& Model::end(std::string id) { return add(ElementKind::EndEvent, std::move(id)); }
Model& Model::terminate(std::string id) { return add(ElementKind::TerminateEndEvent, std::move(id)); }
Model& Model::error_end(std::string id, std::string code, std::string message) {
  return add(ElementKind::ErrorEndEvent, std::move(id), model::ErrorConfig{std::move(code), std::move(message)});
}
Model& Model::task(std::string id, model::ServiceTaskConfig config) {
  if (config.locus == model::Locus::InProcess && !config.in_process_policy) {
    policy::Policy p = policy::resolve_in_process(config.options, {}, profile_);
    p.in_message = config.operation->in_message;
    p.out_message = config.operation->out_message;
    config.in_process_policy = std::make_shared<const policy::Policy>(std::move(p));
  }
  return add(ElementKind::ServiceTask, std::move(id), std::move(config));
}
Model& Model::user(std::string id) { return add(ElementKind::UserTask, std::move(id)); }
Model& Model::rule(std::string id, std::string decision, std::string name) {
  return add(ElementKind::BusinessRuleTask, std::move(id), model::BusinessRuleConfig{std::move(decision)}, std::move(name));
}
Model& Model::exclusive(std::string id) { return add(ElementKind::ExclusiveGateway, std::move(id)); }
Model& Model::parallel(std::string id) { return add(ElementKind::ParallelGateway, std::move(id)); }
Model& Model::sub(std::string id) { return add(ElementKind::SubProcess, std::move(id)); }

Model& Model::timer(std::string id, std::string host, std::string_view value, model::TimerConfig::Type type) {
  Result<expr::Expression> parsed = expr::Expression::parse(value);
  if (!parsed.ok()) ADD_FAILURE() << parsed.error().message;
  add(ElementKind::BoundaryTimer, id, model::TimerConfig{type, *std::move(parsed)});
  builder_.attach(std::move(id), std::move(host));
  return *this;
}

Model& Model::catches(std::string id, std::string host, std::optional<std::string> code) {
  add(ElementKind::BoundaryError, id, model::ErrorConfig{std::move(code), ""});
  builder_.attach(std::move(id), std::move(host));
  return *this;
}

Model& Model::path(std::initializer_list<std::string> ids) {
  for (auto it = ids.begin(); it + 1 < ids.end(); ++it) flow(*it, *(it + 1));
  return *this;
}

Model& Model::flow(const std::string& from, const std::string& to, std::string_view condition) {
  std::optional<model::Condition> when;
  if (!condition.empty()) {
    Result<expr::Expression> parsed = expr::Expression::parse(condition);
    if (!parsed.ok()) ADD_FAILURE() << parsed.error().message;
    when = model::Condition{*std::move(parsed), nullptr};
  }
  builder_.add_flow(from + "_" + to, from, to, std::move(when));
  return *this;
}

Model& Model::flow(const std::string& from, const std::string& to, model::PredicatePtr asked) {
  builder_.add_flow(from + "_" + to, from, to, model::Condition{{}, std::move(asked)});
  return *this;
}

Model& Model::otherwise(const std::string& from, const std::string& to) {
  flow(from, to);
  builder_.set_default(from, from + "_" + to);
  return *this;
}

model::DefinitionPtr Model::build() const {
  model::Builder::Built built = builder_.build();
  if (!built.faults.empty()) ADD_FAILURE() << to_text(id_, built.faults);
  return built.definition;
}

model::DefinitionPtr straight(model::ServiceTaskConfig task, policy::Profile profile) {
  return Model(profile).start().task("pay", std::move(task)).end().path({"start", "pay", "end"}).build();
}

model::ServiceTaskConfig external(std::string topic) {
  model::ServiceTaskConfig c;
  c.locus = model::Locus::Worker;
  c.topic = std::move(topic);
  return c;
}
model::ServiceTaskConfig external(model::OperationPtr operation, std::string topic) {
  model::ServiceTaskConfig c = external(std::move(topic));
  c.operation = std::move(operation);
  return c;
}
model::ServiceTaskConfig in_process(model::OperationPtr operation) {
  model::ServiceTaskConfig c;
  c.operation = std::move(operation);
  return c;
}

model::OperationPtr contract(std::initializer_list<policy::Field> in, std::initializer_list<policy::Field> out,
                             std::shared_ptr<const model::OperationBody> body) {
  auto op = std::make_shared<model::Operation>();
  op->name = "charge card";
  op->in_message = std::make_shared<policy::MessageType>(policy::MessageType{"ChargeRequest", in});
  if (out.size() > 0) op->out_message = std::make_shared<policy::MessageType>(policy::MessageType{"ChargeReceipt", out});
  op->body = std::move(body);
  return op;
}

model::OperationFault fault(Value code, std::string message) {
  policy::Failure f;
  f.code = std::move(code);
  f.message = std::move(message);
  return {std::move(f)};
}

}  // namespace headrace::testing
