#include "headrace/xml/reader.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "dom.hpp"
#include "elements.hpp"
#include "scan.hpp"

namespace headrace::xml {

namespace {

using model::Fault;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// What may stand in the definitions and means nothing here, or is read where it is referred to.
constexpr auto kSilentRoots =
    std::to_array<std::string_view>({"import",     "extension",     "documentation", "extensionElements", "process",
                                     "error",      "collaboration", "category",      "dataStore",         "itemDefinition",
                                     "message",    "interface",     "relationship",  "resource",          "signal",
                                     "escalation", "endPoint",      "partnerEntity", "partnerRole",       "correlationProperty"});
constexpr auto kUnsupportedRoots =
    std::to_array<std::string_view>({"choreography", "globalChoreographyTask", "globalConversation"});

ErrorElements read_errors(const Element& definitions) {
  ErrorElements errors;
  for (const Element& e : definitions.children) {
    if (e.is(Ns::Bpmn, "error"))
      errors.emplace(e.id(), ErrorElement{e.attribute("errorCode"), e.attribute("errorMessage", Ns::Camunda)});
  }
  return errors;
}

class ModelReader {
 public:
  ModelReader(const Document& document, std::string_view text, policy::Profile profile)
      : root_(document.root()), text_(text), profile_(profile), errors_(read_errors(root_)) {}

  ReadResult read() {
    check_definitions();
    std::size_t executable = 0;
    for (const Element& e : root_.children) {
      if (!e.is(Ns::Bpmn, "process")) continue;
      const auto flag_text = e.find("isExecutable");
      if (flag_text != "true" && flag_text != "1") continue;
      ++executable;
      read_process(e);
    }
    if (executable == 0) {
      result_.faults.push_back({"", root_.line, "no-executable-process",
                                "expected a process with isExecutable=\"true\", but there is none",
                                "mark the process as executable"});
    }
    if (!result_.faults.empty()) result_.definitions.clear();
    return std::move(result_);
  }

 private:
  void check_definitions() {
    for (const Element& e : root_.children) {
      if (e.ns != Ns::Bpmn || std::find(kSilentRoots.begin(), kSilentRoots.end(), e.name) != kSilentRoots.end()) continue;
      if (e.name.starts_with("global") ||
          std::find(kUnsupportedRoots.begin(), kUnsupportedRoots.end(), e.name) != kUnsupportedRoots.end()) {
        result_.faults.push_back({model::printable(e.id()), e.line, "unsupported-element",
                                  "expected what this engine can run, but found " + describe(e),
                                  "this element is not supported yet"});
      } else if (!e.name.ends_with("EventDefinition") && e.name != "conversation" && e.name != "globalTask") {
        result_.faults.push_back({model::printable(e.id()), e.line, "unknown-element",
                                  "expected an element of BPMN 2.0 in the definitions, but found " + model::printable(e.name),
                                  ""});
      }
    }
  }

  void read_process(const Element& e) {
    const auto [first, is_new] = processes_.emplace(e.id(), e.line);
    if (!is_new) {
      result_.faults.push_back({model::printable(e.id()), e.line, "duplicate-id",
                                "expected unique ids, but '" + model::printable(e.id()) + "' is the id of a process (line " +
                                    std::to_string(first->second) + ") and of a process (line " + std::to_string(e.line) + ")",
                                "rename one of them"});
    }
    model::Builder builder(e.id(), e.attribute("name"), e.line);
    builder.set_profile(profile_);
    builder.set_source(std::string(text_));
    Context context(builder, errors_);
    check_vendor(e, e, context);
    context.default_priority = read_priority(e, 0, context);
    read_scope(e, context);
    read_diagram(root_, builder);
    model::Builder::Built built = builder.build();
    result_.faults.insert(result_.faults.end(), built.faults.begin(), built.faults.end());
    if (!built.definition) return;
    auto& warnings = built.definition->warnings;
    warnings.insert(warnings.begin(), context.warnings.begin(), context.warnings.end());
    result_.definitions.push_back(std::move(built.definition));
  }

  const Element& root_;
  std::string_view text_;
  policy::Profile profile_;
  ErrorElements errors_;
  std::unordered_map<std::string, int> processes_;
  ReadResult result_;
};

}  // namespace

ReadResult read_bpmn(std::string_view text, std::optional<policy::Profile> profile) {
  const std::string_view content = text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
  if (std::optional<Fault> fault = scan(content)) return {{}, {*std::move(fault)}};
  std::variant<Document, Fault> parsed = Document::parse(content);
  if (auto* fault = std::get_if<Fault>(&parsed)) return {{}, {std::move(*fault)}};
  const Document& document = *std::get_if<Document>(&parsed);
  const Element& root = document.root();
  if (!root.is(Ns::Bpmn, "definitions")) {
    return {{},
            {{"", root.line, "not-bpmn",
              "not BPMN XML: expected <definitions> in the namespace http://www.omg.org/spec/BPMN/20100524/MODEL, but found <" +
                  model::printable(root.name, 80) + ">",
              "give a BPMN 2.0 file"}}};
  }
  const policy::Profile own = document.has_vendor_content() ? policy::Profile::Camunda7 : policy::Profile::Headrace;
  return ModelReader(document, text, profile.value_or(own)).read();
}

}  // namespace headrace::xml
