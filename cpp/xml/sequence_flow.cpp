// Sequence flows and their conditions.

#include <algorithm>

#include "elements.hpp"

namespace headrace::xml {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::optional<model::Condition> read_condition(const Element& flow, const Element& condition, Context& c) {
  check_vendor(condition, flow, c);
  if (const auto language = condition.find("language"); language && !language->empty() && lower(*language) != "juel") {
    c.unsupported(flow, "a condition in '" + model::printable(*language) + "' on " + describe(flow), "write it as ${…}");
    return std::nullopt;
  }
  if (condition.text.empty()) {
    c.fault(flow, "expression", "expected an expression as condition of " + describe(flow) + ", but it is empty",
            "write it as ${…}");
    return std::nullopt;
  }
  auto parsed = parse_expression(flow, condition.text, "the condition", c);
  if (!parsed) return std::nullopt;
  return model::Condition{*std::move(parsed), nullptr};
}

std::string end_of(const Element& e, std::string_view attribute, Context& c) {
  if (!e.find(attribute))
    c.fault(e, "dangling-ref", "expected " + std::string(attribute) + " on " + describe(e) + ", but there is none");
  return reference(e.attribute(attribute));
}

}  // namespace

void read_sequence_flow(const Element& e, Context& c) {
  check_common(e, {"conditionExpression"}, c);
  std::optional<model::Condition> condition;
  if (const Element* expression = e.child("conditionExpression")) condition = read_condition(e, *expression, c);
  c.builder.add_flow(e.id(), end_of(e, "sourceRef", c), end_of(e, "targetRef", c), std::move(condition), e.line);
}

}  // namespace headrace::xml
