// Lock options belong to the topic (design 4.4): two services of one topic that name different ones contradict each other.

#include <unordered_map>

#include "headrace/base/time.hpp"
#include "rules.hpp"

namespace headrace::model {

namespace {

struct NamedLocks {
  const Node* lock = nullptr;  // the first service of the topic that names a lock duration
  const Node* cap = nullptr;
};

void compare(const Node*& first, const Node& n, std::optional<Duration> policy::ServiceOptions::* option, std::string_view name,
             Findings& out) {
  const auto& mine = n.service().options.*option;
  if (!mine) return;
  if (first == nullptr) {
    first = &n;
    return;
  }
  const auto& other = first->service().options.*option;
  if (*other == *mine) return;
  out.fault(n, "topic-lock-options",
            "expected one " + std::string(name) + " for topic '" + n.service().topic + "', but " +
                Findings::describe(first->id, first->line) + " has " + to_text(*other) + " and '" + n.id + "' has " +
                to_text(*mine),
            "give both the same, or use two topics");
}

}  // namespace

void check_topics(const Definition& d, Findings& out) {
  std::unordered_map<std::string_view, NamedLocks> topics;
  for (const Node& n : d.nodes) {
    const auto* config = std::get_if<ServiceTaskConfig>(&n.config);
    if (config == nullptr || config->locus != Locus::Worker || config->topic.empty()) continue;
    NamedLocks& first = topics[config->topic];
    compare(first.lock, n, &policy::ServiceOptions::lock_duration, "WithLockDuration", out);
    compare(first.cap, n, &policy::ServiceOptions::max_lock_duration, "WithMaxLockDuration", out);
  }
}

}  // namespace headrace::model
