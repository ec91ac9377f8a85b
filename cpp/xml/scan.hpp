#pragma once
// A look at the bytes before any parser sees them: size, encoding, DOCTYPE, depth, counts and the rules of well-formedness that
// pugixml does not check. It keeps no tree, so a hostile file costs one pass and no memory.

#include <cstddef>
#include <optional>
#include <string_view>

#include "headrace/model/builder.hpp"

namespace headrace::xml {

inline constexpr std::size_t kMaxBytes = 8U << 20U;
inline constexpr std::size_t kMaxDepth = 256;
inline constexpr std::size_t kMaxElements = 50'000;
inline constexpr std::size_t kMaxAttributes = 256;
inline constexpr std::size_t kMaxAttributeBytes = 64U << 10U;

// The first fault of the file, or nothing when a parser may read it. `text` begins after a byte order mark.
std::optional<model::Fault> scan(std::string_view text);

}  // namespace headrace::xml
