#pragma once
// Builds a Definition from parts named by id, in any order, and validates the whole: all faults at once, each naming its element
// (design 3, 4.14). Used by the XML reader and by the Python builder. One thread at a time.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/model/definition.hpp"

namespace headrace::model {

// One mistake in a model. `rule` is a stable short name ("duplicate-id", "dangling-ref", "start-missing", …), `hint` what to do.
struct Fault {
  std::string element;  // id, or "" for the process itself
  int line = 0;         // 0: not from a file
  std::string rule;
  std::string message;
  std::string hint;
};

class Builder {
 public:
  explicit Builder(std::string process_id, std::string name = "", int line = 0);

  // `parent` is the id of the enclosing sub-process, "" at the top.
  void add_node(ElementKind, std::string id, std::string name, std::string parent, NodeConfig, int line = 0);
  void add_flow(std::string id, std::string source, std::string target, std::optional<Condition>, int line = 0);
  void set_default(std::string node, std::string flow, int line = 0);
  void attach(std::string boundary, std::string activity, int line = 0);
  void add_fault(Fault);  // a fault found by the caller (the XML reader), reported with the others
  // An element that the caller has refused with a fault of its own: references to it are no further faults.
  void add_refused(std::string id) { refused_.push_back(std::move(id)); }
  void set_profile(policy::Profile p) { profile_ = p; }
  void set_source(std::string xml) { source_ = std::move(xml); }
  void add_shape(std::string node, double x, double y, double width, double height);
  void add_edge(std::string flow, std::vector<std::pair<double, double>> waypoints);

  // The definition, or all faults (never empty then). Warnings stand in the definition.
  struct Built {
    std::shared_ptr<Definition> definition;  // null with faults
    std::vector<Fault> faults;
  };
  Built build() const;

 private:
  class Linker;
  struct NodeDraft {
    ElementKind kind;
    std::string id, name, parent;
    NodeConfig config;
    int line;
  };
  struct FlowDraft {
    std::string id, source, target;
    std::optional<Condition> condition;
    int line;
  };
  struct Link {
    std::string from, to;
    int line;
  };
  struct ShapeDraft {
    std::string node;
    double x, y, width, height;
  };
  struct EdgeDraft {
    std::string flow;
    std::vector<std::pair<double, double>> waypoints;
  };
  std::string id_, name_, source_;
  int line_;
  policy::Profile profile_ = policy::Profile::Headrace;
  std::vector<NodeDraft> nodes_;
  std::vector<FlowDraft> flows_;
  std::vector<Link> defaults_, attachments_;
  std::vector<Fault> found_;
  std::vector<std::string> refused_;
  std::vector<ShapeDraft> shapes_;
  std::vector<EdgeDraft> edges_;
};

// Foreign text as it may stand in one line of a message: control characters become '?', long text is cut (at a character's end)
// and ends in "…".
std::string printable(std::string_view text, std::size_t limit = 200);

// The text of all faults, one a line: "3 faults in process 'order': …".
std::string to_text(std::string_view process, const std::vector<Fault>&);

}  // namespace headrace::model
