#include "elements.hpp"

namespace headrace::xml {

void read_options(const Element&, model::ServiceTaskConfig&, Context&) {}

}  // namespace headrace::xml
