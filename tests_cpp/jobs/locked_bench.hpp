#pragma once
// A bench with one job that `w` has locked, and what a job looks like.

#include "support.hpp"

namespace headrace::jobs::test {

struct LockedBench : Bench {
  explicit LockedBench(policy::Policy p = exact_policy(), double lock = 10) {
    table.enqueue(job(1, service("t", std::move(p))));
    fetch(lock_of(request("w", {"t"}), lock));
  }
};

// What a job looks like, to compare before and after a refusal.
inline std::string picture(const Bench& b, std::uint64_t root) {
  const JobInfo i = b.info(root);
  return std::string(name_of(i.state)) + " " + i.worker.str() + " " + to_text(i.deadline) + " " + to_text(i.first_lock) + " " +
         std::to_string(i.epoch) + " " + std::to_string(i.generation) + " " + std::to_string(i.failures) + " " +
         std::to_string(i.expiries) + " " + std::to_string(i.retries.value_or(-1)) + " " + i.last_error +
         (i.suspended ? " suspended" : "");
}

}  // namespace headrace::jobs::test
