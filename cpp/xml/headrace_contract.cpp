// The message contract of a service task: hr:inMessage, hr:outMessage and hr:error of hr:service.

#include "option_reader.hpp"

namespace headrace::xml {

namespace {

std::shared_ptr<const policy::MessageType> read_message(const Element& service, std::string_view name, OptionReader& r) {
  const Element* e = service.child(name, Ns::Headrace);
  if (e == nullptr) return nullptr;
  r.only(*e, {"name"}, {"field"});
  auto message = std::make_shared<policy::MessageType>();
  message->name = r.required(*e, "name");
  for (const Element& child : e->children) {
    if (!child.is(Ns::Headrace, "field")) continue;
    r.only(child, {"name", "type", "optional", "sensitive"});
    policy::Field field;
    field.name = r.required(child, "name");
    using policy::FieldType;
    field.type = r.choice<FieldType>(child, "type",
                                     {{"any", FieldType::Any},
                                      {"bool", FieldType::Bool},
                                      {"int", FieldType::Int},
                                      {"float", FieldType::Float},
                                      {"string", FieldType::String},
                                      {"bytes", FieldType::Bytes},
                                      {"datetime", FieldType::DateTime},
                                      {"list", FieldType::List},
                                      {"map", FieldType::Map}})
                     .value_or(FieldType::Any);
    field.optional = r.flag(child, "optional").value_or(false);
    field.sensitive = r.flag(child, "sensitive").value_or(false);
    if (message->find(field.name) != nullptr)
      r.fault(child, "expected each field once, but found '" + model::printable(field.name) + "' twice");
    message->fields.push_back(std::move(field));
  }
  return message;
}

}  // namespace

// nullptr, an open contract, when none of its parts is there.
model::OperationPtr read_contract(const Element& service, OptionReader& r) {
  auto operation = std::make_shared<model::Operation>();
  operation->name = r.task.find("name").has_value() ? r.task.attribute("name") : r.task.id();
  operation->in_message = read_message(service, "inMessage", r);
  operation->out_message = read_message(service, "outMessage", r);
  for (const Element& child : service.children) {
    if (!child.is(Ns::Headrace, "error")) continue;
    r.only(child, {"code", "name"});
    operation->errors.push_back({r.required(child, "code"), child.attribute("name")});
  }
  if (!operation->in_message && !operation->out_message && operation->errors.empty()) return nullptr;
  return operation;
}

}  // namespace headrace::xml
