// Ids are NCNames, unique over the process, its elements and its flows. Two that differ only in case or in Unicode normal form
// are two ids, which people seldom mean: a warning.

#include <unordered_map>

#include "headrace/base/utf8.hpp"
#include "rules.hpp"

namespace headrace::model {

namespace {

struct Named {
  std::string_view id;
  int line = 0;
  std::string_view what;
};

std::string in_words(const Named& n) {
  return std::string(n.what) + (n.line > 0 ? " (line " + std::to_string(n.line) + ")" : "");
}

std::vector<Named> all_named(const Definition& d, int process_line) {
  std::vector<Named> all{{d.id, process_line, "process"}};
  for (const Node& n : d.nodes) all.push_back({n.id, n.line, name_of(n.kind)});
  for (const Flow& f : d.flows) all.push_back({f.id, f.line, "sequenceFlow"});
  return all;
}

void check_name(const Named& n, Findings& out) {
  if (is_ncname(n.id)) return;
  out.fault(std::string(n.id), n.line, "bad-id",
            "expected the id of a " + std::string(n.what) + " to be an NCName, but found '" + printable(n.id, 100) + "'",
            "begin with a letter or '_', go on with letters, digits, '.', '-' or '_'");
}

}  // namespace

std::string Findings::describe(std::string_view id, int line) {
  return "'" + std::string(id) + "'" + (line > 0 ? " (line " + std::to_string(line) + ")" : "");
}

void check_ids(const Definition& d, int process_line, Findings& out) {
  std::unordered_map<std::string_view, Named> exact;
  std::unordered_map<std::string, Named> folded;
  for (const Named& n : all_named(d, process_line)) {
    check_name(n, out);
    const auto [same, is_new] = exact.emplace(n.id, n);
    if (!is_new) {
      out.fault(std::string(n.id), n.line, "duplicate-id",
                "expected unique ids, but '" + printable(n.id, 100) + "' is the id of a " + in_words(same->second) +
                    " and of a " + in_words(n),
                "rename one of them");
      continue;
    }
    const auto [near, alone] = folded.emplace(folded_id(n.id), n);
    if (alone) continue;
    out.warnings.push_back(Findings::describe(n.id, n.line) + ": differs from " +
                           Findings::describe(near->second.id, near->second.line) +
                           " only in case or Unicode normal form; they are two elements [similar-ids]");
  }
}

}  // namespace headrace::model
