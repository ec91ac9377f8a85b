// Error codes that an operation does not declare: a warning, as they propagate all the same (design 4.12).

#include <algorithm>

#include "rules.hpp"

namespace headrace::model {

namespace {

bool declares(const Operation& op, std::string_view code) {
  return std::any_of(op.errors.begin(), op.errors.end(), [&](const ErrorDeclaration& e) { return e.code == code; });
}

void check_code(const Node& at, const Operation& op, std::string_view code, Findings& out) {
  if (declares(op, code)) return;
  out.warn(at, "undeclared-error", "error code '" + std::string(code) + "' is not declared by operation '" + op.name + "'");
}

void check_mapper(const Node& n, const Operation& op, const policy::ErrorMapper& mapper, Findings& out) {
  if (mapper.rules() == nullptr) return;
  for (const policy::ErrorRule& rule : *mapper.rules()) {
    const auto* error = std::get_if<policy::ToBpmnError>(&rule.outcome);
    if (error == nullptr) continue;
    const auto* literal = std::get_if<Value>(&error->code.from);
    if (literal != nullptr && literal->is(Kind::String)) check_code(n, op, literal->as_string(), out);
  }
}

}  // namespace

void check_declared_errors(const Definition& d, Findings& out) {
  for (const Node& n : d.nodes) {
    const auto* config = std::get_if<ServiceTaskConfig>(&n.config);
    if (config == nullptr || !config->operation) continue;
    const Operation& op = *config->operation;
    if (config->options.errors) check_mapper(n, op, *config->options.errors, out);
    for (const NodeIndex b : n.boundaries) {
      const auto* error = std::get_if<ErrorConfig>(&d.node(b).config);
      if (error != nullptr && error->code) check_code(d.node(b), op, *error->code, out);
    }
  }
}

}  // namespace headrace::model
