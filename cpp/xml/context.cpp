#include "context.hpp"

namespace headrace::xml {

std::string describe(const Element& e) {
  const std::string id = e.id();
  return std::string(e.name) + (id.empty() ? "" : " '" + model::printable(id) + "'");
}

void Context::fault(const Element& owner, std::string rule, const std::string& message, std::string hint) {
  builder.add_fault(
      {model::printable(owner.id()), owner.line, std::move(rule), model::printable(message, 1000), std::move(hint)});
}

void Context::warn(const Element& owner, std::string_view rule, const std::string& message) {
  warnings.push_back("'" + model::printable(owner.id()) + "' (line " + std::to_string(owner.line) +
                     "): " + model::printable(message, 1000) + " [" + std::string(rule) + "]");
}

void Context::unsupported(const Element& owner, const std::string& what, std::string hint) {
  fault(owner, "unsupported-element", "expected what this engine can run, but found " + what, std::move(hint));
}

bool flag(const Element& e, std::string_view attribute, bool fallback, Context& c) {
  const auto text = e.find(attribute);
  if (!text) return fallback;
  if (*text == "true" || *text == "1") return true;
  if (*text == "false" || *text == "0") return false;
  c.fault(e, "bad-attribute",
          "expected true or false for " + std::string(attribute) + ", but found '" + model::printable(*text) + "'");
  return fallback;
}

std::string reference(std::string_view qname) {
  const std::size_t colon = qname.find(':');
  return std::string(colon == std::string_view::npos ? qname : qname.substr(colon + 1));
}

}  // namespace headrace::xml
