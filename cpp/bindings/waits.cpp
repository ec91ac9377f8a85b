#include "waits.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "errors.hpp"
#include "times.hpp"

namespace headrace::bindings {

std::int64_t steady_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

// Where an instance stands, for the message of a wait that ended without it.
std::string where(Host& host, const engine::InstanceRef& ref) {
  const auto snapshot = host.engine().snapshot(ref);
  if (!snapshot) return snapshot.error().message;
  std::string out(core::name_of(snapshot->state));
  if (snapshot->suspended) out += ", suspended";
  for (const engine::ActivitySnapshot& a : snapshot->activities) out += ", waits at '" + a.node + "' (" + a.waits_for + ")";
  if (!snapshot->incidents.empty()) out += ", open incidents: " + std::to_string(snapshot->incidents.size());
  return out;
}

std::string subject(const engine::InstanceRef& ref, engine::Until until) {
  return "expected instance '" + std::to_string(engine::Engine::root_of(ref)) +
         (until == engine::Until::Ended ? "' to end" : "' to become idle");
}

bool is_over(Host& host, const engine::InstanceRef& ref, engine::Until until) {
  return until == engine::Until::Idle || host.engine().state_of(ref) != core::InstanceState::Active;
}

// Nothing moves by itself: do what is due now, then look.
PyObject* wait_hand_driven(const HostPtr& host, const engine::InstanceRef& ref, engine::Until until, bool has_timeout) {
  Result<std::size_t> ran = std::size_t{0};
  bool over = false;
  std::string stands;
  {
    const GilReleased nogil;
    ran = host->engine().run_until_idle();
    over = ran.ok() && is_over(*host, ref, until);
    if (!over && ran) stands = where(*host, ref);
  }
  if (!ran) return raise(ran.error());
  if (over) Py_RETURN_NONE;
  return raise(make_error(has_timeout ? ErrorCode::Timeout : ErrorCode::WouldDeadlock,
                          subject(ref, until) + ", but nothing is due on this hand-driven engine; it is " + stands));
}

bool until_of(PyObject* o, engine::Until& out) {
  std::string_view word = "ended";
  if (o != nullptr && o != Py_None && !text_of(o, "until", word)) return false;
  if (word != "ended" && word != "idle") {
    raise_validation("expected until to be 'ended' or 'idle', but found '" + std::string(word) + "'");
    return false;
  }
  out = word == "idle" ? engine::Until::Idle : engine::Until::Ended;
  return true;
}

// Another dispatcher than ours has no waiter to register: it is asked in slices.
bool fetch_elsewhere(const HostPtr& host, const jobs::FetchRequest& request, const Deadline& deadline,
                     std::vector<jobs::LockedJob>& out) {
  for (;;) {
    if (host->engine().closed()) return raise(make_error(ErrorCode::Closed, "the engine is closed")) != nullptr;
    const Duration slice = deadline.slice();
    Result<std::vector<jobs::LockedJob>> got = std::vector<jobs::LockedJob>();
    {
      const GilReleased nogil;
      got = host->dispatcher().fetch_and_lock(request, slice);
    }
    if (!got) return raise(got.error()) != nullptr;
    out = std::move(*got);
    if (!out.empty()) return true;
    if (PyErr_CheckSignals() != 0) return false;
    if (slice.us == 0) return true;
  }
}

bool start(runtime::LocalDispatcher& queue, const jobs::FetchRequest& request, std::shared_ptr<runtime::FetchWaiter>& out) {
  auto started = [&] {
    const GilReleased nogil;
    return queue.start_fetch(request);
  }();
  if (!started) return raise(started.error()) != nullptr;
  out = std::move(*started);
  return true;
}

bool take(runtime::FetchWaiter& waiter, std::vector<jobs::LockedJob>& out) {
  auto got = [&] {
    const GilReleased nogil;
    return waiter.take();
  }();
  if (!got) return raise(got.error()) != nullptr;
  out = std::move(*got);
  return true;
}

}  // namespace

Deadline::Deadline(Duration wait) : end_us_(saturating_add(steady_us(), wait.us)) {}

Duration Deadline::slice() const { return Duration::micros(std::clamp(end_us_ - steady_us(), std::int64_t{0}, kSlice.us)); }

PyObject* wait_for_instance(const HostPtr& host, const engine::InstanceRef& ref, PyObject* timeout, PyObject* until_text) {
  std::optional<Duration> limit;
  engine::Until until{};
  if (!optional_duration_of(timeout, "timeout", limit) || !until_of(until_text, until)) return nullptr;
  if (host->hand_driven()) return wait_hand_driven(host, ref, until, limit.has_value());
  const Deadline deadline(limit.value_or(Duration::max()));
  std::shared_ptr<engine::InstanceWaiter> waiter;
  for (;;) {
    bool over = false;
    {
      const GilReleased nogil;
      if (!waiter) waiter = host->engine().start_wait(ref, until);
      over = waiter->wait(deadline.slice());
    }
    if (over && (is_over(*host, ref, until))) Py_RETURN_NONE;
    if (over && host->engine().closed())
      return raise(make_error(ErrorCode::Closed, subject(ref, until) + ", but the engine is closed"));
    if (PyErr_CheckSignals() != 0) return nullptr;
    if (deadline.over()) break;
  }
  std::string stands;
  {
    const GilReleased nogil;
    stands = where(*host, ref);
  }
  return raise(make_error(ErrorCode::Timeout, subject(ref, until) + " within " + to_text(*limit) + ", but it is " + stands));
}

namespace {

bool fetch_in_slices(const HostPtr& host, const jobs::FetchRequest& request, Duration wait, std::vector<jobs::LockedJob>& out) {
  const Deadline deadline(host->hand_driven() ? Duration() : wait);
  runtime::LocalDispatcher* local = host->engine().local_dispatcher();
  if (local == nullptr || deadline.over()) return fetch_elsewhere(host, request, deadline, out);

  std::shared_ptr<runtime::FetchWaiter> waiter;
  if (!start(*local, request, waiter)) return false;
  for (;;) {
    bool ready = false;
    {
      const GilReleased nogil;
      ready = waiter->wait(deadline.slice());
    }
    if (ready) return take(*waiter, out);
    const bool interrupted = PyErr_CheckSignals() != 0;
    if (!interrupted && !deadline.over()) continue;
    // Jobs that are handed over in this moment are not lost: they are taken, or go back to the queue with cancel().
    if (!interrupted && waiter->ready()) return take(*waiter, out);
    const GilReleased nogil;
    waiter->cancel();
    return !interrupted;
  }
}

}  // namespace

void hand_back(Host& host, const std::vector<jobs::LockedJob>& locked) {
  const GilReleased nogil;
  for (const jobs::LockedJob& l : locked) static_cast<void>(host.dispatcher().unlock({l.job.key, l.worker, l.epoch}));
}

bool fetch_interruptibly(const HostPtr& host, const jobs::FetchRequest& request, Duration wait,
                         std::vector<jobs::LockedJob>& out) {
  if (!fetch_in_slices(host, request, wait, out)) return false;
  // An interrupt that is pending would be raised as soon as this call returns, and the caller would never see its jobs.
  if (out.empty() || PyErr_CheckSignals() == 0) return true;
  hand_back(*host, out);
  return false;
}

}  // namespace headrace::bindings
