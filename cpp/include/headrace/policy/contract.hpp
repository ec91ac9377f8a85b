#pragma once
// Message contracts (BPMN Operation.inMessageRef / outMessageRef): the fields of a message and their types. The contract is the
// marshallable boundary of a job (ADR-021 2.3, 2.5). Output is checked against it: all fields required unless optional, unknown
// ones refused, int widens to double, bool does not (design 4.9). Pure.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/result.hpp"
#include "headrace/base/variables.hpp"

namespace headrace::policy {

enum class FieldType : std::uint8_t { Any, Bool, Int, Float, String, Bytes, DateTime, List, Map };
std::string_view name_of(FieldType);

struct Field {
  std::string name;
  FieldType type = FieldType::Any;
  bool optional = false;   // hr.Optional
  bool sensitive = false;  // hr.Sensitive: *** in logs, repr, history, incidents and diagrams (design 4.20)
};

struct MessageType {
  std::string name;
  std::vector<Field> fields;
  const Field* find(std::string_view field) const;
};

// Whether one encoded value fits a field's type; an int for a Float field fits.
bool fits(FieldType, std::string_view encoded);
// The same for a field: null fits an optional one of any type.
bool fits(const Field&, std::string_view encoded);
// The encoded value in the field's own type (an int becomes a double for Float).
Slice widened(const Field&, const Variable&);
// Checks a whole output against the message and widens it; unknown, missing or ill-typed fields are named in one Validation error
// (of unknown ones the first 100, the others are counted), never with their values. Where nothing widens the block is shared, not
// copied.
Result<VariableBlock> check_message(const MessageType&, const VariableBlock&);

}  // namespace headrace::policy
