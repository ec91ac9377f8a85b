#pragma once
// Helpers for the elements of our own namespace: each attribute is read by type, and whatever is not known is a fault, as a
// misspelt option would change behaviour silently.

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "context.hpp"
#include "headrace/base/time.hpp"
#include "headrace/expr/jsonpath.hpp"

namespace headrace::xml {

class OptionReader {
 public:
  OptionReader(const Element& of_task, Context& c) : task(of_task), context(c) {}

  const Element& task;  // faults are given to it
  Context& context;

  void fault(const Element& at, const std::string& message, std::string hint = "");
  // Faults for attributes and children of `e` that stand in neither list.
  void only(const Element& e, std::initializer_list<std::string_view> attributes,
            std::initializer_list<std::string_view> children = {});

  std::string required(const Element& e, std::string_view attribute);
  std::optional<Duration> duration(const Element& e, std::string_view attribute);  // ISO 8601, or "unbounded"
  std::optional<int> whole(const Element& e, std::string_view attribute);
  std::optional<double> fraction(const Element& e, std::string_view attribute);
  std::optional<bool> flag(const Element& e, std::string_view attribute);
  std::optional<expr::JsonPath> path(const Element& e, std::string_view attribute);

  template <class T>
  std::optional<T> choice(const Element& e, std::string_view attribute,
                          std::initializer_list<std::pair<std::string_view, T>> words) {
    const auto text = e.find(attribute);
    if (!text) return std::nullopt;
    std::string expected;
    for (const auto& [word, value] : words) {
      if (*text == word) return value;
      expected += (expected.empty() ? "" : " or ") + std::string(word);
    }
    wrong(e, attribute, *text, expected);
    return std::nullopt;
  }

 private:
  void wrong(const Element& e, std::string_view attribute, std::string_view found, const std::string& expected);
};

// The parts of hr:service that have content of their own (headrace_policies.cpp, headrace_contract.cpp).
bool is_retry(const Element&);
policy::RetryPolicyPtr read_retry(const Element&, OptionReader&);
policy::ErrorMapperPtr read_error_mapper(const Element&, OptionReader&);
policy::OutputMapping read_output_mapping(const Element&, OptionReader&);
model::OperationPtr read_contract(const Element& service, OptionReader&);

}  // namespace headrace::xml
