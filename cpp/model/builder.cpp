#include "headrace/model/builder.hpp"

#include <algorithm>
#include <numeric>

#include "linker.hpp"
#include "rules.hpp"

namespace headrace::model {

Builder::Builder(std::string process_id, std::string name, int line)
    : id_(std::move(process_id)), name_(std::move(name)), line_(line) {}

void Builder::add_node(ElementKind kind, std::string id, std::string name, std::string parent, NodeConfig config, int line) {
  nodes_.push_back({kind, std::move(id), std::move(name), std::move(parent), std::move(config), line});
}

void Builder::add_flow(std::string id, std::string source, std::string target, std::optional<Condition> condition, int line) {
  flows_.push_back({std::move(id), std::move(source), std::move(target), std::move(condition), line});
}

void Builder::set_default(std::string node, std::string flow, int line) {
  defaults_.push_back({std::move(node), std::move(flow), line});
}

void Builder::attach(std::string boundary, std::string activity, int line) {
  attachments_.push_back({std::move(boundary), std::move(activity), line});
}

void Builder::add_fault(Fault fault) { found_.push_back(std::move(fault)); }

void Builder::add_shape(std::string node, double x, double y, double width, double height) {
  shapes_.push_back({std::move(node), x, y, width, height});
}

void Builder::add_edge(std::string flow, std::vector<std::pair<double, double>> waypoints) {
  edges_.push_back({std::move(flow), std::move(waypoints)});
}

namespace {

constexpr std::size_t kMaxMessage = 1000;  // bytes; an id from a file may have 64 KiB

// By line, those of one line as they were found.
std::vector<Fault> in_file_order(std::vector<Fault> faults) {
  std::vector<std::size_t> order(faults.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return faults[a].line != faults[b].line ? faults[a].line < faults[b].line : a < b;
  });
  std::vector<Fault> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(faults[i]));
  return sorted;
}

void check_all(const Definition& d, int process_line, Findings& out) {
  check_ids(d, process_line, out);
  check_configs(d, out);
  check_starts(d, process_line, out);
  check_ends(d, out);
  check_boundaries(d, out);
  check_flows(d, out);
  check_services(d, out);
  check_topics(d, out);
  check_declared_errors(d, out);
  check_reachable(d, out);
}

}  // namespace

Builder::Built Builder::build() const {
  auto definition = std::make_shared<Definition>();
  definition->id = id_;
  definition->name = name_;
  definition->profile = profile_;
  definition->source = source_;
  Findings findings;
  findings.faults = found_;
  Linker(*this, *definition, findings).link();
  check_all(*definition, line_, findings);
  if (!findings.faults.empty()) {
    findings.faults = in_file_order(std::move(findings.faults));
    for (Fault& f : findings.faults) {
      f.element = printable(f.element);
      f.message = printable(f.message, kMaxMessage);
    }
    return {nullptr, std::move(findings.faults)};
  }
  for (const std::string& warning : findings.warnings) definition->warnings.push_back(printable(warning, kMaxMessage));
  return {std::move(definition), {}};
}

std::string printable(std::string_view text, std::size_t limit) {
  const bool cut = text.size() > limit;
  if (cut) {
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  }
  std::string out(text.substr(0, limit));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return cut ? out + "…" : out;
}

std::string to_text(std::string_view process, const std::vector<Fault>& faults) {
  std::string text =
      std::to_string(faults.size()) + (faults.size() == 1 ? " fault" : " faults") + " in process '" + std::string(process) + "':";
  for (const Fault& f : faults) {
    text += "\n  ";
    if (!f.element.empty()) text += "'" + f.element + "' ";
    if (f.line > 0) text += "(line " + std::to_string(f.line) + ") ";
    text += f.rule + ": " + f.message;
    if (!f.hint.empty()) text += "; " + f.hint;
  }
  return text;
}

}  // namespace headrace::model
