#pragma once
// Error mapping and output mapping (ADR-021 2.5, 2.6; design 4.9). A rule matches on a code and a clause over the body, the first
// match wins, and gives one outcome. Output rules take values out of a result's body by path. Both read bodies by one mechanism:
// the binding's paths (RFC 9535 for the JSON binding). Pure.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "headrace/base/result.hpp"
#include "headrace/base/value.hpp"
#include "headrace/base/variables.hpp"
#include "headrace/expr/jsonpath.hpp"
#include "headrace/policy/retry.hpp"

namespace headrace::policy {

// A literal, or a path over the body: hr.path("$.x").
struct Source {
  std::variant<Value, expr::JsonPath> from = Value();
  // The value; a path that selects nothing or more than one node, or runs out of budget, is an error (Technical).
  Result<Value> read(const Value& body) const;
  bool is_path() const { return from.index() == 1; }
};

struct ToBpmnError {
  Source code;
  std::optional<Source> message;
};
struct ToStatus {
  Source value;
};
struct ToTechnical {};

struct ErrorRule {
  // Matches a fault's code: any code when nullopt; numbers by value, text by content. 404 and "404" are the same code.
  std::optional<Value> code;
  std::optional<expr::Clause> body;
  std::variant<ToBpmnError, ToStatus, ToTechnical> outcome = ToTechnical{};
};

// What a fault means. `note` is "" or says which clauses or sources could not be evaluated, for the shell's log; it never holds
// body values.
struct BusinessError {
  std::string code;  // never empty
  std::string message;
  std::string note = {};
};
struct BusinessStatus {
  Value value;
  std::string note = {};
};
struct Technical {
  std::string note = {};
};
using Classification = std::variant<BusinessError, BusinessStatus, Technical>;

class ErrorMapper {
 public:
  virtual ~ErrorMapper() = default;
  virtual Result<Classification> classify(const Failure&) const = 0;
  virtual bool custom() const { return false; }  // a Python object: engine-owned
  virtual const std::vector<ErrorRule>* rules() const { return nullptr; }
  // Whether a rule may yield a status: then WithStatus is needed (a build error without, design 4.14).
  virtual bool may_give_status() const { return false; }
};
using ErrorMapperPtr = std::shared_ptr<const ErrorMapper>;

// Ordered rules. No rule matching: Technical; so is a source that fails, and a BPMN error code that turns out empty or no text or
// number. Errors: Validation (more than 100 rules; a rule's code that is no number, text or null; a literal BPMN error code that
// is empty or no text or number).
Result<ErrorMapperPtr> rule_mapper(std::vector<ErrorRule>);

// hr.out("$.data.id", "orderId", optional=False)
struct OutputRule {
  expr::JsonPath path;
  std::string target;
  bool optional = false;
};
struct OutputMapping {
  std::vector<OutputRule> rules;
};
// Targets with their values; a required path that selects nothing is a Technical error naming path and target. A path that
// selects several nodes gives a list unless the path is singular.
Result<ValueMap> map_output(const OutputMapping&, const Value& body);
// The same for rules that all read plain members of the body (`$.name`), straight from its fields. Nullopt where that cannot
// decide (another path, or a required member that is absent): then map_output says.
std::optional<VariableBlock> map_members(const OutputMapping&, const VariableBlock& body);

// A protocol binding: how raw {code, body} reports read (ADR-021 2.6 "mappers are bound to a protocol binding").
class Binding {
 public:
  virtual ~Binding() = default;
  virtual std::string_view name() const = 0;
  // Whether a raw report with this code is a success (HTTP: 2xx; a null code with the plain JSON binding).
  virtual bool success(const Value& code) const = 0;
  // The body of a raw report as a value: text is parsed as JSON where it is JSON, else stays text.
  virtual Value body(const Value& raw) const = 0;
};
using BindingPtr = std::shared_ptr<const Binding>;
const Binding& http_json_binding();  // JSON body + HTTP status: the default

}  // namespace headrace::policy
