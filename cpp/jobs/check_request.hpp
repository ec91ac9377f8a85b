#pragma once
// What callers of the queue may ask for: errors name the field and what was found.

#include <string>

#include "headrace/jobs/table.hpp"

namespace headrace::jobs {

// A lock's length. Error: Validation.
Status check_duration(const std::string& field, Duration d);

}  // namespace headrace::jobs
