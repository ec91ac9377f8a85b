#include "error_ref.hpp"

#include "elements.hpp"

namespace headrace::xml {

model::ErrorConfig read_error_ref(const Element& event, const Element& definition, Context& c) {
  model::ErrorConfig config;
  const auto ref = definition.find("errorRef");
  if (!ref) return config;
  const auto named = c.errors.find(reference(*ref));
  if (named == c.errors.end()) {
    c.fault(event, "dangling-ref",
            "expected errorRef to name an error, but there is none with id '" + model::printable(*ref) + "'",
            "add <error id=\"…\" errorCode=\"…\"/> to the definitions");
    return config;
  }
  if (has_expression(named->second.code)) {
    c.unsupported(event, "an error code that is an expression ('" + model::printable(named->second.code) + "')",
                  "write the code itself");
  }
  if (!named->second.code.empty()) config.code = named->second.code;
  config.message = named->second.message;
  return config;
}

}  // namespace headrace::xml
