#pragma once
// The parsed file with its namespaces resolved: what the readers of the elements see. pugixml, which knows no namespaces, stays
// in dom.cpp. Texts are views into the document and live as long as it does.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "headrace/model/builder.hpp"

namespace headrace::xml {

// The namespaces that mean something here. Camunda's stands also for the older Activiti's and for Operaton's.
enum class Ns : std::uint8_t { None, Bpmn, Camunda, Headrace, Bpmndi, Dc, Di, Other };

struct Attribute {
  Ns ns = Ns::None;
  std::string_view name;  // without prefix
  std::string_view value;
};

struct Element {
  Ns ns = Ns::None;
  std::string_view name;  // without prefix
  int line = 0;
  std::vector<Attribute> attributes;
  std::vector<Element> children;
  std::string text;  // its own text, without space around it

  bool is(Ns wanted_ns, std::string_view wanted) const { return ns == wanted_ns && name == wanted; }
  std::optional<std::string_view> find(std::string_view attribute, Ns attribute_ns = Ns::None) const;
  std::string attribute(std::string_view name, Ns attribute_ns = Ns::None) const;  // "" when absent
  std::string id() const { return attribute("id"); }
  const Element* child(std::string_view wanted, Ns child_ns = Ns::Bpmn) const;  // the first, or nullptr
};

class Document {
 public:
  // Parses a scanned text. A fault: not well-formed, an unknown prefix, an attribute twice.
  static std::variant<Document, model::Fault> parse(std::string_view text);
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  const Element& root() const { return root_; }
  bool has_vendor_content() const { return vendor_; }  // an element or attribute of Camunda's namespace

 private:
  class Loader;
  struct Memory;
  Document();
  std::unique_ptr<Memory> memory_;
  Element root_;
  bool vendor_ = false;
};

}  // namespace headrace::xml
