#pragma once
// Turns the builder's parts, which name each other by id, into a definition of dense indexes. References that lead nowhere are
// faults and stay kNone.

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "headrace/model/builder.hpp"
#include "rules.hpp"

namespace headrace::model {

class Builder::Linker {
 public:
  Linker(const Builder& from, Definition& to, Findings& out) : from_(from), to_(to), out_(out) {}
  void link();

 private:
  void add_nodes();
  void add_flows();
  void link_parents();
  void link_defaults();
  void link_attachments();
  void link_starts();
  void link_diagram();
  void refuse_parent_cycles();
  NodeIndex node(std::string_view id) const;
  FlowIndex flow(std::string_view id) const;
  NodeIndex end_of_flow(const FlowDraft&, const char* attribute, const std::string& wanted);
  void dangling(const std::string& element, int line, std::string_view attribute, const std::string& wanted,
                std::string_view what);

  const Builder& from_;
  Definition& to_;
  Findings& out_;
  std::unordered_map<std::string_view, NodeIndex> nodes_;  // the first of equal ids; the others are reported by check_ids
  std::unordered_map<std::string_view, FlowIndex> flows_;
  std::unordered_set<std::string_view> refused_;
};

}  // namespace headrace::model
