// Error rules (ADR-021 2.6): an ordered list, the first rule whose code and clause match gives the outcome.
#include <utility>

#include "code.hpp"
#include "headrace/base/json.hpp"
#include "headrace/policy/mapping.hpp"

namespace headrace::policy {
namespace {

constexpr std::size_t kMostRules = 100;

// Equal keys are equal codes. "" stands for what is no code and equals nothing; a fault without a code has a key of its own.
std::string key_of(const Value& code) {
  if (code.is_null()) return "-";
  const std::optional<std::string> text = code_text(code);
  return text ? "=" + *text : std::string();
}

void add_note(std::string& notes, const std::string& note) { notes += (notes.empty() ? "" : "; ") + note; }

// The text of a BPMN error code; a Technical error where it is empty or no code.
Result<std::string> error_code(const Value& value) {
  std::optional<std::string> text = code_text(value);
  if (text && !text->empty()) return *std::move(text);
  std::string found = text ? "an empty text" : std::string(name_of(value.kind()));
  return make_error(ErrorCode::Technical, "expected a BPMN error code as text or number, but found " + found);
}

std::string message_text(const Value& value) {
  if (value.is_null()) return {};
  std::optional<std::string> text = code_text(value);
  return text ? *std::move(text) : json::dump(value);
}

Classification technical(std::string notes, const Error& why) {
  add_note(notes, why.message);
  return Technical{std::move(notes)};
}

// Turns the matched rule's outcome into what the fault means; `notes` come from clauses before it.
struct Outcome {
  const Value& body;
  std::string notes;

  Classification operator()(const ToTechnical&) { return Technical{std::move(notes)}; }
  Classification operator()(const ToStatus& to) {
    Result<Value> value = to.value.read(body);
    if (!value) return technical(std::move(notes), value.error());
    return BusinessStatus{std::move(value).value(), std::move(notes)};
  }
  Classification operator()(const ToBpmnError& to) {
    Result<Value> from = to.code.read(body);
    if (!from) return technical(std::move(notes), from.error());
    Result<std::string> code = error_code(*from);
    if (!code) return technical(std::move(notes), code.error());
    std::string message;
    if (to.message) {
      Result<Value> read = to.message->read(body);
      if (!read) return technical(std::move(notes), read.error());
      message = message_text(*read);
    }
    return BusinessError{std::move(code).value(), std::move(message), std::move(notes)};
  }
};

class RuleMapper final : public ErrorMapper {
 public:
  explicit RuleMapper(std::vector<ErrorRule> rules) : rules_(std::move(rules)) {
    for (const ErrorRule& rule : rules_) keys_.push_back(rule.code ? key_of(*rule.code) : std::string());
  }

  Result<Classification> classify(const Failure& failure) const override {
    const std::string key = key_of(failure.code);
    std::string notes;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const ErrorRule& rule = rules_[i];
      if (rule.code && (key.empty() || keys_[i] != key)) continue;
      if (rule.body && !holds(i, failure.body, notes)) continue;
      return std::visit(Outcome{failure.body, std::move(notes)}, rule.outcome);
    }
    return Classification(Technical{std::move(notes)});
  }
  const std::vector<ErrorRule>* rules() const override { return &rules_; }
  bool may_give_status() const override {
    for (const ErrorRule& rule : rules_) {
      if (std::holds_alternative<ToStatus>(rule.outcome)) return true;
    }
    return false;
  }

 private:
  bool holds(std::size_t i, const Value& body, std::string& notes) const {
    Result<bool> matches = rules_[i].body->matches(body);
    if (matches) return *matches;
    add_note(notes, "rule " + std::to_string(i + 1) + " does not match: clause " + json::quote(rules_[i].body->text()) +
                        " could not be evaluated: " + matches.error().message);
    return false;
  }

  std::vector<ErrorRule> rules_;
  std::vector<std::string> keys_;  // of the rules' codes, in their order
};

Status check(const ErrorRule& rule) {
  if (rule.code && key_of(*rule.code).empty()) {
    return make_error(ErrorCode::Validation,
                      "expected its code as a finite number, text or null, but found " +
                          (rule.code->is(Kind::Double) ? "NaN or infinity" : std::string(name_of(rule.code->kind()))));
  }
  if (const auto* to = std::get_if<ToBpmnError>(&rule.outcome); to != nullptr && !to->code.is_path()) {
    Result<std::string> code = error_code(*std::get_if<Value>(&to->code.from));
    if (!code) return make_error(ErrorCode::Validation, code.error().message);
  }
  return Ok{};
}

}  // namespace

Result<ErrorMapperPtr> rule_mapper(std::vector<ErrorRule> rules) {
  if (rules.size() > kMostRules) {
    return make_error(ErrorCode::Validation, "expected at most 100 error rules, but found " + std::to_string(rules.size()));
  }
  std::string faults;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (Status s = check(rules[i]); !s) {
      faults += (faults.empty() ? "" : "; ") + ("error rule " + std::to_string(i + 1) + ": " + s.error().message);
    }
  }
  if (!faults.empty()) return make_error(ErrorCode::Validation, std::move(faults));
  return ErrorMapperPtr(std::make_shared<RuleMapper>(std::move(rules)));
}

}  // namespace headrace::policy
