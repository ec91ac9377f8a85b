#include "support.hpp"

namespace headrace::jobs::test {
namespace {

using policy::Trust;

// What a verdict says, in one line.
std::string told(const Verdict& v) {
  if (const auto* f = std::get_if<Finish>(&v.is)) {
    const Outcome& o = *f->outcome;
    if (std::holds_alternative<OutcomeCompleted>(o)) return "completed";
    if (const auto* s = std::get_if<OutcomeStatus>(&o)) {
      const Value value = codec::decode(s->value.view());
      return "status " + (value.is(Kind::String) ? value.as_string() : std::string("?"));
    }
    const auto& e = std::get<OutcomeBpmnError>(o);
    return "error " + e.code + (e.message.empty() ? "" : " '" + e.message + "'") +
           (e.variables.size() > 0 ? " with variables" : "");
  }
  if (const auto* a = std::get_if<Again>(&v.is)) {
    return "again after " + to_text(a->delay) + ", left " + (a->left ? std::to_string(*a->left) : "?") +
           (a->counts ? "" : ", not counted") + (a->outcome ? ", with variables" : "");
  }
  if (const auto* x = std::get_if<Exhaust>(&v.is)) {
    return std::string("exhausted") + (x->state == JobState::Failed ? ", failed" : "") + (x->counts ? "" : ", not counted");
  }
  return "noted '" + std::get<Noted>(v.is).error + "'";
}

struct Rules {
  policy::Policy p = exact_policy(3);
  Owner owner = Owner::Engine;
  Attempts attempts;

