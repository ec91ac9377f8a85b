#include "fetch.hpp"

#include <unistd.h>

#include "errors.hpp"
#include "waits.hpp"

namespace headrace::bindings {

Fetch::~Fetch() {
  if (interpreter_ended()) {
    // a thread that Python has ended may hold the lock that letting go needs
    static_cast<void>(new std::shared_ptr<runtime::FetchWaiter>(std::move(waiter_)));
    return;
  }
  if (host_->usable()) {
    cancel();
  } else {
    PyErr_Clear();
  }
}

bool Fetch::start() {
  runtime::LocalDispatcher* local = host_->engine().local_dispatcher();
  if (local == nullptr) return true;
  auto started = [&] {
    const GilReleased nogil;
    return local->start_fetch(request_);
  }();
  if (!started) return raise(started.error()) != nullptr;
  waiter_ = std::move(*started);
  return true;
}

int Fetch::wait(Duration timeout) {
  const Deadline deadline(timeout);
  while (!over_.load()) {
    const Duration slice = deadline.slice();
    bool is_ready = false;
    Result<std::vector<jobs::LockedJob>> asked = std::vector<jobs::LockedJob>();
    {
      const GilReleased nogil;
      if (waiter_) {
        is_ready = waiter_->wait(slice);
      } else {
        asked = host_->dispatcher().fetch_and_lock(request_, slice);
      }
    }
    if (!asked) return raise(asked.error()), -1;
    if (!waiter_) got_ = std::move(*asked);
    if (is_ready || ready()) return over_.load() ? 0 : 1;
    if (PyErr_CheckSignals() != 0) return -1;
    if (!waiter_ && host_->engine().closed()) return raise(make_error(ErrorCode::Closed, "the engine is closed")), -1;
    if (slice.us == 0) return 0;
  }
  return 0;
}

bool Fetch::take(std::vector<jobs::LockedJob>& out) {
  if (over_.exchange(true)) return true;
  if (!waiter_) {
    out = std::move(got_);
    return true;
  }
  auto got = [&] {
    const GilReleased nogil;
    return waiter_->take();
  }();
  if (!got) return raise(got.error()) != nullptr;
  out = std::move(*got);
  return true;
}

void Fetch::cancel() {
  if (over_.exchange(true)) return;
  const GilReleased nogil;
  if (waiter_) waiter_->cancel();
  for (const jobs::LockedJob& l : got_) static_cast<void>(host_->dispatcher().unlock({l.job.key, l.worker, l.epoch}));
}

namespace {

// A descriptor of our own: the caller may have closed its one when the answer comes.
class Bell {
 public:
  explicit Bell(int fd) : fd_(::dup(fd)) {}
  ~Bell() {
    if (fd_ >= 0) ::close(fd_);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  void ring() const {
    const std::uint64_t one = 1;
    if (fd_ >= 0) static_cast<void>(!::write(fd_, &one, sizeof one));
  }

 private:
  int fd_;
};

}  // namespace

void Fetch::notify(int fd) {
  if (!waiter_) return;
  auto bell = std::make_shared<Bell>(fd);
  const GilReleased nogil;
  waiter_->on_ready([bell = std::move(bell)] { bell->ring(); });
}

}  // namespace headrace::bindings
