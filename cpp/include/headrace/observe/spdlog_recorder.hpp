#pragma once
// Records as lines of a log, written by spdlog on a thread of its own: record() only puts the line into a queue of 8,192 and
// never waits; when that is full the oldest lines give way and are counted. The destructor writes what is left. Safe from any
// thread.

#include <cstdint>
#include <memory>
#include <string>

#include "headrace/base/result.hpp"
#include "headrace/observe/format.hpp"

namespace headrace::observe {

class SpdlogRecorder final : public Recorder {
 public:
  static std::unique_ptr<SpdlogRecorder> to_stderr(Format, Level);
  // Appends to the file, which is made when missing. Error: Store, naming the file.
  static Result<std::unique_ptr<SpdlogRecorder>> to_file(const std::string& path, Format, Level);
  ~SpdlogRecorder() override;

  void record(Record) override;
  std::uint64_t dropped() const;  // lines lost to a full queue

 private:
  struct State;
  SpdlogRecorder(std::unique_ptr<State>, Level);
  std::unique_ptr<State> state_;
};

}  // namespace headrace::observe
