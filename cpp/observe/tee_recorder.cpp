#include "headrace/observe/tee_recorder.hpp"

#include <algorithm>
#include <utility>

namespace headrace::observe {

TeeRecorder::TeeRecorder(std::vector<std::shared_ptr<Recorder>> recorders) : recorders_(std::move(recorders)) {
  recorders_.erase(std::remove(recorders_.begin(), recorders_.end(), nullptr), recorders_.end());
  refresh_level();
}

void TeeRecorder::record(Record record) {
  for (const auto& recorder : recorders_) {
    if (recorder->enabled(record.level)) recorder->record(record);
  }
}

void TeeRecorder::refresh_level() {
  Level lowest = Level::Off;
  for (const auto& recorder : recorders_) lowest = std::min(lowest, recorder->level());
  set_level(lowest);
}

}  // namespace headrace::observe
