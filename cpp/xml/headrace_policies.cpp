// Retry policies, error mapper and output mapping of hr:service.

#include "headrace/policy/mapping.hpp"
#include "headrace/policy/retry.hpp"
#include "option_reader.hpp"

namespace headrace::xml {

namespace {

constexpr int kDefaultAttempts = 3;
constexpr Duration kDefaultBase = Duration::millis(500);
constexpr Duration kDefaultCap = Duration::seconds(30);
constexpr double kDefaultJitter = 0.5;

template <class T>
std::optional<T> kept(Result<T> result, const Element& e, OptionReader& r) {
  if (result.ok()) return *std::move(result);
  r.fault(e, result.error().message);
  return std::nullopt;
}

// A literal in `name`, or a path in `name` + "Path"; nothing when neither stands there.
std::optional<policy::Source> source(const Element& e, const std::string& name, OptionReader& r) {
  const auto literal = e.find(name);
  auto path = r.path(e, name + "Path");
  if (literal && path)
    r.fault(e, "expected one of " + name + " and " + name + "Path on hr:" + std::string(e.name) + ", but found both");
  if (path) return policy::Source{*std::move(path)};
  if (literal) return policy::Source{Value(*literal)};
  return std::nullopt;
}

policy::Source required_source(const Element& e, const std::string& name, OptionReader& r) {
  std::optional<policy::Source> found = source(e, name, r);
  if (!found) r.fault(e, "expected " + name + " or " + name + "Path on hr:" + std::string(e.name) + ", but there is none");
  return found ? *std::move(found) : policy::Source{};
}

bool read_outcome(const Element& outcome, policy::ErrorRule& rule, OptionReader& r) {
  if (outcome.name == "bpmnError") {
    r.only(outcome, {"code", "codePath", "message", "messagePath"});
    rule.outcome = policy::ToBpmnError{required_source(outcome, "code", r), source(outcome, "message", r)};
  } else if (outcome.name == "status") {
    r.only(outcome, {"value", "valuePath"});
    rule.outcome = policy::ToStatus{required_source(outcome, "value", r)};
  } else if (outcome.name == "technical") {
    r.only(outcome, {});
    rule.outcome = policy::ToTechnical{};
  } else {
    return false;
  }
  return true;
}

policy::ErrorRule read_rule(const Element& e, OptionReader& r) {
  r.only(e, {"code", "body"}, {"bpmnError", "status", "technical"});
  policy::ErrorRule rule;
  if (const auto code = e.find("code")) rule.code = Value(*code);
  if (const auto body = e.find("body")) {
    Result<expr::Clause> clause = expr::Clause::parse(*body);
    if (clause.ok()) {
      rule.body = *std::move(clause);
    } else {
      r.fault(e, "expected a clause for body of hr:rule: " + clause.error().message);
    }
  }
  int outcomes = 0;
  for (const Element& child : e.children) {
    if (child.ns == Ns::Headrace && read_outcome(child, rule, r)) ++outcomes;
  }
  if (outcomes != 1)
    r.fault(e, "expected one of hr:bpmnError, hr:status and hr:technical in hr:rule, but found " + std::to_string(outcomes));
  return rule;
}

}  // namespace

bool is_retry(const Element& e) {
  return e.ns == Ns::Headrace && (e.name == "noRetry" || e.name == "fixedDelay" || e.name == "exponentialBackoff");
}

policy::RetryPolicyPtr read_retry(const Element& e, OptionReader& r) {
  if (e.name == "noRetry") {
    r.only(e, {});
    return policy::no_retry();
  }
  const int attempts = r.whole(e, "maxAttempts").value_or(kDefaultAttempts);
  if (e.name == "fixedDelay") {
    r.only(e, {"maxAttempts", "delay"});
    return kept(policy::fixed_delay(attempts, r.duration(e, "delay").value_or(kDefaultBase)), e, r).value_or(nullptr);
  }
  r.only(e, {"maxAttempts", "base", "cap", "jitter"});
  return kept(policy::exponential_backoff(attempts, r.duration(e, "base").value_or(kDefaultBase),
                                          r.duration(e, "cap").value_or(kDefaultCap),
                                          r.fraction(e, "jitter").value_or(kDefaultJitter)),
              e, r)
      .value_or(nullptr);
}

policy::ErrorMapperPtr read_error_mapper(const Element& e, OptionReader& r) {
  r.only(e, {}, {"rule"});
  std::vector<policy::ErrorRule> rules;
  for (const Element& child : e.children) {
    if (child.is(Ns::Headrace, "rule")) rules.push_back(read_rule(child, r));
  }
  return kept(policy::rule_mapper(std::move(rules)), e, r).value_or(nullptr);
}

policy::OutputMapping read_output_mapping(const Element& e, OptionReader& r) {
  r.only(e, {}, {"out"});
  policy::OutputMapping mapping;
  for (const Element& child : e.children) {
    if (!child.is(Ns::Headrace, "out")) continue;
    r.only(child, {"path", "target", "optional"});
    policy::OutputRule rule;
    if (!r.required(child, "path").empty()) rule.path = r.path(child, "path").value_or(expr::JsonPath());
    rule.target = r.required(child, "target");
    rule.optional = r.flag(child, "optional").value_or(false);
    mapping.rules.push_back(std::move(rule));
  }
  return mapping;
}

}  // namespace headrace::xml
