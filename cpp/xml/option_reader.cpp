#include "option_reader.hpp"

#include <algorithm>
#include <charconv>

namespace headrace::xml {

namespace {

bool in(std::initializer_list<std::string_view> list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void OptionReader::fault(const Element& at, const std::string& message, std::string hint) {
  context.builder.add_fault(
      {model::printable(task.id()), at.line, "service-option", model::printable(message, 1000), std::move(hint)});
}

void OptionReader::wrong(const Element& e, std::string_view attribute, std::string_view found, const std::string& expected) {
  fault(e, "expected " + expected + " for " + std::string(attribute) + " of hr:" + std::string(e.name) + ", but found '" +
               model::printable(found) + "'");
}

void OptionReader::only(const Element& e, std::initializer_list<std::string_view> attributes,
                        std::initializer_list<std::string_view> children) {
  for (const Attribute& a : e.attributes) {
    if (a.ns != Ns::Other && (a.ns != Ns::None || !in(attributes, a.name))) {
      fault(e, "expected an attribute that hr:" + std::string(e.name) + " has, but found '" + model::printable(a.name) + "'");
    }
  }
  for (const Element& child : e.children) {
    if (child.ns != Ns::Other && (child.ns != Ns::Headrace || !in(children, child.name))) {
      fault(child, "expected an element that may stand in hr:" + std::string(e.name) + ", but found '" +
                       model::printable(child.name) + "'");
    }
  }
}

std::string OptionReader::required(const Element& e, std::string_view attribute) {
  const std::string value = e.attribute(attribute);
  if (value.empty()) fault(e, "expected " + std::string(attribute) + " on hr:" + std::string(e.name) + ", but there is none");
  return value;
}

std::optional<Duration> OptionReader::duration(const Element& e, std::string_view attribute) {
  const auto text = e.find(attribute);
  if (!text) return std::nullopt;
  if (*text == "unbounded") return Duration::max();
  const Result<Duration> parsed = parse_duration(*text);
  if (parsed.ok()) return *parsed;
  wrong(e, attribute, *text, "an ISO 8601 duration");
  return std::nullopt;
}

std::optional<int> OptionReader::whole(const Element& e, std::string_view attribute) {
  const auto text = e.find(attribute);
  if (!text) return std::nullopt;
  const auto value = number<int>(*text);
  if (!value) wrong(e, attribute, *text, "a whole number");
  return value;
}

std::optional<double> OptionReader::fraction(const Element& e, std::string_view attribute) {
  const auto text = e.find(attribute);
  if (!text) return std::nullopt;
  const auto value = number<double>(*text);
  if (!value) wrong(e, attribute, *text, "a number");
  return value;
}

std::optional<bool> OptionReader::flag(const Element& e, std::string_view attribute) {
  return choice<bool>(e, attribute, {{"true", true}, {"false", false}});
}

std::optional<expr::JsonPath> OptionReader::path(const Element& e, std::string_view attribute) {
  const auto text = e.find(attribute);
  if (!text) return std::nullopt;
  Result<expr::JsonPath> parsed = expr::JsonPath::parse(*text);
  if (parsed.ok()) return *std::move(parsed);
  fault(e, "expected a JSONPath for " + std::string(attribute) + " of hr:" + std::string(e.name) + ": " + parsed.error().message);
  return std::nullopt;
}

}  // namespace headrace::xml
