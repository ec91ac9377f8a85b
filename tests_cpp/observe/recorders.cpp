#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "headrace/observe/queue_recorder.hpp"
#include "headrace/observe/spdlog_recorder.hpp"
#include "headrace/observe/tee_recorder.hpp"

using namespace headrace;
using namespace headrace::observe;

namespace {

Record note(Level level, std::string text) {
  Record r;
  r.level = level;
  r.text = std::move(text);
  return r;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("headrace-" + std::to_string(::getpid()) + "-" + name);
}

}  // namespace

TEST(Recorder, IsOffUntilALevelIsSet) {
  QueueRecorder recorder;

  EXPECT_FALSE(recorder.enabled(Level::Error));
  recorder.set_level(Level::Info);
  EXPECT_TRUE(recorder.enabled(Level::Info));
  EXPECT_FALSE(recorder.enabled(Level::Debug));
}

TEST(TeeRecorder, GivesEachRecorderWhatItsLevelLetsThrough) {
  auto all = std::make_shared<QueueRecorder>();
  auto errors = std::make_shared<QueueRecorder>();
  all->set_level(Level::Debug);
  errors->set_level(Level::Error);
  TeeRecorder tee({all, nullptr, errors});

  tee.record(note(Level::Info, "a"));
  tee.record(note(Level::Error, "b"));

  EXPECT_EQ(all->size(), 2U);
  EXPECT_EQ(errors->size(), 1U);
}

TEST(TeeRecorder, HasTheLowestLevelOfItsRecorders) {
  auto one = std::make_shared<QueueRecorder>();
  auto two = std::make_shared<QueueRecorder>();
  one->set_level(Level::Warning);
  TeeRecorder tee({one, two});
  EXPECT_EQ(tee.level(), Level::Warning);

  two->set_level(Level::Debug);
  tee.refresh_level();

  EXPECT_EQ(tee.level(), Level::Debug);
  EXPECT_EQ(TeeRecorder({}).level(), Level::Off);
}

TEST(SpdlogRecorder, WritesTextLinesToAFileAndFinishesThemOnTheWayOut) {
  const auto path = scratch("text.log");
  {
    auto recorder = SpdlogRecorder::to_file(path, Format::Text, Level::Info);
    ASSERT_TRUE(recorder.ok()) << recorder.error().message;
    EXPECT_EQ((*recorder)->level(), Level::Info);
    for (const Level level : {Level::Debug, Level::Info, Level::Warning, Level::Error}) {
      (*recorder)->record(note(level, "percent %v {} and \n a line"));
    }
    EXPECT_EQ((*recorder)->dropped(), 0U);
  }

  const std::string text = contents(path);
  std::filesystem::remove(path);
  const std::string tail = " engine-note text=\"percent %v {} and \\n a line\"\n";
  const std::string at = "1970-01-01T00:00:00Z ";
  EXPECT_EQ(text, at + "debug" + tail + at + "info" + tail + at + "warning" + tail + at + "error" + tail);
}

TEST(SpdlogRecorder, WritesJsonLines) {
  const auto path = scratch("json.log");
  {
    auto recorder = SpdlogRecorder::to_file(path, Format::Json, Level::Debug);
    ASSERT_TRUE(recorder.ok()) << recorder.error().message;
    (*recorder)->record(note(Level::Info, "a"));
  }

  const std::string text = contents(path);
  std::filesystem::remove(path);
  EXPECT_EQ(text, "{\"at\":\"1970-01-01T00:00:00Z\",\"level\":\"info\",\"what\":\"engine-note\",\"text\":\"a\"}\n");
}

TEST(SpdlogRecorder, NamesTheFileThatCannotBeWritten) {
  const auto recorder = SpdlogRecorder::to_file("/dev/null/engine.log", Format::Text, Level::Info);

  ASSERT_FALSE(recorder.ok());
  EXPECT_EQ(recorder.error().code, ErrorCode::Store);
  EXPECT_NE(recorder.error().message.find("/dev/null/engine.log"), std::string::npos);
}

TEST(SpdlogRecorder, WritesToStandardError) {
  testing::internal::CaptureStderr();
  {
    auto recorder = SpdlogRecorder::to_stderr(Format::Text, Level::Debug);
    recorder->record(note(Level::Error, "seen"));
  }

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "1970-01-01T00:00:00Z error engine-note text=seen\n");
}
