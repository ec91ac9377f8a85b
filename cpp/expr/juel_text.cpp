#include "juel_text.hpp"

#include "headrace/base/utf8.hpp"
#include "juel_parser.hpp"

namespace headrace::expr::juel {
namespace {

bool opens(std::string_view text, std::size_t i) {
  return (text[i] == '$' || text[i] == '#') && i + 1 < text.size() && text[i + 1] == '{';
}

// Literal text up to the next "${" that no backslash takes its meaning from. A backslash means something only there.
std::string literal(std::string_view text, std::size_t& at) {
  std::string out;
  bool escaped = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      if (escaped) out += c;
      escaped = true;
      continue;
    }
    const bool opening = opens(text, at);
    if (opening && !escaped) return out;
    if (escaped && !opening) out += '\\';
    out += c;
    escaped = false;
  }
  if (escaped) out += '\\';
  return out;
}

bool check(std::string_view text, std::string& problem) {
  if (text.size() > kMaxText) {
    problem = "expected at most 64 KiB, found " + std::to_string(text.size()) + " bytes";
    return false;
  }
  const std::size_t bad = utf8_error(text);
  if (bad == std::string_view::npos) return true;
  problem = "expected UTF-8 text, found another byte at byte " + std::to_string(bad);
  return false;
}

}  // namespace

bool compile(std::string_view text, Node& program, std::string& problem) {
  if (!check(text, problem)) return false;
  Emitter emitter(program);
  std::size_t at = 0;
  bool composite = false;
  // A part stays on the stack until another one follows: a lone ${…} keeps its kind.
  bool pending = false;
  const auto begin_part = [&] {
    if (pending) emitter.emit(Op::Append, -1);
    composite = composite || pending;
    pending = true;
  };
  while (at < text.size()) {
    if (std::string plain = literal(text, at); !plain.empty()) {
      begin_part();
      emitter.constant(Value(std::move(plain)));
    }
    if (at == text.size()) break;
    begin_part();
    Parser parser(text, at + 2, emitter);
    if (!parser.run()) {
      problem = std::move(parser.problem());
      return false;
    }
    at = parser.end();
  }
  if (!pending) emitter.constant(Value(""));
  if (composite) {
    emitter.emit(Op::Append, -1);
    emitter.emit(Op::Built, 1);
  }
  return true;
}

}  // namespace headrace::expr::juel
