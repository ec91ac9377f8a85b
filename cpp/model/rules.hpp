#pragma once
// The rules a model is checked against when it is built, one function a concern. Each reads a linked definition (ids turned into
// indexes, kNone where a reference dangles, which has been reported already) and adds what it finds.

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "headrace/model/builder.hpp"
#include "headrace/model/definition.hpp"

namespace headrace::model {

struct Findings {
  std::vector<Fault> faults;
  std::vector<std::string> warnings;
  std::unordered_set<std::string> unattached;      // boundary events whose host dangles, which has been said
  std::unordered_set<FlowIndex> further_defaults;  // second default flows of an element, which has been said

  void fault(const std::string& element, int line, std::string rule, std::string message, std::string hint) {
    faults.push_back({element, line, std::move(rule), std::move(message), std::move(hint)});
  }
  // A node's or a flow's own fault.
  template <class Element>
  void fault(const Element& e, std::string rule, std::string message, std::string hint) {
    fault(e.id, e.line, std::move(rule), std::move(message), std::move(hint));
  }
  template <class Element>
  void warn(const Element& e, std::string_view rule, std::string_view message) {
    warnings.push_back(describe(e.id, e.line) + ": " + std::string(message) + " [" + std::string(rule) + "]");
  }
  // "'pay' (line 12)", or without the line when there is none.
  static std::string describe(std::string_view id, int line);
};

// XML's NCName: a letter or "_", then letters, digits, ".", "-", "_"; no colon (XML 1.0 section 2.3, Namespaces 1.0 section 3).
bool is_ncname(std::string_view);
// A form in which ids that differ only in case or in Unicode normal form are equal.
std::string folded_id(std::string_view);

void check_ids(const Definition&, int process_line, Findings&);     // ids.cpp
void check_configs(const Definition&, Findings&);                   // configs.cpp: a kind and its data
void check_starts(const Definition&, int process_line, Findings&);  // events.cpp
void check_ends(const Definition&, Findings&);                      // events.cpp
void check_boundaries(const Definition&, Findings&);                // boundaries.cpp
void check_flows(const Definition&, Findings&);                     // flows.cpp
void check_reachable(const Definition&, Findings&);                 // reachable.cpp
void check_services(const Definition&, Findings&);                  // services.cpp
void check_topics(const Definition&, Findings&);                    // topics.cpp: services that share a topic
void check_declared_errors(const Definition&, Findings&);           // declared_errors.cpp

}  // namespace headrace::model
