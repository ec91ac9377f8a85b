#include "headrace/observe/spdlog_recorder.hpp"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <utility>

namespace headrace::observe {

namespace {

constexpr std::size_t kQueue = 8'192;

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::Debug:
      return spdlog::level::debug;
    case Level::Info:
      return spdlog::level::info;
    case Level::Warning:
      return spdlog::level::warn;
    case Level::Error:
      return spdlog::level::err;
    case Level::Off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

}  // namespace

// A pool and a logger of our own, not the registry's: that one outlives the engine and is shared with the host program.
struct SpdlogRecorder::State {
  State(spdlog::sink_ptr sink, Format line)
      : format(line),
        pool(std::make_shared<spdlog::details::thread_pool>(kQueue, 1)),
        logger(std::make_shared<spdlog::async_logger>("headrace", std::move(sink), pool,
                                                      spdlog::async_overflow_policy::overrun_oldest)) {
    logger->set_pattern("%v");
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::warn);
    logger->set_error_handler([](const std::string&) {});  // a full disk must not stop the engine or print through another's log
  }

  Format format;
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;
};

SpdlogRecorder::SpdlogRecorder(std::unique_ptr<State> state, Level level) : state_(std::move(state)) { set_level(level); }
SpdlogRecorder::~SpdlogRecorder() { state_->logger->flush(); }

std::unique_ptr<SpdlogRecorder> SpdlogRecorder::to_stderr(Format format, Level level) {
  auto state = std::make_unique<State>(std::make_shared<spdlog::sinks::stderr_sink_mt>(), format);
  return std::unique_ptr<SpdlogRecorder>(new SpdlogRecorder(std::move(state), level));
}

Result<std::unique_ptr<SpdlogRecorder>> SpdlogRecorder::to_file(const std::string& path, Format format, Level level) {
  try {
    auto state = std::make_unique<State>(std::make_shared<spdlog::sinks::basic_file_sink_mt>(path), format);
    return std::unique_ptr<SpdlogRecorder>(new SpdlogRecorder(std::move(state), level));
  } catch (const spdlog::spdlog_ex& failure) {
    return make_error(ErrorCode::Store, "expected to append to the log file '" + path + "', but: " + failure.what());
  }
}

void SpdlogRecorder::record(Record record) {
  const std::string line = observe::format(record, state_->format);
  state_->logger->log(level_of(record.level), spdlog::string_view_t(line.data(), line.size()));
}

std::uint64_t SpdlogRecorder::dropped() const { return state_->pool->overrun_counter(); }

}  // namespace headrace::observe
