#include "headrace/model/definition.hpp"

#include <algorithm>
#include <array>

namespace headrace::model {

namespace {
constexpr std::array<std::string_view, kElementKinds> kNames = {
    "startEvent", "endEvent",         "terminateEndEvent", "errorEndEvent", "serviceTask",   "businessRuleTask",
    "userTask",   "exclusiveGateway", "parallelGateway",   "subProcess",    "boundaryTimer", "boundaryError",
};
}  // namespace

std::string_view name_of(ElementKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

bool is_activity(ElementKind kind) {
  switch (kind) {
    case ElementKind::ServiceTask:
    case ElementKind::BusinessRuleTask:
    case ElementKind::UserTask:
    case ElementKind::SubProcess:
      return true;
    default:
      return false;
  }
}

NodeIndex Definition::find_node(std::string_view wanted) const {
  if (by_id.size() == nodes.size()) {
    const auto at = std::lower_bound(by_id.begin(), by_id.end(), wanted,
                                     [this](NodeIndex i, std::string_view text) { return nodes[i].id < text; });
    return at != by_id.end() && nodes[*at].id == wanted ? *at : kNone;
  }
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.id == wanted; });
  return at == nodes.end() ? kNone : static_cast<NodeIndex>(at - nodes.begin());
}

}  // namespace headrace::model
