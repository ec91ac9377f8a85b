#pragma once
// One job in the table, and the slab it lives in. 32-bit indexes instead of pointers keep a queued job under 200 bytes.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/jobs/job.hpp"

namespace headrace::jobs {

inline constexpr std::uint32_t kNil = 0xFFFFFFFFU;

// What a job gets with its first fault, expiry or operator's action; most never have it.
struct History {
  int failures = 0;
  int expiries = 0;
  int spent = 0;
  std::optional<int> allowance;
  std::optional<int> left;
  Instant retried;  // operator's retry: the job timeout runs from here
  std::uint32_t generation = 1;
  std::string last_error;
};

struct Record {
  Job job;
  Instant when;        // queued: ready since; locked: deadline; backing off: its end; incident: shown lock or zero
  Instant first_lock;  // of the current fetch
  Instant ready;       // locked: since when it was fetchable, its place in line if it never reaches its worker
  std::uint64_t sequence = 0;
  std::unique_ptr<History> history;
  std::uint32_t epoch = 0;
  std::uint32_t topic = 0;
  std::uint32_t holder = kNil;  // name of the worker; stays after an expiry, for late reports
  std::uint32_t prev = kNil;    // in its line, or the position in the line's heap
  std::uint32_t next = kNil;    // in its line, or in the free list
  std::uint32_t due_at = kNil;  // position in the heap of due times
  JobState state = JobState::Queued;
  JobState from = JobState::Queued;  // where a reporting job was
  Owner owner : 1 = Owner::Engine;
  bool in_heap : 1 = false;  // of its line, out of order
  bool in_line : 1 = false;
  bool suspended : 1 = false;
  bool charged : 1 = false;    // this epoch has cost its attempt
  bool withdrawn : 1 = false;  // while reporting
  bool pending : 1 = false;    // exhausted, but the engine does not know yet
  bool timed_out : 1 = false;
  bool parked : 1 = false;  // while reporting: its step raised an incident

  const policy::Policy& policy() const { return *job.service->policy; }
  History& past() {
    if (!history) history = std::make_unique<History>();
    return *history;
  }
};

class Slab {
 public:
  Record& operator[](std::uint32_t i) { return chunks_[i >> kShift][i & kMask]; }
  const Record& operator[](std::uint32_t i) const { return chunks_[i >> kShift][i & kMask]; }
  // Brings a record near before it is needed.
  void expect(std::uint32_t i) const {
    if (i == kNil) return;
    const char* at = reinterpret_cast<const char*>(&(*this)[i]);
    for (std::size_t line = 0; line < sizeof(Record); line += 64) __builtin_prefetch(at + line, 1);
  }
  std::uint32_t take() {
    if (free_ == kNil) grow();
    const std::uint32_t i = free_;
    free_ = (*this)[i].next;
    return i;
  }
  void give(std::uint32_t i) {
    (*this)[i] = Record();
    (*this)[i].next = free_;
    free_ = i;
  }
  std::size_t bytes() const { return chunks_.size() * (kMask + 1) * sizeof(Record); }

 private:
  static constexpr std::uint32_t kShift = 8;
  static constexpr std::uint32_t kMask = (1U << kShift) - 1;
  void grow() {
    const auto first = static_cast<std::uint32_t>(chunks_.size()) << kShift;
    chunks_.push_back(std::make_unique<Record[]>(kMask + 1));
    for (std::uint32_t i = first + kMask + 1; i-- > first;) {
      (*this)[i].next = free_;
      free_ = i;
    }
  }
  std::vector<std::unique_ptr<Record[]>> chunks_;
  std::uint32_t free_ = kNil;
};

}  // namespace headrace::jobs
