#include "headrace/policy/mapping.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "policy/support.hpp"

namespace headrace::policy {
namespace {

using test::contains;
using test::json;
using test::path;

TEST(Source, ALiteralIsItselfWhateverTheBody) {
  const Source source{Value("NOT_FOUND")};

  EXPECT_EQ(*source.read(Value()), Value("NOT_FOUND"));
  EXPECT_FALSE(source.is_path());
}

TEST(Source, APathGivesTheOneNodeItSelectsAndNullIsAValue) {
  const Source source{path("$.x")};

  EXPECT_EQ(*source.read(json(R"({"x": {"y": 1}})")), json(R"({"y": 1})"));
  EXPECT_EQ(*source.read(json(R"({"x": null})")), Value());
  EXPECT_TRUE(source.is_path());
}

TEST(Source, APathThatSelectsNothingOrSeveralOrRunsOutOfBudgetIsATechnicalError) {
  const Result<Value> none = Source{path("$.x")}.read(json("{}"));
  const Result<Value> several = Source{path("$[*]")}.read(json("[1, 2, 3]"));
  const Result<Value> budget = Source{path("$.items[*]")}.read(test::long_list(20'000));

  for (const Result<Value>* r : {&none, &several, &budget}) {
    ASSERT_FALSE(r->ok());
    EXPECT_EQ(r->error().code, ErrorCode::Technical);
  }
  EXPECT_EQ(none.error().message, "expected path \"$.x\" to select one node of the body, but it selects nothing");
  EXPECT_TRUE(contains(several.error().message, "3 nodes"));
  EXPECT_TRUE(contains(budget.error().message, "budget"));
}

// seed: ADR-021 2.5/13
TEST(OutputMapping, TakesTargetsOutOfTheBodyInTheirOrder) {
  const OutputMapping mapping{{{path("$.data.id"), "orderId", false}, {path("$.data.status"), "orderStatus", false}}};

  const Result<ValueMap> mapped = map_output(mapping, json(R"({"data": {"status": "open", "id": 7}, "rest": 1})"));

  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(*mapped, (ValueMap{{"orderId", 7}, {"orderStatus", "open"}}));
}

TEST(OutputMapping, AnOptionalPathThatSelectsNothingGivesNoTargetAndNullGivesNull) {
  const OutputMapping mapping{{{path("$.a"), "a", true}, {path("$.b"), "b", true}}};

  const Result<ValueMap> mapped = map_output(mapping, json(R"({"b": null})"));

  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(*mapped, (ValueMap{{"b", nullptr}}));
}

TEST(OutputMapping, ARequiredPathThatSelectsNothingIsATechnicalErrorNamingPathAndTarget) {
  const OutputMapping mapping{{{path("$.a"), "first", false}, {path("$.b"), "second", false}, {path("$.c"), "third", false}}};

  const Result<ValueMap> mapped = map_output(mapping, json(R"({"b": 1})"));

  ASSERT_FALSE(mapped.ok());
  EXPECT_EQ(mapped.error().code, ErrorCode::Technical);
  EXPECT_EQ(
      mapped.error().message,
      "expected path \"$.a\" to give output \"first\", but it selects nothing in the body; expected path \"$.c\" to give output "
      "\"third\", but it selects nothing in the body");
}

TEST(OutputMapping, APathForSeveralNodesGivesAListAlsoWhenItSelectsOne) {
  const OutputMapping mapping{{{path("$.items[*].id"), "ids", false}}};

  EXPECT_EQ(*map_output(mapping, json(R"({"items": [{"id": 1}, {"id": 2}]})")), (ValueMap{{"ids", ValueList{1, 2}}}));
  EXPECT_EQ(*map_output(mapping, json(R"({"items": [{"id": 1}]})")), (ValueMap{{"ids", ValueList{1}}}));
  EXPECT_FALSE(map_output(mapping, json(R"({"items": []})")).ok());
}

TEST(OutputMapping, APathOutOfBudgetIsATechnicalErrorEvenWhenOptional) {
  const OutputMapping mapping{{{path("$.items[*]"), "all", true}}};

  const Result<ValueMap> mapped = map_output(mapping, test::long_list(20'000));

  ASSERT_FALSE(mapped.ok());
  EXPECT_EQ(mapped.error().code, ErrorCode::Technical);
  EXPECT_TRUE(contains(mapped.error().message, "budget"));
}

TEST(OutputMapping, OfTwoRulesForOneTargetTheLastOneThatSelectsWins) {
  const OutputMapping mapping{{{path("$.a"), "x", false}, {path("$.b"), "x", true}}};

  EXPECT_EQ(*map_output(mapping, json(R"({"a": 1, "b": 2})")), (ValueMap{{"x", 2}}));
  EXPECT_EQ(*map_output(mapping, json(R"({"a": 1})")), (ValueMap{{"x", 1}}));
}

// seed: ADR-021 2.6/32
TEST(HttpJsonBinding, SuccessIs200To299AsNumberOrNumericTextOrNoCodeAtAll) {
  const Binding& http = http_json_binding();

  for (const Value& code : {Value(), Value(200), Value(204), Value(299), Value(201.0), Value("200"), Value("299")}) {
    EXPECT_TRUE(http.success(code)) << headrace::json::dump(code);
  }
  for (const Value& code : {Value(199), Value(300), Value(404), Value(-200), Value(200.5), Value(299.5), Value("300"), Value(""),
                            Value("OK"), Value("200 OK"), Value(" 200"), Value("nan"), Value(true), Value(ValueList{200})}) {
    EXPECT_FALSE(http.success(code)) << headrace::json::dump(code);
  }
  EXPECT_FALSE(http.success(std::numeric_limits<double>::quiet_NaN()));
}

TEST(HttpJsonBinding, ABodyOfJsonTextIsParsedAndOtherTextStays) {
  const Binding& http = http_json_binding();

  EXPECT_EQ(http.body(R"({"type": "NOT_FOUND"})"), json(R"({"type": "NOT_FOUND"})"));
  EXPECT_EQ(http.body("17"), Value(17));
  EXPECT_EQ(http.body("<html>"), Value("<html>"));
  EXPECT_EQ(http.body(""), Value(""));
  EXPECT_EQ(http.body("{\"a\": 1} x"), Value("{\"a\": 1} x"));
}

TEST(HttpJsonBinding, ABodyThatIsNoTextStaysAsItIs) {
  const Binding& http = http_json_binding();
  const Value map = ValueMap{{"inner", "{}"}};

  EXPECT_EQ(http.body(map), map);
  EXPECT_EQ(http.body(Value()), Value());
  EXPECT_EQ(http.body(Bytes{"{}"}), Value(Bytes{"{}"}));
}

}  // namespace
}  // namespace headrace::policy
