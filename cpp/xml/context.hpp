#pragma once
// What the readers of the elements share while one process is read.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dom.hpp"
#include "headrace/model/builder.hpp"

namespace headrace::xml {

// An <error> of the definitions: what errorRef names.
struct ErrorElement {
  std::string code;  // "" when it has none
  std::string message;
};
using ErrorElements = std::unordered_map<std::string, ErrorElement>;

class Context {
 public:
  Context(model::Builder& to, const ErrorElements& declared) : builder(to), errors(declared) {}

  model::Builder& builder;
  const ErrorElements& errors;
  std::string parent;                 // id of the sub-process being read, "" at the top
  std::int64_t default_priority = 0;  // camunda:taskPriority of the process
  std::vector<std::string> warnings;

  // A fault of an element that has no id of its own (a condition, an event definition) is given to its owner.
  void fault(const Element& owner, std::string rule, const std::string& message, std::string hint = "");
  void warn(const Element& owner, std::string_view rule, const std::string& message);
  void unsupported(const Element& owner, const std::string& what, std::string hint = "");
};

// "serviceTask 'pay'": how messages name an element.
std::string describe(const Element&);
// An xsd:boolean attribute; another text than true, false, 1, 0 is a fault.
bool flag(const Element&, std::string_view attribute, bool fallback, Context&);
// A reference as files write it: the part behind a prefix.
std::string reference(std::string_view qname);

}  // namespace headrace::xml
