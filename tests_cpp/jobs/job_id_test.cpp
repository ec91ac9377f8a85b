#include "support.hpp"

namespace headrace::jobs::test {
namespace {

// seed: SRD-036 TestMakeJobIDRoundTrip
TEST(JobId, ReadsBackWhatItWrites) {
  // given a key
  const JobKey k{18'446'744'073'709'551'615ULL, 7, 4'294'967'295U, 0};
  // when its text is parsed
  const std::string text = to_text(k, "pay");
  const auto parsed = parse_job_id(text);
  // then key and node come back
  EXPECT_EQ(text, "18446744073709551615:7:4294967295:0:pay");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->key, k);
  EXPECT_EQ(parsed->node, "pay");
}

TEST(JobId, TextThatIsNoIdIsAnUnknownJob) {
  for (const std::string text :
       {"", "x", "1:2:3:4", "1:2:3:4:", "1:2:3:pay", "-1:2:3:4:pay", "+1:2:3:4:pay", "01:2:3:4:pay", "1:2:4294967296:4:pay",
        "1:2:3:18446744073709551616:pay", " 1:2:3:4:pay", "1 :2:3:4:pay", "::::pay", "1:2:3:4"}) {
    const auto parsed = parse_job_id(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::JobNotFound);
  }
}

TEST(JobId, StatesHaveTheirWords) {
  EXPECT_EQ(name_of(JobState::Queued), "queued");
  EXPECT_EQ(name_of(JobState::BackingOff), "backing off");
  EXPECT_EQ(name_of(JobState::Cancelled), "cancelled");
}

}  // namespace
}  // namespace headrace::jobs::test
