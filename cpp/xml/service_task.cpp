// Service tasks: an external task of Camunda 7 (camunda:type="external", camunda:topic) or one with headrace:topic. Both have an
// open contract (design 4.15); other implementations need Java.

#include <algorithm>
#include <charconv>

#include "elements.hpp"

namespace headrace::xml {

namespace {

bool is_external(std::string_view type) {
  constexpr std::string_view kExternal = "external";
  return std::equal(type.begin(), type.end(), kExternal.begin(), kExternal.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
}

std::string vendor_topic(const Element& e, std::string_view type, Context& c) {
  if (!is_external(type)) {
    c.unsupported(e, describe(e) + " with camunda:type=\"" + model::printable(type) + "\"",
                  "camunda:type=\"external\" and camunda:topic are supported");
    return "-";
  }
  const auto topic = e.find("topic", Ns::Camunda);
  if (topic && has_expression(*topic)) {
    c.unsupported(e, "camunda:topic=\"" + model::printable(*topic) + "\" on " + describe(e), "write the topic itself");
  }
  return std::string(topic.value_or(std::string_view()));
}

bool needs_java(const Element& e) {
  return e.find("class", Ns::Camunda) || e.find("delegateExpression", Ns::Camunda) || e.find("expression", Ns::Camunda);
}

void read_topic(const Element& e, model::ServiceTaskConfig& config, Context& c) {
  config.locus = model::Locus::Worker;
  if (const auto type = e.find("type", Ns::Camunda)) {
    config.topic = vendor_topic(e, *type, c);
  } else if (const auto ours = e.find("topic", Ns::Headrace)) {
    config.topic = std::string(*ours);
  } else if (needs_java(e)) {
    config.topic = "-";  // refused by check_vendor
  } else {
    c.fault(e, "service-implementation", "expected a worker's topic on " + describe(e) + ", but there is none",
            "add camunda:type=\"external\" and camunda:topic, or headrace:topic");
    config.topic = "-";  // said once: the builder would say it again of an empty topic
  }
}

}  // namespace

std::int64_t read_priority(const Element& e, std::int64_t fallback, Context& c) {
  const auto text = e.find("taskPriority", Ns::Camunda);
  if (!text) return fallback;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && end == text->data() + text->size() && !text->empty()) return value;
  c.fault(e, "bad-attribute",
          "expected a whole number for camunda:taskPriority on " + describe(e) + ", but found '" + model::printable(*text) + "'",
          has_expression(*text) ? "expressions are not supported here" : "");
  return fallback;
}

void read_service_task(const Element& e, Context& c) {
  check_activity(e, {}, c);
  model::ServiceTaskConfig config;
  config.implementation = e.attribute("implementation");
  config.priority = read_priority(e, c.default_priority, c);
  read_topic(e, config, c);
  read_options(e, config, c);
  c.builder.add_node(model::ElementKind::ServiceTask, e.id(), e.attribute("name"), c.parent, std::move(config), e.line);
}

}  // namespace headrace::xml
