#include <gtest/gtest.h>

#include "support/driver.hpp"
namespace headrace::testing {
TEST(ServiceTask, ParksUntilItsJobCompletes) {
  // given
  Driver d(straight(external()), vars({{"amount", 30}}));
  EXPECT_EQ(d.where(), "pay: job");
  // when
  const Status done = d.complete("pay", vars({{"receipt", "r-1"}}));
  // then
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("receipt"), "\"r-1\"");
}
}  // namespace headrace::testing