  std::string on(Report r) {
    Result<Verdict> v = classify(p, owner, attempts, std::move(r), 0.0);
    if (!v) return "refused: " + v.error().message;
    last = std::move(*v);
    return told(last);
  }
  policy::Failure failure_of() const { return std::get<OutcomeExhausted>(*std::get<Exhaust>(last.is).outcome).failure; }
  Verdict last;
};

policy::ErrorRule rule(std::optional<Value> code, const std::string& body,
                       std::variant<policy::ToBpmnError, policy::ToStatus, policy::ToTechnical> to) {
  policy::ErrorRule r;
  r.code = std::move(code);
  if (!body.empty()) r.body = *expr::Clause::parse(body);
  r.outcome = std::move(to);
  return r;
}

// The seed's worked contrast (ADR-021 2.6).
policy::ErrorMapperPtr contrast() {
  std::vector<policy::ErrorRule> rules;
  rules.push_back(rule(Value(404), "$.type == 'NOT_FOUND'", policy::ToStatus{{Value("NOT_FOUND")}}));
  rules.push_back(rule(Value(409), "$.type == 'CONFLICT'", policy::ToBpmnError{{Value("ResourceConflict")}, std::nullopt}));
  return *policy::rule_mapper(std::move(rules));
}
Value typed(const std::string& type) { return map_value({{"type", Value(type)}}); }

ReportFail raw_fail(Value code, Value body = {}) {
  ReportFail f;
  f.failure.code = std::move(code);
  f.failure.body = std::move(body);
  return f;
}

TEST(RetryTable, ALockOwnedByTheWorker) {
  Rules r;
  r.owner = Owner::Worker;
  // its final fail is exhaustion, and its word on retries counts
  EXPECT_EQ(r.on(failure("x")), "exhausted");
  EXPECT_EQ(r.on(failure("x", std::nullopt, Duration::seconds(5))), "exhausted");
  EXPECT_EQ(r.on(failure("x", 0)), "exhausted");
  EXPECT_EQ(r.on(failure("x", 2, Duration::seconds(5))), "again after PT5S, left 2");
  EXPECT_EQ(r.on(failure("x", 2)), "again after PT0S, left 2");
  // a raw report is the engine's to judge
  EXPECT_EQ(r.on(ReportRaw{Value(503), Value("busy")}), "again after PT0.5S, left 2");
}

TEST(RetryTable, ALockOwnedByTheEngine) {
  Rules r;
  EXPECT_EQ(r.on(failure("x")), "again after PT0.5S, left 2");
  EXPECT_EQ(r.on(failure("x", std::nullopt, Duration::seconds(5))), "again after PT5S, left 2");
  EXPECT_EQ(r.on(failure("x", 0)), "exhausted");
  EXPECT_EQ(r.on(failure("x", 7, Duration::seconds(5))), "again after PT5S, left 7");
  EXPECT_EQ(r.on(ReportRaw{Value(503), Value("busy")}), "again after PT0.5S, left 2");
  r.attempts = {2, 0, 2, {}, false, false};
  EXPECT_EQ(r.on(failure("x")), "exhausted");
  EXPECT_EQ(r.on(failure("x", 7)), "again after PT0S, left 7");
}

TEST(RetryTable, EngineAuthoritative) {
  Rules r;
  r.p.trust = Trust::EngineAuthoritative;
  // the worker may lower the count and lengthen the wait, never the other way
  EXPECT_EQ(r.on(failure("x")), "again after PT0.5S, left 2");
  EXPECT_EQ(r.on(failure("x", 0)), "exhausted");
  EXPECT_EQ(r.on(failure("x", 1, Duration::seconds(5))), "again after PT5S, left 1");
  EXPECT_EQ(r.on(failure("x", 9, Duration::millis(1))), "again after PT0.5S, left 2");
  EXPECT_EQ(r.on(failure("x", std::nullopt, Duration::seconds(5))), "again after PT5S, left 2");
  r.attempts = {2, 0, 2, {}, false, false};
  EXPECT_EQ(r.on(failure("x", 9)), "exhausted");
  // with a mapper, even retries=0 is a raw fault first
  r.p.errors = contrast();
  EXPECT_EQ(r.on([] {
    auto f = raw_fail(Value(409), typed("CONFLICT"));
    f.retries = 0;
    return f;
  }()),
            "error ResourceConflict");
}

TEST(RetryTable, WithoutAnyPolicyTheWorkersWordCounts) {
  Rules r;
  r.p = camunda7_policy();
  EXPECT_EQ(r.on(failure("x")), "exhausted");
  EXPECT_EQ(r.on(failure("x", 0, Duration::seconds(9))), "exhausted");
  EXPECT_EQ(std::get<Exhaust>(r.last.is).shown_lock, Duration::seconds(9));
  EXPECT_EQ(r.on(failure("x", 3, Duration::seconds(9))), "again after PT9S, left 3");
}

TEST(RetryTable, AnAllowanceCountsFromWhereItWasSet) {
  Rules r;
  // given 5 executions that a worker granted, two of them spent
  r.attempts = {4, 0, 2, 5, false, false};
  // then the next one leaves 2, and waits as "2 left of 3" does
  EXPECT_EQ(r.on(failure("x")), "again after PT0.5S, left 2");
  r.attempts.spent = 3;
  EXPECT_EQ(r.on(failure("x")), "again after PT1S, left 1");
  r.attempts.spent = 4;
  EXPECT_EQ(r.on(failure("x")), "exhausted");
  // and an allowance of an operator counts with NoRetry too
  r.p.retry = policy::no_retry();
  r.attempts = {0, 0, 0, 2, false, false};
  EXPECT_EQ(r.on(failure("x")), "again after PT0S, left 1");
}

TEST(RetryTable, JitterShortensTheDelayWithinItsBand) {
  // given the default policy
  Rules r;
  r.p = default_policy();
  for (const double jitter : {0.0, 0.25, 0.5, 0.999}) {
    const Result<Verdict> v = classify(r.p, Owner::Engine, {}, failure("x"), jitter);
    const Duration d = std::get<Again>(v->is).delay;
    // then the delay lies in the upper half of 500 ms
    EXPECT_GT(d, Duration::millis(250));
    EXPECT_LE(d, Duration::millis(500));
  }
}

// seed: ADR-021 2.6/11
TEST(WorkedContrast, ByCodeAndBody) {
  for (const Trust trust : {Trust::WorkerTrusted, Trust::EngineAuthoritative}) {
    // given the seed's rules in either trust mode
    Rules r;
    r.p.trust = trust;
    r.p.errors = contrast();
    r.p.status = policy::StatusTarget{"state", false};
    // when raw results come
    // then code and body together decide
    EXPECT_EQ(r.on(ReportRaw{Value(404), typed("NOT_FOUND")}), "status NOT_FOUND");
    EXPECT_EQ(r.on(ReportRaw{Value(404), typed("WRONG_ROUTE")}), "again after PT0.5S, left 2");
    EXPECT_EQ(r.on(ReportRaw{Value(404), Value()}), "again after PT0.5S, left 2");
    EXPECT_EQ(r.on(ReportRaw{Value(409), typed("CONFLICT")}), "error ResourceConflict");
    EXPECT_EQ(r.on(ReportRaw{Value(500), Value("boom")}), "again after PT0.5S, left 2");
    EXPECT_EQ(r.on(ReportRaw{Value(200), map_value({{"x", Value(1)}})}), "completed");
    // and the body may be JSON text
    EXPECT_EQ(r.on(ReportRaw{Value(409), Value(R"({"type":"CONFLICT"})")}), "error ResourceConflict");
  }
}

TEST(WorkedContrast, AFailIsMappedOnlyUnderEngineAuthoritative) {
  // given the seed's rules
  Rules r;
  r.p.errors = contrast();
  // when a trusted worker calls fail, then it has classified: technical
  EXPECT_EQ(r.on(raw_fail(Value(409), typed("CONFLICT"))), "again after PT0.5S, left 2");
  // when an untrusted one does, then it is a raw fault
  r.p.trust = Trust::EngineAuthoritative;
  EXPECT_EQ(r.on(raw_fail(Value(409), typed("CONFLICT"))), "error ResourceConflict");
}

// seed: ADR-021 2.6/21
TEST(Classification, AnUntrustedVerdictIsDroppedWithItsVariables) {
  // given an untrusted worker and a catch-all rule
  Rules r;
  r.p.trust = Trust::EngineAuthoritative;
  r.p.status = policy::StatusTarget{"state", false};
  // when it reports a BPMN error or a status
  // then it is a fault without a code
  EXPECT_EQ(r.on(ReportBpmnError{"MINE", "my text", block({{"x", Value(1)}})}), "again after PT0.5S, left 2");
  EXPECT_EQ(r.on(ReportBpmnError{"", "", {}}), "again after PT0.5S, left 2");
  EXPECT_EQ(r.on(ReportStatus{Value("mine")}), "again after PT0.5S, left 2");
  std::vector<policy::ErrorRule> any;
  any.push_back(rule(std::nullopt, "", policy::ToBpmnError{{Value("ENGINE_SAYS")}, std::nullopt}));
  r.p.errors = *policy::rule_mapper(std::move(any));
  EXPECT_EQ(r.on(ReportBpmnError{"MINE", "my text", block({{"x", Value(1)}})}), "error ENGINE_SAYS");
  // and the variables of a failure are dropped too
  r.p.errors = nullptr;
  ReportFail f = failure("x");
  f.variables = f.local = block({{"x", Value(1)}});
  EXPECT_EQ(r.on(f), "again after PT0.5S, left 2");
}

TEST(Classification, AStatusNeedsAPlace) {
  Rules r;
  // given a task without WithStatus, then a trusted worker's status is refused, and a mapper's is technical with a note
  EXPECT_EQ(r.on(ReportStatus{Value("x")}).rfind("refused: status:", 0), 0U);
  r.p.errors = contrast();
  EXPECT_EQ(r.on(ReportRaw{Value(404), typed("NOT_FOUND")}), "again after PT0.5S, left 2");
  EXPECT_NE(r.last.note.find("WithStatus"), std::string::npos);
  // given one with it
  r.p.status = policy::StatusTarget{"state", false};
  EXPECT_EQ(r.on(ReportStatus{Value("x")}), "status x");
}

class FailingMapper final : public policy::ErrorMapper {
 public:
  Result<policy::Classification> classify(const policy::Failure&) const override {
    if (!answer) return make_error(ErrorCode::Technical, "mapper raised");
    return *answer;
  }
  std::optional<policy::Classification> answer;
};

TEST(Classification, AMapperThatFailsOrAnswersNonsenseIsTechnicalWithANote) {
  // given a mapper that raises
  auto mapper = std::make_shared<FailingMapper>();
  Rules r;
  r.p.errors = mapper;
  EXPECT_EQ(r.on(ReportRaw{Value(500), Value()}), "again after PT0.5S, left 2");
  EXPECT_NE(r.last.note.find("mapper raised"), std::string::npos);
  EXPECT_EQ(std::get_if<Again>(&r.last.is)->error, "code 500; the error mapper failed: mapper raised");
  // or gives an empty or endless code
  mapper->answer = policy::BusinessError{"", ""};
  EXPECT_EQ(r.on(ReportRaw{Value(500), Value()}), "again after PT0.5S, left 2");
  EXPECT_FALSE(r.last.note.empty());
  mapper->answer = policy::BusinessError{std::string(kMaxCode + 1, 'x'), ""};
  EXPECT_EQ(r.on(ReportRaw{Value(500), Value()}), "again after PT0.5S, left 2");
  mapper->answer = policy::BusinessError{"E", std::string(kMaxMessage + 1, 'x')};
  EXPECT_EQ(r.on(ReportRaw{Value(500), Value()}).substr(0, 9), "error E '");
  // and its technical note goes to the log
  mapper->answer = policy::Technical{"clause 2 ran out of budget"};
  r.on(ReportRaw{Value(500), Value()});
  EXPECT_EQ(r.last.note, "clause 2 ran out of budget");
}

class OddPolicy final : public policy::RetryPolicy {
 public:
  Result<std::optional<Duration>> next_delay(int, const policy::Failure&, double) const override { return std::optional(delay); }
  int max_attempts() const override { return 0; }
  bool custom() const override { return true; }
  std::string describe() const override { return "odd"; }
  Duration delay{-1};
};

TEST(Classification, APolicyWithANegativeOrEndlessDelayIsAnIncidentThatSaysSo) {
  // given a policy that answers nonsense
  auto odd = std::make_shared<OddPolicy>();
  Rules r;
  r.p.retry = odd;
  for (const Duration d : {Duration{-1}, Duration::max()}) {
    odd->delay = d;
    // when a failure is judged
    EXPECT_EQ(r.on(failure("x")), "exhausted");
    // then the incident names the delay
    EXPECT_NE(r.failure_of().message.find("delay of"), std::string::npos) << r.failure_of().message;
  }
  // and a sane answer of a policy that only knows itself leaves an unknown count
  odd->delay = Duration::seconds(1);
  EXPECT_EQ(r.on(failure("x")), "again after PT1S, left ?");
}

policy::OutputMapping mapping(bool optional = false) {
  policy::OutputMapping m;
  m.rules.push_back({*expr::JsonPath::parse("$.data.id"), "orderId", optional});
  return m;
}
std::shared_ptr<const policy::MessageType> message() {
  auto m = std::make_shared<policy::MessageType>();
  m->name = "Receipt";
  m->fields.push_back({"orderId", policy::FieldType::Int, false, false});
  return m;
}
const OutcomeCompleted& completed(const Rules& r) { return std::get<OutcomeCompleted>(*std::get<Finish>(r.last.is).outcome); }
Value body_with(Value id) { return map_value({{"data", map_value({{"id", std::move(id)}})}, {"other", Value(1)}}); }

TEST(OutputMapping, ACompleteOnAnEngineOwnedLockIsMapped) {
  // given a mapping and an out message
  Rules r;
  r.p.output = mapping();
  r.p.out_message = message();
  // when the output holds the path
  EXPECT_EQ(r.on(ReportComplete{block({{"data", map_value({{"id", Value(7)}})}, {"other", Value(1)}}), {}}), "completed");
  // then only the target is written
  EXPECT_EQ(value_of(completed(r).output), map_value({{"orderId", Value(7)}}));
  EXPECT_TRUE(completed(r).mapped);
}

TEST(OutputMapping, ACompleteOnAWorkerOwnedLockIsFinalAndOnlyChecked) {
  // given a lock owned by the worker, which has mapped
  Rules r;
  r.owner = Owner::Worker;
  r.p.output = mapping();
  r.p.out_message = message();
  // when it completes with the target
  EXPECT_EQ(r.on(ReportComplete{block({{"orderId", Value(7)}}), {}}), "completed");
  EXPECT_TRUE(completed(r).mapped);
  // then what does not fit is a technical fault of the policy
  EXPECT_EQ(r.on(ReportComplete{block({{"orderId", Value("seven")}}), {}}), "again after PT0.5S, left 2");
  EXPECT_EQ(r.on(ReportComplete{block({{"data", Value(1)}}), {}}), "again after PT0.5S, left 2");
}

TEST(OutputMapping, ARawSuccessIsMappedWhoeverOwnsTheLock) {
  for (const Owner owner : {Owner::Engine, Owner::Worker}) {
    Rules r;
    r.owner = owner;
    r.p.output = mapping();
    EXPECT_EQ(r.on(ReportRaw{Value(201), body_with(Value(7))}), "completed");
    EXPECT_EQ(value_of(completed(r).output), map_value({{"orderId", Value(7)}}));
    EXPECT_EQ(r.on(ReportRaw{Value(200), Value(R"({"data":{"id":8}})")}), "completed");
    EXPECT_EQ(value_of(completed(r).output), map_value({{"orderId", Value(8)}}));
  }
}

TEST(OutputMapping, ARawSuccessWithoutAMappingIsTheOutput) {
  Rules r;
  EXPECT_EQ(r.on(ReportRaw{Value(200), map_value({{"x", Value(1)}})}), "completed");
  EXPECT_EQ(value_of(completed(r).output), map_value({{"x", Value(1)}}));
  EXPECT_FALSE(completed(r).mapped);
  EXPECT_EQ(r.on(ReportRaw{Value(204), Value()}), "completed");
  EXPECT_EQ(completed(r).output.size(), 0U);
  // a body that is no map has no fields
  EXPECT_EQ(r.on(ReportRaw{Value(200), Value("plain text")}), "again after PT0.5S, left 2");
}

// seed: ADR-021 2.5/16
TEST(OutputMapping, AMissingPathOrAMisfitIsATechnicalFaultThatKeepsTheRawResult) {
  // given a mapping whose incident comes at once
  Rules r;
  r.p.output = mapping();
  r.p.out_message = message();
  EXPECT_EQ(r.on(ReportRaw{Value(200), typed("x")}), "again after PT0.5S, left 2");
  r.p.on_mismatch = policy::OnMismatch::Incident;
  // when the path is missing
  EXPECT_EQ(r.on(ReportRaw{Value(200), typed("x")}), "exhausted");
  // then path and target are named and the body is kept for an operator
  EXPECT_NE(r.failure_of().message.find("orderId"), std::string::npos) << r.failure_of().message;
  EXPECT_EQ(r.failure_of().body, typed("x"));
  // when the value has the wrong type
  EXPECT_EQ(r.on(ReportRaw{Value(200), body_with(Value("seven"))}), "exhausted");
  EXPECT_EQ(r.failure_of().body, body_with(Value("seven")));
  // when a complete does not fit
  r.p.output.reset();
  EXPECT_EQ(r.on(ReportComplete{block({{"x", Value(1)}}), {}}), "exhausted");
  EXPECT_EQ(r.failure_of().body, map_value({{"x", Value(1)}}));
}

TEST(OutputMapping, AnOperatorMapsTheKeptResultAgain) {
  // given the raw result that an incident kept
  policy::Policy p = exact_policy();
  p.output = mapping();
  p.out_message = message();
  // when it is mapped again, then it fits or the error says why not
  const Result<OutcomeCompleted> good = map_result(p, body_with(Value(7)));
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(good->mapped);
  EXPECT_EQ(value_of(good->output), map_value({{"orderId", Value(7)}}));
  EXPECT_FALSE(map_result(p, body_with(Value("seven"))).ok());
  EXPECT_FALSE(map_result(p, Value("text")).ok());
}

TEST(OutputMapping, Camunda7HasNoOutputFitCheck) {
  Rules r;
  r.p = camunda7_policy();
  r.p.out_message = message();
  EXPECT_EQ(r.on(ReportComplete{block({{"x", Value(1)}}), {}}), "completed");
}

class OnlyEven final : public policy::OutputSchema {
 public:
  Status check(const Value& output) const override {
    const Value* x = output.find("x");
    if (x != nullptr && x->is(Kind::Int) && x->as_int() % 2 == 0) return Ok{};
    return make_error(ErrorCode::Technical, "x is odd");
  }
};

TEST(OutputMapping, ASchemaIsCheckedLast) {
  // given a schema
  Rules r;
  r.p.schema = std::make_shared<OnlyEven>();
  // then what fits completes, and what does not is a mismatch
  EXPECT_EQ(r.on(ReportComplete{block({{"x", Value(2)}}), {}}), "completed");
  EXPECT_EQ(r.on(ReportComplete{block({{"x", Value(3)}}), {}}), "again after PT0.5S, left 2");
  r.attempts = {2, 0, 2, {}, false, false};
  EXPECT_EQ(r.on(ReportComplete{block({{"x", Value(3)}}), {}}), "exhausted");
  EXPECT_NE(r.failure_of().message.find("x is odd"), std::string::npos);
}

TEST(OutputMapping, LocalVariablesTravelWithATrustedReport) {
  Rules r;
  EXPECT_EQ(r.on(ReportComplete{{}, block({{"l", Value(1)}})}), "completed");
  EXPECT_EQ(completed(r).local.size(), 1U);
  r.p.trust = Trust::EngineAuthoritative;
  EXPECT_EQ(r.on(ReportComplete{{}, block({{"l", Value(1)}})}), "completed");
  EXPECT_EQ(completed(r).local.size(), 0U);
}

TEST(ReportLimits, TextsAreLimitedByField) {
  Rules r;
  // codes are refused, messages are cut with a mark
  EXPECT_EQ(r.on(ReportBpmnError{std::string(kMaxCode + 1, 'x'), "", {}}).rfind("refused: code:", 0), 0U);
  EXPECT_EQ(r.on(ReportRaw{Value(std::string(kMaxCode + 1, 'x')), {}}).rfind("refused: code:", 0), 0U);
  EXPECT_EQ(r.on(ReportRaw{map_value({}), {}}).rfind("refused: code: expected a number, text or null, found map", 0), 0U);
  EXPECT_EQ(r.on(ReportRaw{Value(true), {}}).rfind("refused: code:", 0), 0U);
  EXPECT_EQ(r.on(failure(std::string(kMaxText + 1, 'x'))).rfind("refused: message: expected at most 1 MiB", 0), 0U);
  EXPECT_EQ(r.on(ReportBpmnError{"E", std::string(kMaxText + 1, 'x'), {}}).rfind("refused: message:", 0), 0U);
  EXPECT_EQ(r.on(failure(std::string(kMaxMessage + 1, 'x'))), "again after PT0.5S, left 2");
  const std::string& kept = std::get<Again>(r.last.is).error;
  EXPECT_EQ(kept.size(), kMaxMessage);
  EXPECT_EQ(kept.substr(kept.size() - 6), " [cut]");
  // a cut never splits a character
  std::string umlauts;
  while (umlauts.size() <= kMaxMessage) umlauts += "\xC3\xA4";
  EXPECT_EQ(r.on(failure("x" + umlauts)), "again after PT0.5S, left 2");
  const std::string& cut = std::get<Again>(r.last.is).error;
  EXPECT_EQ(cut.substr(cut.size() - 8, 2), "\xC3\xA4");
}

TEST(ReportLimits, RetriesAndTimesHaveRanges) {
  Rules r;
  EXPECT_EQ(r.on(failure("x", -1)).rfind("refused: retries:", 0), 0U);
  EXPECT_EQ(r.on(failure("x", 1, Duration::micros(-1))).rfind("refused: retry_after:", 0), 0U);
  EXPECT_EQ(r.on(failure("x", 1, Duration::max())).rfind("refused: retry_after:", 0), 0U);
  EXPECT_EQ(r.on(failure("x", std::numeric_limits<int>::max(), kMaxDuration)).substr(0, 11), "again after");
}

TEST(Trust, AnUntrustedWorkerSeesNoPolicy) {
  policy::Policy p = exact_policy();
  EXPECT_TRUE(shows_policy(p));
  p.trust = Trust::EngineAuthoritative;
  EXPECT_FALSE(shows_policy(p));
}

// seed: ADR-021 2.7/9
TEST(Trust, TheOwnerIsFixedAtFetch) {
  struct Row {
    Trust trust;
    bool runs_policy, custom;
    Owner owner;
  };
  for (const Row& row :
       {Row{Trust::WorkerTrusted, true, false, Owner::Worker}, Row{Trust::WorkerTrusted, false, false, Owner::Engine},
        Row{Trust::WorkerTrusted, true, true, Owner::Engine}, Row{Trust::EngineAuthoritative, true, false, Owner::Engine}}) {
    // given a job in a mode
    policy::Policy p = exact_policy();
    p.trust = row.trust;
    if (row.custom) p.schema = std::make_shared<OnlyEven>();
    Bench b;
    b.table.enqueue(job(1, service("t", p)));
    FetchRequest f = request("w", {"t"});
    f.runs_policy = row.runs_policy;
    // when it is fetched
    b.fetch(f);
    // then the owner is who can run the policy
    EXPECT_EQ(b.last.at(0).owner, row.owner);
    EXPECT_EQ(b.last.at(0).authoritative(), row.trust == Trust::EngineAuthoritative);
  }
}

TEST(Trust, ExpiriesSoFarGoWithAWorkerOwnedLock) {
  // given a worker-owned lock that ran out once
  Bench b;
  b.table.enqueue(job(1, service("t")));
  FetchRequest f = lock_of(request("w", {"t"}), 10);
  f.runs_policy = true;
  b.fetch(f);
  b.advance_to(at(10));
  // when it is fetched again
  b.fetch(f);
  // then the worker knows that one of 3 is gone, so that 3 do not become more
  EXPECT_EQ(b.last.at(0).expiries, 1);
  EXPECT_EQ(b.last.at(0).retries, 2);
  EXPECT_EQ(b.last.at(0).owner, Owner::Worker);
}

}  // namespace
}  // namespace headrace::jobs::test
