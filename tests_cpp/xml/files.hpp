#pragma once
// Texts and files for the tests of the reader.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "headrace/xml/reader.hpp"

namespace headrace::xml::testing {

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}
// A model beside these tests.
inline std::string model_file(const std::string& name) {
  return content_of(std::filesystem::path(HEADRACE_SOURCE_DIR) / "tests_cpp/xml" / name);
}

// The reference material; nullopt when it is not there.
inline std::optional<std::filesystem::path> reference() {
  const char* set = std::getenv("HEADRACE_REFERENCE");
  const std::filesystem::path path =
      set != nullptr ? std::filesystem::path(set) : std::filesystem::path(HEADRACE_SOURCE_DIR) / "../shared";
  return std::filesystem::exists(path / "models/payment.bpmn") ? std::optional(path) : std::nullopt;
}
inline constexpr const char* kNoReference = "the reference material (HEADRACE_REFERENCE, default ../shared) is not there";

// Definitions around `content`, all namespaces declared.
inline std::string definitions(const std::string& content) {
  return R"(<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn")"
         R"( xmlns:hr="urn:headrace:bpmn:1" xmlns:x="urn:somebody-else" targetNamespace="t">)" +
         content + "</definitions>";
}
// A process with a start event s, the given elements, and flows s -> first and first -> e.
inline std::string process_of(const std::string& first, const std::string& elements, const std::string& before = "") {
  return definitions(before + R"(<process id="p" isExecutable="true"><startEvent id="s"/>)" + elements + R"(<endEvent id="e"/>)" +
                     R"(<sequenceFlow id="s_f" sourceRef="s" targetRef=")" + first + R"("/>)" +
                     R"(<sequenceFlow id="f_e" sourceRef=")" + first + R"(" targetRef="e"/></process>)");
}
inline std::string external(const std::string& attributes = "", const std::string& content = "") {
  return process_of("t", R"(<serviceTask id="t" camunda:type="external" camunda:topic="work" )" + attributes + ">" + content +
                             "</serviceTask>");
}
inline std::string user_task(const std::string& attributes, const std::string& content = "") {
  return process_of("u", R"(<userTask id="u" )" + attributes + ">" + content + "</userTask>");
}

inline std::vector<std::string> rules_of(const std::string& text) {
  std::vector<std::string> rules;
  for (const model::Fault& f : read_bpmn(text).faults) rules.push_back(f.rule + " " + f.element);
  return rules;
}
inline std::string text_of(const std::string& text) { return model::to_text("p", read_bpmn(text).faults); }
inline std::vector<std::string> only(const std::string& one) { return {one}; }

}  // namespace headrace::xml::testing
