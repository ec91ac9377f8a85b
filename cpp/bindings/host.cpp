#include "host.hpp"

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "errors.hpp"
#include "held.hpp"

namespace headrace::bindings {

namespace {

std::atomic<unsigned> generation{0};
std::mutex hosts_mutex;
std::vector<std::weak_ptr<Host>>& hosts() {
  static auto* all = new std::vector<std::weak_ptr<Host>>();
  return *all;
}

void note_fork() { generation.fetch_add(1); }

}  // namespace

Host::Host(std::unique_ptr<engine::Engine> engine, std::shared_ptr<observe::QueueRecorder> recorder)
    : engine_(std::move(engine)),
      recorder_(std::move(recorder)),
      generation_(generation.load()),
      hand_driven_(engine_->options().threads == 0) {}

Host::~Host() {
  if (generation_ != generation.load() || interpreter_ended()) {
    static_cast<void>(engine_.release());
    return;
  }
  if (PyGILState_Check() != 0) {
    const GilReleased nogil;
    engine_.reset();
  } else {
    engine_.reset();
  }
}

unsigned Host::current_generation() { return generation.load(std::memory_order_relaxed); }

bool Host::refuse() const {
  raise(make_error(ErrorCode::Closed,
                   "expected an engine of this process, but it was made before a fork: make one after the fork"));
  return false;
}

void Host::close() {
  if (generation_ != generation.load()) return;
  {
    const GilReleased nogil;
    engine_->close();
    if (recorder_) recorder_->close();
  }
  drop_aside();
}

void Host::close_all() {
  std::vector<std::weak_ptr<Host>> all;
  {
    const std::lock_guard lock(hosts_mutex);
    all.swap(hosts());
  }
  for (const auto& weak : all) {
    if (const HostPtr host = weak.lock()) host->close();
  }
}

HostPtr make_host(std::unique_ptr<engine::Engine> engine, std::shared_ptr<observe::QueueRecorder> recorder) {
  static const int registered = pthread_atfork(nullptr, nullptr, &note_fork);
  static_cast<void>(registered);
  auto host = std::make_shared<Host>(std::move(engine), std::move(recorder));
  const std::lock_guard lock(hosts_mutex);
  std::erase_if(hosts(), [](const std::weak_ptr<Host>& w) { return w.expired(); });
  hosts().push_back(host);
  return host;
}

}  // namespace headrace::bindings
