#pragma once
// Regular expressions of match and search: I-Regexp (RFC 9485), checked against its grammar and run by RE2 in time linear in the
// text. `.` is any character but \n and \r; `^` and `$` outside brackets are anchors, as the compliance suite wants them.
// Not supported inside brackets: \p{C} and \p{Cn} (unassigned characters), refused by compile.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/result.hpp"

namespace re2 {
class RE2;
}

namespace headrace::expr::path {

class Regexp {
 public:
  // Error: Expression "expected …, found … at byte N of the regular expression".
  // `memory` in bytes bounds the program and its caches.
  static Result<Regexp> compile(std::string_view pattern, std::int64_t memory = 8 << 20);
  bool matches_all(std::string_view text) const;
  bool matches_part(std::string_view text) const;
  std::size_t program_size() const;  // instructions: a measure of the work for each byte

 private:
  std::shared_ptr<const re2::RE2> program_;
};

// The same expression in RE2's syntax. Errors as compile.
Result<std::string> to_re2(std::string_view pattern);

}  // namespace headrace::expr::path
