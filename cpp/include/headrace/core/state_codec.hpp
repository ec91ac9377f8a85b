#pragma once
// The versioned codec of an instance at rest: what stores keep and what equality of states means (canonical bytes). Version 1.
// The definition is named by (process id, version) and given back on decode. Pure.

#include <string>
#include <string_view>

#include "headrace/base/result.hpp"
#include "headrace/core/instance.hpp"

namespace headrace::core {

std::string encode_state(const Instance&);

// Finds a pinned definition; null when unknown.
class Definitions {
 public:
  virtual ~Definitions() = default;
  virtual model::DefinitionPtr find(std::string_view process, std::uint32_t version) const = 0;
};
// Errors: Store (damaged bytes, unknown version, unknown definition); never undefined behaviour on foreign bytes.
Result<Instance> decode_state(std::string_view bytes, const Definitions&);

}  // namespace headrace::core
