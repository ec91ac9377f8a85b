#pragma once
// A type for each id, so that a topic in a worker's place is a compile error (SRD-036 section 4.5). The text form is for the
// borders; inside the core ids are integers.

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

namespace headrace {

template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string value) : value_(std::move(value)) {}
  const std::string& str() const { return value_; }
  bool empty() const { return value_.empty(); }
  friend auto operator<=>(const Id&, const Id&) = default;

 private:
  std::string value_;
};

using JobId = Id<struct JobIdTag>;
using Topic = Id<struct TopicTag>;
using WorkerId = Id<struct WorkerIdTag>;

// The integers inside a JobId `<root>:<instance>:<token>:<visit>:<node>` (design 4.1). `token` and `visit` name one visit of one
// token; a loop's second pass is a new key. It stays the same over retries, restarts and an operator's retry.
struct JobKey {
  std::uint64_t root = 0;
  std::uint64_t instance = 0;
  std::uint32_t token = 0;
  std::uint32_t visit = 0;
  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

struct JobKeyHash {
  std::size_t operator()(const JobKey& k) const {
    std::uint64_t h = k.root * 0x9E3779B97F4A7C15ULL;
    h ^= (k.instance + 0x7F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL;
    h ^= ((static_cast<std::uint64_t>(k.token) << 32) | k.visit) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }
};

}  // namespace headrace
