#pragma once
// Waits of Python threads: the GIL is given up, the sleep is sliced so that Ctrl-C gets through within 100 ms, and jobs that were
// handed over already are never lost to an interrupt (design 3).

#include <memory>
#include <vector>

#include "headrace/jobs/dispatcher.hpp"
#include "headrace/runtime/local_dispatcher.hpp"
#include "host.hpp"
#include "py.hpp"

namespace headrace::bindings {

inline constexpr Duration kSlice = Duration::millis(50);

// None, or null with TimeoutError, WouldDeadlock (a hand-driven engine on which nothing is due), EngineError (closed) or what a
// signal raised.
PyObject* wait_for_instance(const HostPtr&, const engine::InstanceRef&, PyObject* timeout, PyObject* until);

// False with a Python error. `wait` zero asks once.
bool fetch_interruptibly(const HostPtr&, const jobs::FetchRequest&, Duration wait, std::vector<jobs::LockedJob>& out);

// Unlocks jobs that nobody got: queued at once, no attempt lost. Needs the GIL, without the error indicator's content being
// touched.
void hand_back(Host&, const std::vector<jobs::LockedJob>&);

// The operating system's steady clock, for waits: never the engine's.
std::int64_t steady_us();

// Real time left of a wait that began now.
class Deadline {
 public:
  explicit Deadline(Duration wait);
  Duration slice() const;  // min(kSlice, what is left), zero when it is over
  bool over() const { return slice().us == 0; }

 private:
  std::int64_t end_us_;
};

}  // namespace headrace::bindings
