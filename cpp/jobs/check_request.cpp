#include "check_request.hpp"

#include <unordered_set>

namespace headrace::jobs {
namespace {

Error bad_request(const std::string& field, const std::string& expected, const std::string& found) {
  return make_error(ErrorCode::Validation, field + ": expected " + expected + ", found " + found);
}

Status check_topics(const std::vector<Topic>& topics) {
  if (topics.empty() || topics.size() > 1000) return bad_request("topics", "1 to 1000 topics", std::to_string(topics.size()));
  std::unordered_set<std::string_view> seen;
  for (const Topic& t : topics) {
    if (t.empty()) return bad_request("topics", "names that are not empty", "an empty one");
    if (t.str().size() > 255)
      return bad_request("topics", "names of at most 255 bytes", "one of " + std::to_string(t.str().size()));
    if (topics.size() > 1 && !seen.insert(t.str()).second)
      return bad_request("topics", "each topic once", "'" + t.str() + "' twice");
  }
  return Ok{};
}

}  // namespace

Status check_duration(const std::string& field, Duration d) {
  if (d.us > 0 && d <= kMaxDuration) return Ok{};
  return bad_request(field, "a positive duration of at most 100 years", to_text(d));
}

Status Table::check(const FetchRequest& r) {
  if (r.worker.empty() || r.worker.str().size() > 255) {
    return bad_request("worker", "1 to 255 bytes",
                       r.worker.empty() ? "an empty name" : std::to_string(r.worker.str().size()) + " bytes");
  }
  if (const Status s = check_topics(r.topics); !s) return s;
  if (r.max_jobs < 1 || r.max_jobs > 10'000) return bad_request("max_jobs", "1 to 10000", std::to_string(r.max_jobs));
  return r.lock_duration ? check_duration("lock_duration", *r.lock_duration) : Status(Ok{});
}

}  // namespace headrace::jobs
