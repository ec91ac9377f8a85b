#pragma once
// What a worker may put into a report: lengths and ranges, before anything is classified.

#include "headrace/jobs/classify.hpp"

namespace headrace::jobs {

// Error: Validation, naming the field. Cuts long messages in place.
Status check_report(const policy::Policy&, Report&);
// A message of at most kMaxMessage bytes; a longer one is cut at a character and marked.
std::string cut_message(std::string message);

}  // namespace headrace::jobs
