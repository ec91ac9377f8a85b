#include "jsonpath_regexp.hpp"

#include <re2/re2.h>

#include <utility>

namespace headrace::expr::path {

Result<Regexp> Regexp::compile(std::string_view pattern, std::int64_t memory) {
  Result<std::string> mapped = to_re2(pattern);
  if (!mapped) return mapped.error();
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(memory);
  auto program = std::make_shared<const re2::RE2>(*mapped, options);
  if (!program->ok()) {
    return make_error(ErrorCode::Expression, "expected a regular expression that can be compiled, found: " + program->error());
  }
  Regexp regexp;
  regexp.program_ = std::move(program);
  return regexp;
}

bool Regexp::matches_all(std::string_view text) const {
  return program_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_BOTH, nullptr, 0);
}

bool Regexp::matches_part(std::string_view text) const {
  return program_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::size_t Regexp::program_size() const { return static_cast<std::size_t>(program_->ProgramSize()); }

}  // namespace headrace::expr::path
