#pragma once
// Ports of the shell: where time, chance and waiting come from. The pure modules (expr, model, policy, jobs, core) never see
// them; they get instants and numbers as arguments.

#include <cstdint>

#include "headrace/base/time.hpp"

namespace headrace {

// Tells the time. Implementations are safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  // True when the clock moves only by the program's hand: then nothing waits in real time for it.
  virtual bool manual() const { return false; }
};

// Numbers in [0, 1) for jitter. Safe from any thread.
class Random {
 public:
  virtual ~Random() = default;
  virtual double next() = 0;
};

// Ids of new root instances: unique in the store, never 0. Safe from any thread.
class IdSource {
 public:
  virtual ~IdSource() = default;
  virtual std::uint64_t next() = 0;
};

}  // namespace headrace
