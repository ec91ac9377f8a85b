#include "headrace/jobs/job.hpp"

#include <array>
#include <charconv>

namespace headrace::jobs {
namespace {

// One number of an id: digits without a sign or leading zeros, then ':'.
template <class Number>
bool take_number(std::string_view& text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return false;
  const auto length = static_cast<std::size_t>(end - text.data());
  if (text.front() == '-' || (text.front() == '0' && length > 1)) return false;
  text.remove_prefix(length + 1);
  return true;
}

}  // namespace

std::string_view name_of(JobState s) {
  static constexpr std::array<std::string_view, kJobStates> kNames = {"queued",   "locked",    "reporting", "backing off",
                                                                      "incident", "completed", "failed",    "cancelled"};
  return kNames[static_cast<std::size_t>(s)];
}

std::string to_text(const JobKey& key, std::string_view node) {
  std::string out;
  out.reserve(48 + node.size());
  const auto add = [&out](std::uint64_t n) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr;
    out.append(digits.data(), end).push_back(':');
  };
  add(key.root);
  add(key.instance);
  add(key.token);
  add(key.visit);
  return out.append(node);
}

Result<ParsedJobId> parse_job_id(std::string_view text) {
  ParsedJobId id;
  std::string_view rest = text;
  if (take_number(rest, id.key.root) && take_number(rest, id.key.instance) && take_number(rest, id.key.token) &&
      take_number(rest, id.key.visit) && !rest.empty()) {
    id.node = rest;
    return id;
  }
  return make_error(ErrorCode::JobNotFound, "expected the id of an open job, found '" + std::string(text.substr(0, 200)) + "'");
}

}  // namespace headrace::jobs
