#pragma once
// Operations (BPMN service interfaces): a contract of in and out message and declared errors, and what runs it in the process.
// The body is a port: C++ functors and Python callables implement it; the core calls only bodies marked inline_safe, the shell
// runs the others on its pool (design 1.8).

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "headrace/base/slice.hpp"
#include "headrace/base/variables.hpp"
#include "headrace/policy/contract.hpp"
#include "headrace/policy/mapping.hpp"

namespace headrace::model {

// What one call of an operation gets. `input` is the bound in message, or all visible variables for a functor operation.
struct OperationCall {
  VariableBlock input;
  std::string id;                                      // stable over retries: an idempotency key (the JobId form)
  int attempt = 1;                                     // 1 for the first execution
  std::shared_ptr<const std::atomic<bool>> cancelled;  // null for inline calls; set on timeout, interrupt, cancel
};

struct OperationOutput {
  VariableBlock output;
};
struct OperationBpmnError {
  std::string code;
  std::string message;
  VariableBlock variables;
};
struct OperationStatus {
  Value value;
};
struct OperationFault {
  policy::Failure failure;
};
using OperationResult = std::variant<OperationOutput, OperationBpmnError, OperationStatus, OperationFault>;

// Effects of a body belong in its return value: what returns after a timeout is dropped (ADR-021 2.9).
class OperationBody {
 public:
  virtual ~OperationBody() = default;
  virtual OperationResult invoke(const OperationCall&) const = 0;
  // True: quick, pure, C++ only: may run inside the step on the stepping thread.
  virtual bool inline_safe() const { return false; }
  virtual std::string describe() const { return "callable"; }
};

enum class OperationKind : std::uint8_t { Message, Functor };

struct ErrorDeclaration {
  std::string code;
  std::string name;
};

struct Operation {
  OperationKind kind = OperationKind::Message;
  std::string name;
  std::shared_ptr<const policy::MessageType> in_message;   // null: no in message
  std::shared_ptr<const policy::MessageType> out_message;  // null: any output
  std::vector<ErrorDeclaration> errors;
  std::shared_ptr<const OperationBody> body;  // null: a contract only
};
using OperationPtr = std::shared_ptr<const Operation>;

// A condition given as a host callable: asked by the shell, on its pool.
class Predicate {
 public:
  virtual ~Predicate() = default;
  virtual Result<bool> holds(const VariableBlock& visible) const = 0;
  virtual std::string describe() const { return "callable"; }
};
using PredicatePtr = std::shared_ptr<const Predicate>;

}  // namespace headrace::model
