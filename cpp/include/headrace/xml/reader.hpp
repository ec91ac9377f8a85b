#pragma once
// Reads BPMN 2.0 XML into definitions: any prefix, unknown namespaces ignored, `camunda:` content understood as Camunda 7 does.
// An element that is not supported yet is refused with id, kind and line; DOCTYPE is refused. Limits: 8 MiB, depth 256, 50,000
// elements, 256 attributes an element, 64 KiB an attribute. Pure but for memory; one thread at a time.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "headrace/model/builder.hpp"

namespace headrace::xml {

struct ReadResult {
  std::vector<std::shared_ptr<model::Definition>> definitions;  // the executable processes; empty with faults
  std::vector<model::Fault> faults;
};

// `profile`: nullopt picks camunda7 when the file has camunda: content, headrace otherwise (design 4.17).
ReadResult read_bpmn(std::string_view text, std::optional<policy::Profile> profile = std::nullopt);

}  // namespace headrace::xml
