#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

TEST(JuelCompare, NumbersOfBothKindsAreOrdered) {
  EXPECT_EQ(value_of("${n < 1000}", {{"n", 999}}), kTrue);
  EXPECT_EQ(value_of("${n lt 1000}", {{"n", 1000}}), kFalse);
  EXPECT_EQ(value_of("${2 <= 2.0}"), kTrue);
  EXPECT_EQ(value_of("${2.5 gt 2}"), kTrue);
  EXPECT_EQ(value_of("${2 ge 3}"), kFalse);
  EXPECT_EQ(value_of("${9223372036854775806 < 9223372036854775807}"), kTrue);
  EXPECT_EQ(value_of("${n == 5.0}", {{"n", 5}}), kTrue);
}

TEST(JuelCompare, TextIsOrderedAsText) {
  EXPECT_EQ(value_of("${'10' < '9'}"), kTrue);
  EXPECT_EQ(value_of("${'b' >= 'a'}"), kTrue);
  EXPECT_EQ(value_of("${name == \"bob\"}", {{"name", "bob"}}), kTrue);
  EXPECT_EQ(value_of("${'a' ne 'a'}"), kFalse);
}

TEST(JuelCompare, TextThatReadsAsANumberComparesAsOne) {
  EXPECT_EQ(value_of("${'10' > 9}"), kTrue);
  EXPECT_EQ(value_of("${5 == '5.0'}"), kTrue);
}

TEST(JuelCompare, TextThatIsNoNumberComparedWithANumberIsAFault) {
  expect_part(fault_of("${'abc' < 5}"), "cannot compare string with integer");
  expect_part(fault_of("${'abc' == 5}"), "cannot compare");
  expect_part(fault_of("${5.5 != 'abc'}"), "cannot compare");
  expect_part(fault_of("${'' < 5}"), "cannot compare");
}

TEST(JuelCompare, NothingButEmptyTextEqualsEmptyText) {
  EXPECT_EQ(value_of("${0 == ''}"), kFalse);
  EXPECT_EQ(value_of("${n != ''}", {{"n", 5}}), kTrue);
  EXPECT_EQ(value_of("${false == ''}"), kFalse);
  EXPECT_EQ(value_of("${'' == ''}"), kTrue);
  EXPECT_EQ(value_of("${l != ''}", {{"l", ValueList{}}}), kTrue);
}

TEST(JuelCompare, NullEqualsNullAlone) {
  EXPECT_EQ(value_of("${null == null}"), kTrue);
  EXPECT_EQ(value_of("${x == null}", {{"x", {}}}), kTrue);
  EXPECT_EQ(value_of("${x == null}", {{"x", 0}}), kFalse);
  EXPECT_EQ(value_of("${null != 'a'}"), kTrue);
  EXPECT_EQ(value_of("${null == false}"), kFalse);
  EXPECT_EQ(value_of("${null == ''}"), kFalse);
}

TEST(JuelCompare, NullIsOrderedWithNothingButNull) {
  EXPECT_EQ(value_of("${null < 1}"), kFalse);
  EXPECT_EQ(value_of("${null > 1}"), kFalse);
  EXPECT_EQ(value_of("${1 >= null}"), kFalse);
  EXPECT_EQ(value_of("${null <= null}"), kTrue);
  EXPECT_EQ(value_of("${null < null}"), kFalse);
}

TEST(JuelCompare, BooleansCompareWithBooleansAndTheirWords) {
  EXPECT_EQ(value_of("${true == true}"), kTrue);
  EXPECT_EQ(value_of("${false < true}"), kTrue);
  EXPECT_EQ(value_of("${vip == 'TRUE'}", {{"vip", true}}), kTrue);
  EXPECT_EQ(value_of("${'false' == vip}", {{"vip", true}}), kFalse);
  expect_part(fault_of("${true == 'yes'}"), "cannot compare boolean with string");
  expect_part(fault_of("${true == 1}"), "cannot compare");
}

TEST(JuelCompare, DatetimesCompareWithDatetimesAndIsoText) {
  const Table table{{"t", kNow}};
  EXPECT_EQ(value_of("${t == now()}", table), kTrue);
  EXPECT_EQ(value_of("${t < '2026-01-05T10:00:01+01:00'}", table), kTrue);
  EXPECT_EQ(value_of("${'2026-01-05T09:00:00Z' == t}", table), kTrue);
  expect_part(fault_of("${t < 'soon'}", table), "cannot compare");
  expect_part(fault_of("${t < 5}", table), "cannot compare");
}

TEST(JuelCompare, ListsAndMapsAreEqualByContentAndHaveNoOrder) {
  const Table table{{"l", ValueList{1, 2}}, {"k", ValueList{1, 2}}, {"m", ValueMap{{"a", 1}}}};
  EXPECT_EQ(value_of("${l == k}", table), kTrue);
  EXPECT_EQ(value_of("${m != m}", table), kFalse);
  expect_part(fault_of("${l < k}", table), "cannot compare list with list");
  expect_part(fault_of("${l == m}", table), "cannot compare list with map");
  expect_part(fault_of("${l == 1}", table), "cannot compare list with integer");
}

TEST(JuelCompare, MessagesNameKindsAndNeverValues) {
  const Table table{{"s", "4111-x"}, {"n", std::int64_t{4111}}, {"t", true}};
  for (const char* text : {"${s < 5}", "${s + 1}", "${-s}", "${!s}", "${n && t}", "${s.x}", "${n[s]}"})
    EXPECT_EQ(fault_of(text, table).find("4111"), std::string::npos) << text;
}

}  // namespace
}  // namespace headrace::expr::testing
