#pragma once
// What must hold of the state of an instance between steps (reference/invariants.md T1 to T3), with a count of how often each
// rule had something to say.

#include <map>
#include <string>
#include <vector>

#include "headrace/core/instance.hpp"

namespace headrace::testing {

class Invariants {
 public:
  // The rules that are broken, each with what breaks it; empty when all hold.
  std::vector<std::string> check(const core::Instance&);
  // Rule -> states in which its premise held.
  const std::map<std::string, long>& premises() const { return premises_; }

 private:
  void check_token(const core::Instance&, const core::Token&);
  void check_scopes(const core::Instance&);
  void check_timers(const core::Instance&);
  void check_incidents(const core::Instance&);
  void check_ended(const core::Instance&);
  // `premise`: the rule applies; then `holds` must be true.
  void expect(const char* rule, bool premise, bool holds, const std::string& found = "");

  std::map<std::string, long> premises_;
  std::vector<std::string> broken_;
};

}  // namespace headrace::testing
