#include "headrace/policy/contract.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "policy/support.hpp"

namespace headrace::policy {
namespace {

using test::contains;
using test::variables;

const std::vector<std::pair<FieldType, Value>>& samples() {
  static const std::vector<std::pair<FieldType, Value>> kSamples = {
      {FieldType::Bool, true},         {FieldType::Int, 7},
      {FieldType::Float, 7.5},         {FieldType::String, "s"},
      {FieldType::Bytes, Bytes{"b"}},  {FieldType::DateTime, Instant{1}},
      {FieldType::List, ValueList{1}}, {FieldType::Map, ValueMap{{"k", 1}}},
  };
  return kSamples;
}

MessageType receipt() {
  return {"Receipt",
          {{"receiptId", FieldType::String, false, false},
           {"amount", FieldType::Float, false, false},
           {"note", FieldType::String, true, false},
           {"card", FieldType::String, false, true}}};
}

TEST(Contract, AFieldTypeTakesItsOwnKindAndAnIntegerWidensToFloat) {
  for (const auto& [type, own] : samples()) {
    for (const auto& [other, value] : samples()) {
      const bool wanted = type == other || (type == FieldType::Float && other == FieldType::Int);

      EXPECT_EQ(fits(type, codec::encode(value).view()), wanted) << name_of(type) << " from " << name_of(other);
    }
  }
  EXPECT_FALSE(fits(FieldType::Float, codec::encode(Value(true)).view()));
  EXPECT_FALSE(fits(FieldType::Int, codec::encode(Value(true)).view()));
}

TEST(Contract, AnyTakesEverythingAndNullFitsOnlyAnyAndOptionalFields) {
  const Slice null = codec::encode(Value());

  for (const auto& [type, value] : samples()) {
    EXPECT_TRUE(fits(FieldType::Any, codec::encode(value).view()));
    EXPECT_FALSE(fits(type, null.view()));
    EXPECT_FALSE(fits(Field{"f", type, false, false}, null.view()));
    EXPECT_TRUE(fits(Field{"f", type, true, false}, null.view()));
  }
  EXPECT_TRUE(fits(FieldType::Any, null.view()));
  EXPECT_FALSE(fits(FieldType::Any, {}));
}

TEST(Contract, AnIntegerBecomesADoubleForAFloatFieldAndOthersStayAsTheyAre) {
  const VariableBlock block = variables(ValueMap{{"i", 42}, {"d", 1.5}, {"s", "x"}});
  const Field amount{"amount", FieldType::Float, false, false};

  EXPECT_EQ(codec::decode(widened(amount, *block.find("i")).view()), Value(42.0));
  EXPECT_EQ(codec::decode(widened(amount, *block.find("d")).view()), Value(1.5));
  EXPECT_EQ(codec::decode(widened({"n", FieldType::Int, false, false}, *block.find("i")).view()), Value(42));
  EXPECT_EQ(codec::decode(widened({"s", FieldType::String, false, false}, *block.find("s")).view()), Value("x"));
}

TEST(Contract, OutputThatFitsPassesWidenedAndKeepsItsWriter) {
  const Slice payload = codec::encode(Value(ValueMap{{"receiptId", "r-1"}, {"amount", 30}, {"card", "4242"}}));
  const VariableBlock output = VariableBlock::from_payload(payload, 6);

  const Result<VariableBlock> checked = check_message(receipt(), output);

  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(codec::decode(checked->find("amount")->encoded()), Value(30.0));
  EXPECT_EQ(checked->find("amount")->written_by(), 6U);
  EXPECT_EQ(checked->find("note"), nullptr);
  EXPECT_EQ(codec::decode(output.find("amount")->encoded()), Value(30));
}

TEST(Contract, OutputThatNeedsNoWideningIsSharedNotCopied) {
  const VariableBlock output = variables(ValueMap{{"receiptId", "r-1"}, {"amount", 30.0}, {"card", "4242"}, {"note", nullptr}});

  const Result<VariableBlock> checked = check_message(receipt(), output);

  ASSERT_TRUE(checked.ok());
  EXPECT_TRUE(checked->same_as(output));
}

TEST(Contract, OneErrorNamesEveryMissingUnknownAndIllTypedField) {
  const VariableBlock output = variables(ValueMap{{"amount", true}, {"note", 5}, {"colour", "red"}, {"size", 3}});

  const Result<VariableBlock> checked = check_message(receipt(), output);

  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::Validation);
  EXPECT_EQ(
      checked.error().message,
      "expected the fields of message \"Receipt\", but field \"receiptId\" is missing; field \"amount\" is a boolean, expected "
      "float; field \"note\" is an integer, expected string; field \"card\" is missing; field \"colour\" is unknown; field "
      "\"size\" is unknown");
}

TEST(Contract, ValuesAreNeverPrintedInAMessage) {
  const MessageType message{"Secret", {{"pin", FieldType::String, false, true}}};

  const Result<VariableBlock> checked = check_message(message, variables(ValueMap{{"pin", 987654}, {"extra", "hunter2"}}));

  ASSERT_FALSE(checked.ok());
  EXPECT_TRUE(contains(checked.error().message, "\"pin\" is an integer"));
  EXPECT_FALSE(contains(checked.error().message, "987654"));
  EXPECT_FALSE(contains(checked.error().message, "hunter2"));
}

TEST(Contract, AFloodOfUnknownFieldsIsCountedNotListed) {
  ValueMap map;
  for (int i = 0; i < 5000; ++i) map.emplace_back("x" + std::to_string(i), i);

  const Result<VariableBlock> checked = check_message({"Empty", {}}, variables(map));

  ASSERT_FALSE(checked.ok());
  EXPECT_TRUE(contains(checked.error().message, "\"x99\" is unknown and 4900 more are unknown"));
  EXPECT_LT(checked.error().message.size(), 10'000U);
}

TEST(Contract, ControlCharactersOfForeignNamesAreEscaped) {
  const Result<VariableBlock> checked = check_message({"Empty", {}}, variables(ValueMap{{"a\n\x1b[31m", 1}}));

  ASSERT_FALSE(checked.ok());
  EXPECT_FALSE(contains(checked.error().message, "\n"));
  EXPECT_FALSE(contains(checked.error().message, "\x1b"));
}

}  // namespace
}  // namespace headrace::policy
