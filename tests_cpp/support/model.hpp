#pragma once
// Builds definitions for tests in a few words, over model::Builder. A model with faults fails the test that builds it.

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/model/builder.hpp"

namespace headrace::testing {

VariableBlock vars(std::initializer_list<std::pair<std::string_view, Value>>);

class Model {
 public:
  explicit Model(policy::Profile profile = policy::Profile::Headrace, std::string id = "order");

  // What follows lies in this sub-process, "" is the top.
  Model& in(std::string parent);
  Model& start(std::string id = "start");
  Model& end(std::string id = "end");
  Model& terminate(std::string id);
  Model& error_end(std::string id, std::string code, std::string message = "");
  // An in-process task without a policy of its own gets the one that a deploy gives it.
  Model& task(std::string id, model::ServiceTaskConfig);
  Model& user(std::string id);
  Model& rule(std::string id, std::string decision = "", std::string name = "");
  Model& exclusive(std::string id);
  Model& parallel(std::string id);
  Model& sub(std::string id);
  Model& timer(std::string id, std::string host, std::string_view value,
               model::TimerConfig::Type type = model::TimerConfig::Type::Duration);
  Model& catches(std::string id, std::string host, std::optional<std::string> code);
  // Flows from each element to the next; a flow's id is "from_to".
  Model& path(std::initializer_list<std::string> ids);
  Model& flow(const std::string& from, const std::string& to, std::string_view condition = "");
  Model& flow(const std::string& from, const std::string& to, model::PredicatePtr asked);
  Model& otherwise(const std::string& from, const std::string& to);

  model::DefinitionPtr build() const;

 private:
  Model& add(model::ElementKind, std::string id, model::NodeConfig = {}, std::string name = "");
  policy::Profile profile_;
  std::string id_, parent_;
  model::Builder builder_;
};

// start -> the task -> end.
model::DefinitionPtr straight(model::ServiceTaskConfig task, policy::Profile profile = policy::Profile::Headrace);

// An external task: an open contract, or a worker's task with an operation.
model::ServiceTaskConfig external(std::string topic = "charge-card");
model::ServiceTaskConfig external(model::OperationPtr, std::string topic = "charge-card");
model::ServiceTaskConfig in_process(model::OperationPtr);

// An operation run by a function; `safe`: inside the step.
template <class F>
struct FunctionBody final : model::OperationBody {
  FunctionBody(F f, bool is_safe) : fn(std::move(f)), safe(is_safe) {}
  model::OperationResult invoke(const model::OperationCall& call) const override { return fn(call); }
  bool inline_safe() const override { return safe; }
  F fn;
  bool safe;
};
template <class F>
model::OperationPtr functor(F f, bool safe = true) {
  auto op = std::make_shared<model::Operation>();
  op->kind = model::OperationKind::Functor;
  op->name = "functor";
  op->body = std::make_shared<FunctionBody<F>>(std::move(f), safe);
  return op;
}
// A message operation; without a function only a contract. `out` empty: any output.
model::OperationPtr contract(std::initializer_list<policy::Field> in, std::initializer_list<policy::Field> out = {},
                             std::shared_ptr<const model::OperationBody> body = nullptr);
template <class F>
std::shared_ptr<const model::OperationBody> body(F f, bool safe = true) {
  return std::make_shared<FunctionBody<F>>(std::move(f), safe);
}
model::OperationFault fault(Value code, std::string message);

}  // namespace headrace::testing
