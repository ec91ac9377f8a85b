#include "headrace/expr/jsonpath.hpp"

#include <string>
#include <utility>

#include "jsonpath_parser.hpp"
#include "jsonpath_run.hpp"

namespace headrace::expr {
namespace {

Error used_up(std::uint32_t budget) {
  return make_error(ErrorCode::Expression, "path budget of " + std::to_string(budget) + " node visits is used up");
}

Error not_parsed(std::string_view what) {
  return make_error(ErrorCode::Expression, "expected " + std::string(what) + " that was parsed, found an empty one");
}

}  // namespace

Result<JsonPath> JsonPath::parse(std::string_view text) {
  Result<path::Query> query = path::Parser(text, "the JSONPath").whole_query();
  if (!query) return query.error();
  JsonPath out;
  out.text_ = text;
  out.query_ = std::make_shared<const path::Query>(*std::move(query));
  return out;
}

Result<std::vector<const Value*>> JsonPath::query(const Value& root, std::uint32_t budget) const {
  if (query_ == nullptr) return not_parsed("a JSONPath");
  path::Run run(root, budget);
  path::Nodes nodes;
  if (!path::select(run, *query_, root, nodes)) return used_up(budget);
  return nodes;
}

bool JsonPath::singular() const { return query_ != nullptr && query_->singular; }

Result<Clause> Clause::parse(std::string_view text) {
  Result<path::Logical> root = path::Parser(text, "the clause").whole_clause();
  if (!root) return root.error();
  Clause out;
  out.text_ = text;
  out.root_ = std::make_shared<const path::Logical>(*std::move(root));
  return out;
}

Result<bool> Clause::matches(const Value& body, std::uint32_t budget) const {
  if (root_ == nullptr) return not_parsed("a clause");
  path::Run run(body, budget);
  bool held = false;
  if (!path::holds(run, *root_, body, held)) return used_up(budget);
  return held;
}

std::string_view JsonPath::member() const {
  if (text_.size() < 3 || text_[0] != '$' || text_[1] != '.') return {};
  const std::string_view name = std::string_view(text_).substr(2);
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return {};
  }
  return name;  // it parsed, so it does not begin with a digit
}

}  // namespace headrace::expr
