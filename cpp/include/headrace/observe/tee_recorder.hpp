#pragma once
// One record to several recorders, each with a level of its own. Safe from any thread once made.

#include <memory>
#include <vector>

#include "headrace/observe/recorder.hpp"

namespace headrace::observe {

class TeeRecorder final : public Recorder {
 public:
  // Null entries are left out. The tee's own level is the lowest of its recorders'.
  explicit TeeRecorder(std::vector<std::shared_ptr<Recorder>> recorders);

  void record(Record) override;  // to each recorder whose level lets it through
  void refresh_level();          // after the level of a recorder changed

 private:
  std::vector<std::shared_ptr<Recorder>> recorders_;
};

}  // namespace headrace::observe
