#pragma once
// An engine as the Python objects share it: the engine itself, which process made it, and the end of it. Handles (Instance, Job,
// Dispatcher) hold a Host, not the Python Engine, so that they are light and make no cycles.

#include <memory>

#include "headrace/engine/engine.hpp"
#include "headrace/observe/queue_recorder.hpp"
#include "py.hpp"

namespace headrace::bindings {

class Host {
 public:
  Host(std::unique_ptr<engine::Engine>, std::shared_ptr<observe::QueueRecorder>);
  ~Host();  // closes; in a forked child the engine is left alone, its threads are not there
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  engine::Engine& engine() { return *engine_; }
  jobs::WorkerDispatcher& dispatcher() { return engine_->dispatcher(); }
  const std::shared_ptr<observe::QueueRecorder>& recorder() const { return recorder_; }
  bool hand_driven() const { return hand_driven_; }
  // False with an EngineError in a forked child. Costs a compare.
  bool usable() const { return generation_ == current_generation() || refuse(); }
  void close();  // needs the GIL, gives it up meanwhile

  static unsigned current_generation();
  // Before Python ends: closes every engine that is still open.
  static void close_all();

 private:
  bool refuse() const;
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<observe::QueueRecorder> recorder_;
  unsigned generation_;
  bool hand_driven_;
};
using HostPtr = std::shared_ptr<Host>;

// Makes a host and puts it in the list of close_all().
HostPtr make_host(std::unique_ptr<engine::Engine>, std::shared_ptr<observe::QueueRecorder>);

}  // namespace headrace::bindings
