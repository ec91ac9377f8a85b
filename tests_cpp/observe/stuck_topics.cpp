#include "headrace/observe/stuck_topics.hpp"

#include <gtest/gtest.h>

using namespace headrace;
using namespace headrace::observe;

namespace {

constexpr Instant kStart{1'000'000'000};
constexpr Instant after(Duration d) { return kStart + d; }

TopicLook waiting_since_start() { return {"charge-card", 2, kStart, std::nullopt}; }

}  // namespace

// seed: ADR-021 6/9
TEST(StuckTopic, IsOneWhoseJobsWaitedFiveMinutesWithoutAFetch) {
  const TopicLook look = waiting_since_start();

  EXPECT_FALSE(is_stuck(look, Instant{after(Duration::minutes(5)).us - 1}));
  EXPECT_TRUE(is_stuck(look, after(Duration::minutes(5))));
  EXPECT_EQ(stuck_at(look), after(Duration::minutes(5)));
}

TEST(StuckTopic, CountsFromTheLastFetchWhenThatIsLater) {
  TopicLook look = waiting_since_start();
  look.last_fetch = after(Duration::minutes(4));

  EXPECT_FALSE(is_stuck(look, after(Duration::minutes(8))));
  EXPECT_TRUE(is_stuck(look, after(Duration::minutes(9))));
}

TEST(StuckTopic, CountsFromTheOldestJobWhenThatIsLater) {
  TopicLook look = waiting_since_start();
  look.last_fetch = Instant{kStart.us - Duration::hours(1).us};

  EXPECT_FALSE(is_stuck(look, after(Duration::minutes(4))));
}

TEST(StuckTopic, IsNoneWithoutJobs) {
  TopicLook look = waiting_since_start();
  look.queued = 0;

  EXPECT_FALSE(is_stuck(look, after(Duration::hours(10))));
  EXPECT_EQ(stuck_at(look), Instant::never());
  EXPECT_FALSE(is_stuck(look, Instant::never()));
}

TEST(StuckTopicAlarm, RaisesAWarningThatNamesTheTopicOncePerEpisode) {
  StuckTopicAlarm alarm;
  const std::vector<TopicLook> looks{waiting_since_start()};
  EXPECT_TRUE(alarm.look(looks, after(Duration::minutes(4))).empty());

  const auto raised = alarm.look(looks, after(Duration::minutes(6)));
  const auto again = alarm.look(looks, after(Duration::minutes(7)));

  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].what, What::TopicStuck);
  EXPECT_EQ(raised[0].level, Level::Warning);
  EXPECT_EQ(raised[0].topic, "charge-card");
  EXPECT_EQ(raised[0].at, after(Duration::minutes(6)));
  EXPECT_EQ(raised[0].duration, Duration::minutes(6));
  EXPECT_EQ(raised[0].text, "2 jobs wait and no worker fetches this topic");
  EXPECT_TRUE(again.empty());
}

TEST(StuckTopicAlarm, RaisesAgainAfterAFetchEndedTheEpisode) {
  StuckTopicAlarm alarm(Duration::minutes(1));
  TopicLook look = waiting_since_start();
  ASSERT_EQ(alarm.look({look}, after(Duration::minutes(1))).size(), 1U);

  look.last_fetch = after(Duration::minutes(2));
  EXPECT_TRUE(alarm.look({look}, after(Duration::minutes(2))).empty());
  EXPECT_EQ(alarm.look({look}, after(Duration::minutes(3))).size(), 1U);
}

TEST(StuckTopicAlarm, ForgetsATopicThatIsGone) {
  StuckTopicAlarm alarm(Duration::minutes(1));
  ASSERT_EQ(alarm.look({waiting_since_start()}, after(Duration::minutes(1))).size(), 1U);

  alarm.look({}, after(Duration::minutes(2)));

  EXPECT_EQ(alarm.look({waiting_since_start()}, after(Duration::minutes(3))).size(), 1U);
}
