#pragma once
// An output schema as a model in XML carries it: the text of a JSON Schema, sound JSON and no more. The core has no schema
// engine: whoever deploys the model puts a compiled check in its place (the Python package does, with its extra `schema`). The
// engine refuses a definition that still holds a text. Pure.

#include <string>
#include <utility>

#include "headrace/policy/policy.hpp"

namespace headrace::policy {

class SchemaText final : public OutputSchema {
 public:
  explicit SchemaText(std::string json) : json_(std::move(json)) {}
  const std::string& json() const { return json_; }
  Status check(const Value&) const override {
    return make_error(ErrorCode::Technical, "expected a compiled output schema, but found its text");
  }

 private:
  std::string json_;
};

// The text that the options still hold; null: none, or it is compiled.
inline const SchemaText* schema_text(const ServiceOptions& o) { return dynamic_cast<const SchemaText*>(o.schema.get()); }

}  // namespace headrace::policy
