#pragma once
// Names of lock holders, each kept once with a count of the jobs that use it. Unused ones are swept now and then, so that pollers
// with ever new names do not grow the table.

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "record.hpp"

namespace headrace::jobs {

class WorkerNames {
 public:
  std::uint32_t find_or_add(const std::string& name) {
    if (const auto it = ids_.find(name); it != ids_.end()) return it->second;
    if (ids_.size() >= sweep_at_) sweep();
    std::uint32_t id = 0;
    if (free_.empty()) {
      id = static_cast<std::uint32_t>(names_.size());
      names_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    names_[id] = {name, 0};
    ids_.emplace(names_[id].text, id);
    return id;
  }
  const std::string& name(std::uint32_t id) const { return names_[id].text; }
  void use(std::uint32_t id) { ++names_[id].uses; }
  void drop(std::uint32_t id) { --names_[id].uses; }

 private:
  struct Name {
    std::string text;
    std::uint32_t uses = 0;
  };
  void sweep() {
    for (auto it = ids_.begin(); it != ids_.end();) {
      const std::uint32_t id = it->second;
      if (names_[id].uses == 0) {
        it = ids_.erase(it);
        names_[id].text.clear();
        free_.push_back(id);
      } else {
        ++it;
      }
    }
    sweep_at_ = ids_.size() * 2 + 1024;
  }
  std::deque<Name> names_;  // stable: the map's keys are views into it
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<std::uint32_t> free_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace headrace::jobs
