#include "headrace/observe/queue_recorder.hpp"

#include <gtest/gtest.h>

#include <thread>

using namespace headrace;
using namespace headrace::observe;

namespace {

Record numbered(int n) {
  Record r;
  r.attempt = n;
  return r;
}

std::vector<int> drain(QueueRecorder& queue) {
  std::vector<Record> records;
  queue.pop_many(records, 1'000'000, Duration{});
  std::vector<int> numbers;
  for (const Record& r : records) numbers.push_back(r.attempt);
  return numbers;
}

}  // namespace

TEST(QueueRecorder, GivesRecordsBackInTheOrderTheyCame) {
  QueueRecorder queue(10);
  for (int i = 1; i <= 3; ++i) queue.record(numbered(i));

  Record first;
  ASSERT_TRUE(queue.pop(first, Duration{}));

  EXPECT_EQ(first.attempt, 1);
  EXPECT_EQ(drain(queue), (std::vector<int>{2, 3}));
  EXPECT_EQ(queue.dropped(), 0U);
}

TEST(QueueRecorder, DropsTheOldestAndCountsThemWhenFull) {
  QueueRecorder queue(2);
  for (int i = 1; i <= 5; ++i) queue.record(numbered(i));

  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(drain(queue), (std::vector<int>{4, 5}));
  EXPECT_EQ(queue.dropped(), 3U);
}

TEST(QueueRecorder, HoldsOneRecordAtLeast) {
  QueueRecorder queue(0);
  queue.record(numbered(1));
  queue.record(numbered(2));

  EXPECT_EQ(drain(queue), (std::vector<int>{2}));
}

TEST(QueueRecorder, TakesNoMoreThanAskedFor) {
  QueueRecorder queue;
  for (int i = 1; i <= 3; ++i) queue.record(numbered(i));
  std::vector<Record> records;

  EXPECT_EQ(queue.pop_many(records, 0, Duration::hours(1)), 0U);
  EXPECT_EQ(queue.pop_many(records, 2, Duration::hours(1)), 2U);
  EXPECT_EQ(records.size(), 2U);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(QueueRecorder, AnswersAtOnceWithoutAWait) {
  QueueRecorder queue;
  Record record;

  EXPECT_FALSE(queue.pop(record, Duration{}));
  EXPECT_FALSE(queue.pop(record, Duration::seconds(-1)));
}

TEST(QueueRecorder, WakesAWaitingPopWhenARecordComes) {
  QueueRecorder queue;
  Record record;
  std::thread writer([&] { queue.record(numbered(7)); });

  const bool got = queue.pop(record, Duration::max());
  writer.join();

  EXPECT_TRUE(got);
  EXPECT_EQ(record.attempt, 7);
}

TEST(QueueRecorder, CloseWakesWaitersAndLeavesWhatIsThere) {
  QueueRecorder queue;
  std::thread closer([&] { queue.close(); });
  Record record;

  EXPECT_FALSE(queue.pop(record, Duration::max()));
  closer.join();

  EXPECT_TRUE(queue.closed());
}

TEST(QueueRecorder, GivesWhatItHeldAfterCloseAndTakesNothingMore) {
  QueueRecorder queue;
  queue.record(numbered(1));
  queue.close();
  queue.record(numbered(2));

  EXPECT_EQ(drain(queue), (std::vector<int>{1}));
  EXPECT_EQ(queue.dropped(), 1U);
}

TEST(QueueRecorder, LosesAndDoublesNothingBetweenThreads) {
  QueueRecorder queue(100'000);
  constexpr int kEach = 5'000;
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&queue, w] {
      for (int i = 0; i < kEach; ++i) queue.record(numbered(w * kEach + i));
    });
  }
  std::vector<Record> records;
  while (records.size() < 4U * kEach) queue.pop_many(records, 64, Duration::max());
  for (std::thread& writer : writers) writer.join();

  std::vector<int> last(4, -1);
  for (const Record& r : records) {
    const int w = r.attempt / kEach;
    EXPECT_LT(last[static_cast<std::size_t>(w)], r.attempt) << "records of one thread stay in order";
    last[static_cast<std::size_t>(w)] = r.attempt;
  }
  EXPECT_EQ(queue.size(), 0U);
}
