#include "juel_support.hpp"
#include "support/allocations/count.hpp"

namespace headrace::expr::testing {
namespace {

TEST(JuelSpeed, ACommonConditionAllocatesNothing) {
  // given
  const Table table{{"amount", 999}, {"name", "a name that is too long for the room inside a string"}, {"vip", true}};
  for (const char* text :
       {"${amount < 1000}", "${amount + 1 >= 10 && amount % 2 == 1 || !vip}", "${vip ? amount * 2 > 5 : false}",
        "${'a constant that is too long for the room inside a string' != null}"}) {
    const auto parsed = Expression::parse(text);
    ASSERT_TRUE(parsed.ok());
    // when
    const std::size_t before = headrace::test::allocations();
    const auto result = parsed->evaluate_condition(table, kNow);
    const std::size_t after = headrace::test::allocations();
    // then
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(*result);
    EXPECT_EQ(after - before, 0U) << text;
  }
}

}  // namespace
}  // namespace headrace::expr::testing
