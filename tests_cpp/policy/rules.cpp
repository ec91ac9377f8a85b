// Error rules: ADR-021 2.6, design 4.9.
#include <gtest/gtest.h>

#include <limits>

#include "policy/support.hpp"

namespace headrace::policy {
namespace {

using test::clause;
using test::contains;
using test::json;
using test::path;

ErrorMapperPtr mapper(std::vector<ErrorRule> rules) {
  Result<ErrorMapperPtr> made = rule_mapper(std::move(rules));
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made.ok() ? *made : nullptr;
}

ErrorRule rule(std::optional<Value> code, const char* body, std::variant<ToBpmnError, ToStatus, ToTechnical> outcome) {
  ErrorRule r;
  r.code = std::move(code);
  if (body != nullptr) r.body = clause(body);
  r.outcome = std::move(outcome);
  return r;
}

ToBpmnError bpmn(const char* code) { return {{Value(code)}, std::nullopt}; }
ToStatus status(const char* value) { return {{Value(value)}}; }

Classification classify(const ErrorMapperPtr& m, Value code, Value body) {
  Result<Classification> c = m->classify(Failure{std::move(code), std::move(body), ""});
  EXPECT_TRUE(c.ok());
  return *std::move(c);
}

// What a fault became, in one line.
std::string told(const Classification& c) {
  if (const auto* e = std::get_if<BusinessError>(&c)) return "error " + e->code + (e->message.empty() ? "" : ": " + e->message);
  if (const auto* s = std::get_if<BusinessStatus>(&c)) return "status " + headrace::json::dump(s->value);
  return "technical";
}

std::string note_of(const Classification& c) {
  return std::visit([](const auto& kind) { return kind.note; }, c);
}

// ADR-021 2.6, "Worked contrast": 404 means two things, told apart by the body; the modeler chooses status or error.
std::vector<ErrorRule> worked_contrast(std::variant<ToBpmnError, ToStatus, ToTechnical> not_found) {
  return {rule(404, "$.type == 'NOT_FOUND'", std::move(not_found)), rule(409, "$.type == 'CONFLICT'", bpmn("ResourceConflict"))};
}

TEST(ErrorRules, WorkedContrastNotFoundInTheBodyOfA404IsAStatusWhereTheModelSaysSo) {
  const ErrorMapperPtr m = mapper(worked_contrast(status("NOT_FOUND")));

  EXPECT_EQ(told(classify(m, 404, json(R"({"type": "NOT_FOUND"})"))), "status \"NOT_FOUND\"");
}

TEST(ErrorRules, WorkedContrastNotFoundInTheBodyOfA404IsABpmnErrorWhereTheModelSaysSo) {
  const ErrorMapperPtr m = mapper(worked_contrast(bpmn("ResourceNotFound")));

  EXPECT_EQ(told(classify(m, 404, json(R"({"type": "NOT_FOUND"})"))), "error ResourceNotFound");
}

TEST(ErrorRules, WorkedContrastA404WithoutNotFoundIsTechnical) {
  const ErrorMapperPtr m = mapper(worked_contrast(status("NOT_FOUND")));

  EXPECT_EQ(told(classify(m, 404, json(R"({"type": "NO_ROUTE"})"))), "technical");
  EXPECT_EQ(told(classify(m, 404, json("{}"))), "technical");
  EXPECT_EQ(told(classify(m, 404, "<html>404</html>")), "technical");
  EXPECT_EQ(told(classify(m, 404, nullptr)), "technical");
}

TEST(ErrorRules, WorkedContrastA409WithConflictIsABpmnErrorAndA500IsTechnical) {
  const ErrorMapperPtr m = mapper(worked_contrast(status("NOT_FOUND")));

  EXPECT_EQ(told(classify(m, 409, json(R"({"type": "CONFLICT"})"))), "error ResourceConflict");
  EXPECT_EQ(told(classify(m, 409, json(R"({"type": "NOT_FOUND"})"))), "technical");
  EXPECT_EQ(told(classify(m, 500, json(R"({"type": "CONFLICT"})"))), "technical");
}

// seed: ADR-021 2.6/13
TEST(ErrorRules, TheFirstMatchWins) {
  const ErrorMapperPtr m = mapper(
      {rule(409, "$.n > 5", bpmn("BIG")), rule(409, nullptr, bpmn("ANY_409")), rule(std::nullopt, nullptr, status("OTHER"))});

  EXPECT_EQ(told(classify(m, 409, json(R"({"n": 6})"))), "error BIG");
  EXPECT_EQ(told(classify(m, 409, json(R"({"n": 5})"))), "error ANY_409");
  EXPECT_EQ(told(classify(m, 410, json(R"({"n": 6})"))), "status \"OTHER\"");
}

TEST(ErrorRules, ATechnicalRuleShieldsTheRulesAfterIt) {
  const ErrorMapperPtr m = mapper({rule(503, nullptr, ToTechnical{}), rule(std::nullopt, nullptr, bpmn("ALL"))});

  EXPECT_EQ(told(classify(m, 503, nullptr)), "technical");
  EXPECT_EQ(told(classify(m, 502, nullptr)), "error ALL");
}

TEST(ErrorRules, CodesAreTheSameByValueWhateverTheirKind) {
  for (const Value& written : {Value(404), Value(404.0), Value("404")}) {
    const ErrorMapperPtr m = mapper({rule(written, nullptr, bpmn("HIT"))});

    for (const Value& reported : {Value(404), Value(404.0), Value("404")})
      EXPECT_EQ(told(classify(m, reported, nullptr)), "error HIT");
    for (const Value& other :
         {Value(405), Value(404.5), Value("404 "), Value("0404"), Value(""), Value(true), Value(), Value(ValueList{404})}) {
      EXPECT_EQ(told(classify(m, other, nullptr)), "technical");
    }
  }
}

TEST(ErrorRules, LargeNumbersAreToldApartExactly) {
  const std::int64_t big = 9007199254740993;  // 2^53 + 1 is no double
  const ErrorMapperPtr m = mapper({rule(Value(big), nullptr, bpmn("HIT"))});

  EXPECT_EQ(told(classify(m, Value(big), nullptr)), "error HIT");
  EXPECT_EQ(told(classify(m, Value(big - 1), nullptr)), "technical");
  EXPECT_EQ(told(classify(m, 9007199254740992.0, nullptr)), "technical");
  EXPECT_EQ(told(classify(mapper({rule(1e300, nullptr, bpmn("HIT"))}), 1e300, nullptr)), "error HIT");
}

TEST(ErrorRules, TextCodesMatchByContent) {
  const ErrorMapperPtr m = mapper({rule("ECONNRESET", nullptr, bpmn("HIT"))});

  EXPECT_EQ(told(classify(m, "ECONNRESET", nullptr)), "error HIT");
  EXPECT_EQ(told(classify(m, "econnreset", nullptr)), "technical");
}

TEST(ErrorRules, AnyCodeIsAlsoNoCodeAndACodeOfNullIsNoCodeAlone) {
  const ErrorMapperPtr any = mapper({rule(std::nullopt, nullptr, bpmn("HIT"))});
  const ErrorMapperPtr none = mapper({rule(Value(), nullptr, bpmn("HIT"))});

  EXPECT_EQ(told(classify(any, nullptr, nullptr)), "error HIT");
  EXPECT_EQ(told(classify(any, true, nullptr)), "error HIT");
  EXPECT_EQ(told(classify(none, nullptr, nullptr)), "error HIT");
  EXPECT_EQ(told(classify(none, "-", nullptr)), "technical");
  EXPECT_EQ(told(classify(none, 404, nullptr)), "technical");
}

// seed: ADR-021 2.6/15
TEST(ErrorRules, CodeMessageAndStatusMayComeFromTheBody) {
  const ErrorMapperPtr m = mapper({rule(409, nullptr, ToBpmnError{{path("$.code")}, Source{path("$.reason")}}),
                                   rule(404, nullptr, ToStatus{{path("$.detail")}})});

  EXPECT_EQ(told(classify(m, 409, json(R"({"code": "DECLINED", "reason": "no money"})"))), "error DECLINED: no money");
  EXPECT_EQ(told(classify(m, 409, json(R"({"code": 17, "reason": {"a": [1]}})"))), "error 17: {\"a\":[1]}");
  EXPECT_EQ(told(classify(m, 409, json(R"({"code": "DECLINED", "reason": null})"))), "error DECLINED");
  EXPECT_EQ(told(classify(m, 404, json(R"({"detail": {"id": 7}})"))), "status {\"id\":7}");
}

TEST(ErrorRules, AnErrorsMessageMayBeALiteral) {
  const ErrorMapperPtr m = mapper({rule(409, nullptr, ToBpmnError{{Value("DECLINED")}, Source{Value("refused by the bank")}})});

  EXPECT_EQ(told(classify(m, 409, nullptr)), "error DECLINED: refused by the bank");
}

TEST(ErrorRules, ASourceThatFailsMakesTheFaultTechnicalAndSaysWhy) {
  const ErrorMapperPtr m = mapper({rule(1, nullptr, ToBpmnError{{path("$.code")}, std::nullopt}),
                                   rule(2, nullptr, ToBpmnError{{Value("C")}, Source{path("$.reason")}}),
                                   rule(3, nullptr, ToStatus{{path("$.items[*]")}}), rule(std::nullopt, nullptr, bpmn("LATER"))});

  const Classification no_code = classify(m, 1, json("{}"));
  const Classification no_message = classify(m, 2, json("{}"));
  const Classification several = classify(m, 3, json(R"({"items": [1, 2]})"));
  const Classification budget = classify(m, 3, test::long_list(20'000));

  for (const Classification* c : {&no_code, &no_message, &several, &budget}) EXPECT_EQ(told(*c), "technical");
  EXPECT_TRUE(contains(note_of(no_code), "$.code")) << note_of(no_code);
  EXPECT_TRUE(contains(note_of(no_message), "$.reason")) << note_of(no_message);
  EXPECT_TRUE(contains(note_of(several), "2 nodes")) << note_of(several);
  EXPECT_TRUE(contains(note_of(budget), "budget")) << note_of(budget);
}

TEST(ErrorRules, AnErrorCodeFromTheBodyThatIsEmptyOrNoCodeIsTechnical) {
  const ErrorMapperPtr m = mapper({rule(409, nullptr, ToBpmnError{{path("$.code")}, std::nullopt})});

  for (const char* body : {R"({"code": ""})", R"({"code": null})", R"({"code": true})", R"({"code": ["A"]})"}) {
    const Classification c = classify(m, 409, json(body));

    EXPECT_EQ(told(c), "technical") << body;
    EXPECT_TRUE(contains(note_of(c), "BPMN error code")) << note_of(c);
  }
}

TEST(ErrorRules, AClauseThatCannotBeEvaluatedDoesNotMatchAndLeavesANote) {
  const char* endless = "$.items[?@ == 'x' && @ != 'y']";
  const ErrorMapperPtr falls_through = mapper({rule(500, endless, bpmn("NEVER"))});
  const ErrorMapperPtr next_wins = mapper({rule(500, endless, bpmn("NEVER")), rule(500, nullptr, bpmn("NEXT"))});
  const Value body = test::long_list(20'000);

  const Classification technical = classify(falls_through, 500, body);
  const Classification next = classify(next_wins, 500, body);

  EXPECT_EQ(told(technical), "technical");
  EXPECT_TRUE(contains(note_of(technical), "rule 1 does not match")) << note_of(technical);
  EXPECT_EQ(told(next), "error NEXT");
  EXPECT_TRUE(contains(note_of(next), endless)) << note_of(next);
}

TEST(ErrorRules, ANoteHoldsNoValuesOfTheBody) {
  const ErrorMapperPtr m = mapper({rule(409, nullptr, ToBpmnError{{path("$..code")}, std::nullopt})});

  const Classification c = classify(m, 409, json(R"({"code": "hunter2", "x": {"code": "hunter3"}})"));

  EXPECT_FALSE(note_of(c).empty());
  EXPECT_FALSE(contains(note_of(c), "hunter"));
}

TEST(ErrorRules, WithoutRulesEveryFaultIsTechnicalAndWithoutANote) {
  const Classification c = classify(mapper({}), 409, nullptr);

  EXPECT_EQ(told(c), "technical");
  EXPECT_EQ(note_of(c), "");
}

TEST(ErrorRules, AtMostAHundred) {
  EXPECT_TRUE(rule_mapper(std::vector<ErrorRule>(100)).ok());

  const Result<ErrorMapperPtr> more = rule_mapper(std::vector<ErrorRule>(101));

  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code, ErrorCode::Validation);
  EXPECT_TRUE(contains(more.error().message, "found 101")) << more.error().message;
}

TEST(ErrorRules, StaticMistakesAreRefusedWithTheRulesNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<ErrorRule> mistakes = {rule(true, nullptr, ToTechnical{}), rule(infinity, nullptr, ToTechnical{}),
                                           rule(ValueList{404}, nullptr, ToTechnical{}), rule(409, nullptr, bpmn("")),
                                           rule(409, nullptr, ToBpmnError{{Value()}, std::nullopt})};

  for (const ErrorRule& mistake : mistakes) {
    const Result<ErrorMapperPtr> made = rule_mapper({ErrorRule{}, mistake});

    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::Validation);
    EXPECT_TRUE(contains(made.error().message, "error rule 2: expected")) << made.error().message;
  }
}

TEST(ErrorRules, StaticMistakesAreRefusedAllAtOnce) {
  const Result<ErrorMapperPtr> made =
      rule_mapper({rule(true, nullptr, ToTechnical{}), ErrorRule{}, rule(409, nullptr, bpmn(""))});

  ASSERT_FALSE(made.ok());
  EXPECT_TRUE(contains(made.error().message, "error rule 1: expected")) << made.error().message;
  EXPECT_TRUE(contains(made.error().message, "error rule 3: expected")) << made.error().message;
}

TEST(ErrorRules, TellWhetherTheyMayGiveAStatus) {
  const ErrorMapperPtr with = mapper({rule(409, nullptr, bpmn("A")), rule(404, nullptr, status("N"))});
  const ErrorMapperPtr without = mapper({rule(409, nullptr, bpmn("A"))});

  EXPECT_TRUE(with->may_give_status());
  EXPECT_FALSE(without->may_give_status());
  EXPECT_FALSE(with->custom());
  ASSERT_NE(with->rules(), nullptr);
  EXPECT_EQ(with->rules()->size(), 2U);
}

}  // namespace
}  // namespace headrace::policy
