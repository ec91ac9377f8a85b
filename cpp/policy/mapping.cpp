// Sources, output mapping and the HTTP/JSON binding: what reads a body (the rules of errors are in rules.cpp).
#include "headrace/policy/mapping.hpp"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "headrace/base/json.hpp"

namespace headrace::policy {
namespace {

Error unread(const expr::JsonPath& path, std::string_view why) {
  std::string text = "expected path " + json::quote(path.text()) + " to select one node of the body, but ";
  text += why;
  return make_error(ErrorCode::Technical, std::move(text));
}

// One rule's value, nullopt where an optional one selects nothing.
Result<std::optional<Value>> output_of(const OutputRule& rule, const Value& body) {
  const auto fault = [&rule](std::string_view why) {
    std::string text =
        "expected path " + json::quote(rule.path.text()) + " to give output " + json::quote(rule.target) + ", but ";
    text += why;
    return make_error(ErrorCode::Technical, std::move(text));
  };
  Result<std::vector<const Value*>> nodes = rule.path.query(body);
  if (!nodes) return fault(nodes.error().message);
  if (nodes->empty() && rule.optional) return std::optional<Value>();
  if (nodes->empty()) return fault("it selects nothing in the body");
  if (rule.path.singular()) return std::optional<Value>(*nodes->front());
  ValueList list;
  list.reserve(nodes->size());
  for (const Value* node : *nodes) list.push_back(*node);
  return std::optional<Value>(std::move(list));
}

void put(ValueMap& map, const std::string& key, Value value) {
  for (auto& [name, old] : map) {
    if (name != key) continue;
    old = std::move(value);
    return;
  }
  map.emplace_back(key, std::move(value));
}

std::optional<double> status_number(const Value& code) {
  if (code.is(Kind::Int)) return static_cast<double>(code.as_int());
  if (code.is(Kind::Double)) return code.as_double();
  if (!code.is(Kind::String)) return std::nullopt;
  const std::string& text = code.as_string();
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class HttpJsonBinding final : public Binding {
 public:
  std::string_view name() const override { return "http+json"; }
  bool success(const Value& code) const override {
    if (code.is_null()) return true;
    const std::optional<double> status = status_number(code);
    return status && *status >= 200 && *status <= 299 && *status == std::floor(*status);
  }
  Value body(const Value& raw) const override {
    if (!raw.is(Kind::String)) return raw;
    Result<Value> parsed = json::parse(raw.as_string());
    return parsed ? std::move(parsed).value() : raw;
  }
};

}  // namespace

Result<Value> Source::read(const Value& body) const {
  if (const Value* literal = std::get_if<Value>(&from)) return *literal;
  const expr::JsonPath& path = *std::get_if<expr::JsonPath>(&from);
  Result<std::vector<const Value*>> nodes = path.query(body);
  if (!nodes) return unread(path, nodes.error().message);
  if (nodes->empty()) return unread(path, "it selects nothing");
  if (nodes->size() > 1) return unread(path, "it selects " + std::to_string(nodes->size()) + " nodes");
  return *nodes->front();
}

std::optional<VariableBlock> map_members(const OutputMapping& mapping, const VariableBlock& body) {
  VariableBlock mapped;
  mapped.reserve(static_cast<std::uint32_t>(mapping.rules.size()));
  for (const OutputRule& rule : mapping.rules) {
    const std::string_view member = rule.path.member();
    if (member.empty()) return std::nullopt;
    const Variable* field = body.find(member);
    if (field == nullptr && !rule.optional) return std::nullopt;
    if (field == nullptr) continue;
    mapped.set(rule.target == member ? *field : Variable::of(rule.target, field->encoded(), field->written_by()));
  }
  return mapped;
}

Result<ValueMap> map_output(const OutputMapping& mapping, const Value& body) {
  ValueMap targets;
  std::string faults;
  for (const OutputRule& rule : mapping.rules) {
    Result<std::optional<Value>> value = output_of(rule, body);
    if (!value) {
      faults += (faults.empty() ? "" : "; ") + value.error().message;
    } else if (value->has_value()) {
      put(targets, rule.target, **std::move(value));
    }
  }
  if (!faults.empty()) return make_error(ErrorCode::Technical, std::move(faults));
  return targets;
}

const Binding& http_json_binding() {
  static const HttpJsonBinding kBinding;
  return kBinding;
}

}  // namespace headrace::policy
