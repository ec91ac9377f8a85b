#include "headrace/policy/contract.hpp"

#include <cstddef>
#include <utility>

#include "headrace/base/codec.hpp"
#include "headrace/base/json.hpp"

namespace headrace::policy {
namespace {

using codec::Tag;

// Unknown names come from outside, a payload may hold 100,000s of them: a message names this many and counts the others.
constexpr std::size_t kNamedUnknown = 100;

bool is_null(std::string_view encoded) { return !encoded.empty() && codec::tag_of(encoded) == Tag::Null; }

std::string_view word_of(std::string_view encoded) {
  if (encoded.empty()) return "nothing";
  switch (codec::tag_of(encoded)) {
    case Tag::Null:
      return "null";
    case Tag::False:
    case Tag::True:
      return "a boolean";
    case Tag::Int:
      return "an integer";
    case Tag::Double:
      return "a float";
    case Tag::String:
      return "a string";
    case Tag::Bytes:
      return "bytes";
    case Tag::DateTime:
      return "a datetime";
    case Tag::List:
      return "a list";
    case Tag::Map:
      return "a map";
  }
  return "of no known kind";
}

// The faults of an output against a message. Only names and kinds are told, never a value: fields may be sensitive.
class Faults {
 public:
  void missing(const Field& field) { add("field " + json::quote(field.name) + " is missing"); }
  void ill_typed(const Field& field, std::string_view found) {
    std::string text = "field " + json::quote(field.name) + " is ";
    text.append(word_of(found)).append(", expected ").append(name_of(field.type));
    add(text);
  }
  void unknown(std::string_view name) {
    if (++unknown_ <= kNamedUnknown) add("field " + json::quote(name) + " is unknown");
  }
  bool any() const { return !text_.empty(); }
  Error error(const MessageType& message) const {
    std::string text = "expected the fields of message " + json::quote(message.name) + ", but " + text_;
    if (unknown_ > kNamedUnknown) text += " and " + std::to_string(unknown_ - kNamedUnknown) + " more are unknown";
    return make_error(ErrorCode::Validation, std::move(text));
  }

 private:
  void add(std::string_view fault) {
    if (!text_.empty()) text_ += "; ";
    text_ += fault;
  }
  std::string text_;
  std::size_t unknown_ = 0;
};

bool widens(const Field& field, std::string_view encoded) {
  return field.type == FieldType::Float && !encoded.empty() && codec::tag_of(encoded) == Tag::Int;
}

// Shares the block where nothing widens.
VariableBlock widened_all(const MessageType& message, VariableBlock output) {
  for (const Field& field : message.fields) {
    const Variable* found = output.find(field.name);
    if (found == nullptr || !widens(field, found->encoded())) continue;
    output.set(Variable::of(field.name, widened(field, *found).view(), found->written_by()));
  }
  return output;
}

}  // namespace

std::string_view name_of(FieldType type) {
  switch (type) {
    case FieldType::Any:
      return "any";
    case FieldType::Bool:
      return "boolean";
    case FieldType::Int:
      return "integer";
    case FieldType::Float:
      return "float";
    case FieldType::String:
      return "string";
    case FieldType::Bytes:
      return "bytes";
    case FieldType::DateTime:
      return "datetime";
    case FieldType::List:
      return "list";
    case FieldType::Map:
      return "map";
  }
  return "any";
}

const Field* MessageType::find(std::string_view field) const {
  for (const Field& f : fields) {
    if (f.name == field) return &f;
  }
  return nullptr;
}

bool fits(FieldType type, std::string_view encoded) {
  if (encoded.empty()) return false;
  const Tag tag = codec::tag_of(encoded);
  switch (type) {
    case FieldType::Any:
      return true;
    case FieldType::Bool:
      return tag == Tag::False || tag == Tag::True;
    case FieldType::Int:
      return tag == Tag::Int;
    case FieldType::Float:
      return tag == Tag::Double || tag == Tag::Int;
    case FieldType::String:
      return tag == Tag::String;
    case FieldType::Bytes:
      return tag == Tag::Bytes;
    case FieldType::DateTime:
      return tag == Tag::DateTime;
    case FieldType::List:
      return tag == Tag::List;
    case FieldType::Map:
      return tag == Tag::Map;
  }
  return false;
}

bool fits(const Field& field, std::string_view encoded) {
  return fits(field.type, encoded) || (field.optional && is_null(encoded));
}

Slice widened(const Field& field, const Variable& variable) {
  const std::string_view encoded = variable.encoded();
  if (widens(field, encoded)) return codec::encode(Value(static_cast<double>(codec::decode(encoded).as_int())));
  return variable.entry().part(variable.entry().size() - encoded.size(), encoded.size());
}

Result<VariableBlock> check_message(const MessageType& message, const VariableBlock& output) {
  Faults faults;
  for (const Field& field : message.fields) {
    const Variable* found = output.find(field.name);
    if (found == nullptr) {
      if (!field.optional) faults.missing(field);
    } else if (!fits(field, found->encoded())) {
      faults.ill_typed(field, found->encoded());
    }
  }
  for (std::uint32_t i = 0; i < output.size(); ++i) {
    if (message.find(output.at(i).name()) == nullptr) faults.unknown(output.at(i).name());
  }
  if (faults.any()) return faults.error(message);
  return widened_all(message, output);
}

}  // namespace headrace::policy
