// Business rule task: without a decision engine it raises failedStep, in both profiles, and nothing is undone.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;

class BusinessRuleTask : public ::testing::TestWithParam<Profile> {
 protected:
  static Driver behind_a_task() {
    return Driver(Model(GetParam())
                      .start()
                      .task("pay", external())
                      .rule("rate", "rating-1", "Rate Customer")
                      .end()
                      .path({"start", "pay", "rate", "end"})
                      .build(),
                  {});
  }
};

TEST_P(BusinessRuleTask, RaisesFailedStepAndWhatWasReportedStands) {
  // given
  Driver d = behind_a_task();
  // when
  ASSERT_TRUE(d.complete("pay", vars({{"receipt", "r-1"}})).ok());
  // then
  EXPECT_EQ(d.where(), "rate: failed step");
  EXPECT_EQ(d.variable("receipt"), "\"r-1\"");
  EXPECT_EQ(d.count("pay"), "1");
  EXPECT_EQ(d.incident()->kind, core::IncidentKind::FailedStep);
}

TEST_P(BusinessRuleTask, ItsIncidentNamesTaskAndDecision) {
  // given
  Driver d = behind_a_task();
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  EXPECT_EQ(d.incident()->failure.message,
            "business rule task 'Rate Customer' (decision 'rating-1') needs a decision engine, and this engine has none");
}

TEST_P(BusinessRuleTask, AnOperatorMayDecideByHand) {
  // given
  Driver d = behind_a_task();
  ASSERT_TRUE(d.complete("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::ResolveIncident{1, vars({{"rating", "A"}})}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("rating"), "\"A\"");
}

INSTANTIATE_TEST_SUITE_P(Profiles, BusinessRuleTask, ::testing::Values(Profile::Headrace, Profile::Camunda7),
                         [](const auto& p) { return p.param == Profile::Headrace ? "Headrace" : "Camunda7"; });

}  // namespace
}  // namespace headrace::testing
