#pragma once
// Small models to break in one place.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/model/builder.hpp"

namespace headrace::model::testing {

struct EchoBody final : OperationBody {
  OperationResult invoke(const OperationCall& call) const override { return OperationOutput{call.input}; }
};

void add(Builder& b, ElementKind kind, std::string_view id, std::string_view parent = "", NodeConfig config = {}, int line = 0);
void flow(Builder& b, std::string_view source, std::string_view target);  // its id is source_target
Condition when(std::string_view text);

OperationPtr message_operation();  // amount in, receipt out, declares DECLINED, has a body
ServiceTaskConfig worker_task(std::string_view topic = "charge");
ServiceTaskConfig in_process_task();

// start -> task -> end, with the given task (a user task when none is given).
Builder straight(NodeConfig task, ElementKind kind = ElementKind::ServiceTask);
Builder straight();

// The rules that fail, each with its element: "start-missing , bad-id a b"; "" when there are no faults.
std::string rules_of(const Builder& b);
bool warns(const Builder& b, std::string_view text);

}  // namespace headrace::model::testing
