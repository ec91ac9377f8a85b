#include <gtest/gtest.h>

#include "headrace/policy/mapping.hpp"

namespace headrace::policy {
namespace {

OutputMapping mapping(std::string path, std::string target, bool optional = false) {
  return {{{*expr::JsonPath::parse(path), std::move(target), optional}}};
}

VariableBlock body() {
  return VariableBlock::from_payload(
      codec::encode(Value(ValueMap{{"id", Value(7)}, {"deep", Value(ValueMap{{"id", Value(8)}})}})));
}

TEST(MapMembers, AgreesWithMapOutputForPlainMembers) {
  const OutputMapping rules = mapping("$.id", "orderId");
  const std::optional<VariableBlock> quick = map_members(rules, body());
  const Result<ValueMap> slow = map_output(rules, codec::decode(body().to_payload().view()));
  ASSERT_TRUE(quick.has_value() && slow.ok());
  EXPECT_EQ(codec::decode(quick->to_payload().view()), Value(*slow));
}

TEST(MapMembers, LeavesOtherPathsToMapOutput) {
  EXPECT_FALSE(map_members(mapping("$.deep.id", "orderId"), body()).has_value());
  EXPECT_FALSE(map_members(mapping("$['id']", "orderId"), body()).has_value());
  EXPECT_FALSE(map_members(mapping("$.*", "orderId"), body()).has_value());
  EXPECT_FALSE(map_members(mapping("$", "orderId"), body()).has_value());
}

TEST(MapMembers, LeavesAnAbsentRequiredMemberToMapOutputAndSkipsAnOptionalOne) {
  EXPECT_FALSE(map_members(mapping("$.none", "orderId"), body()).has_value());
  const std::optional<VariableBlock> skipped = map_members(mapping("$.none", "orderId", true), body());
  ASSERT_TRUE(skipped.has_value());
  EXPECT_EQ(skipped->size(), 0U);
}

}  // namespace
}  // namespace headrace::policy
