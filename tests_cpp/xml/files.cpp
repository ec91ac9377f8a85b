#include "files.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace headrace::xml::testing {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

std::string model_file(std::string_view name) {
  return content_of(std::filesystem::path(HEADRACE_SOURCE_DIR) / "tests_cpp/xml" / name);
}

std::optional<std::filesystem::path> reference() {
  const char* set = std::getenv("HEADRACE_REFERENCE");
  const std::filesystem::path path =
      set != nullptr ? std::filesystem::path(set) : std::filesystem::path(HEADRACE_SOURCE_DIR) / "../shared";
  return std::filesystem::exists(path / "models/payment.bpmn") ? std::optional(path) : std::nullopt;
}

std::string definitions(std::string_view content) {
  std::string text =
      R"(<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn")"
      R"( xmlns:hr="urn:headrace:bpmn:1" xmlns:x="urn:somebody-else" targetNamespace="t">)";
  return text.append(content).append("</definitions>");
}

std::string process_of(std::string_view first, std::string_view elements, std::string_view before) {
  std::string text(before);
  text.append(R"(<process id="p" isExecutable="true"><startEvent id="s"/>)").append(elements).append(R"(<endEvent id="e"/>)");
  text.append(R"(<sequenceFlow id="s_f" sourceRef="s" targetRef=")")
      .append(first)
      .append(R"("/><sequenceFlow id="f_e" sourceRef=")");
  return definitions(text.append(first).append(R"(" targetRef="e"/></process>)"));
}

std::string external(std::string_view attributes, std::string_view content) {
  std::string task = R"(<serviceTask id="t" camunda:type="external" camunda:topic="work" )";
  return process_of("t", task.append(attributes).append(">").append(content).append("</serviceTask>"));
}

std::string user_task(std::string_view attributes, std::string_view content) {
  std::string task = R"(<userTask id="u" )";
  return process_of("u", task.append(attributes).append(">").append(content).append("</userTask>"));
}

std::string rules_of(std::string_view text) {
  std::string rules;
  for (const model::Fault& f : read_bpmn(text).faults)
    rules.append(rules.empty() ? "" : ", ").append(f.rule).append(" ").append(f.element);
  return rules;
}

std::string text_of(std::string_view text) { return model::to_text("p", read_bpmn(text).faults); }

}  // namespace headrace::xml::testing
