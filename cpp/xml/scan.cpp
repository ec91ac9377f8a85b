#include "scan.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "headrace/base/utf8.hpp"

namespace headrace::xml {

namespace {

using model::Fault;

constexpr std::string_view kSpace = " \t\r\n";
bool is_space(char c) { return kSpace.find(c) != std::string_view::npos; }

// Walks over the markup. Each step moves at_ behind what it read, or sets fault_.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<Fault> run() {
    while (!fault_ && at_ < text_.size()) {
      if (text_[at_] == '<') {
        markup();
      } else {
        character_data();
      }
    }
    if (!fault_ && depth_ > 0) fail("xml-syntax", "expected the end of every element, but the text ends inside one");
    return std::move(fault_);
  }

 private:
  bool begins(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void fail(std::string rule, std::string message, std::string hint = "") {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n');
    fault_ = Fault{"", static_cast<int>(line), std::move(rule), std::move(message), std::move(hint)};
  }

  void skip_to(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos)
      return fail("xml-syntax", std::string("expected the end of ") + what + ", but the text ends");
    at_ = found + end.size();
  }

  void markup() {
    if (begins("<!--")) {
      at_ += 4;
      return skip_to("-->", "a comment");
    }
    if (begins("<![CDATA["))
      return depth_ == 0 ? fail("xml-syntax", "expected no text outside the root element") : skip_to("]]>", "CDATA");
    if (begins("<!DOCTYPE")) return fail("xml-doctype", "DOCTYPE not allowed", "remove the document type declaration");
    if (begins("<!")) return fail("xml-syntax", "expected an element, a comment or CDATA behind '<'");
    if (begins("<?")) return instruction();
    if (begins("</")) return end_tag();
    start_tag();
  }

  void instruction() {
    const std::size_t from = at_;
    skip_to("?>", "a processing instruction");
    if (fault_ || from != 0 || text_.substr(0, 5) != "<?xml") return;
    const std::string_view declaration = text_.substr(0, at_);
    const std::size_t name = declaration.find("encoding");
    const std::size_t open = name == std::string_view::npos ? name : declaration.find_first_of("\"'", name);
    if (open == std::string_view::npos) return;
    std::string encoding(declaration.substr(open + 1, declaration.find(declaration[open], open + 1) - open - 1));
    std::transform(encoding.begin(), encoding.end(), encoding.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (encoding == "utf-8" || encoding == "utf8" || encoding == "us-ascii") return;
    fail("xml-encoding", "expected UTF-8, but the file declares '" + model::printable(encoding, 40) + "'",
         "save the file as UTF-8");
  }

  void end_tag() {
    skip_to(">", "an end tag");
    if (fault_) return;
    if (depth_ == 0) return fail("xml-syntax", "expected a start tag, but found an end tag");
    --depth_;
  }

  void start_tag() {
    if (++elements_ > kMaxElements) return fail("xml-elements", "expected at most " + std::to_string(kMaxElements) + " elements");
    if (depth_ == 0 && roots_++ > 0) return fail("xml-syntax", "expected one root element, but found a second one");
    if (++depth_ > kMaxDepth) return fail("xml-depth", "nesting deeper than " + std::to_string(kMaxDepth));
    ++at_;
    for (std::size_t count = 0; !fault_ && at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '>') {
        if (text_[at_ - 1] == '/') --depth_;
        ++at_;
        return;
      }
      if (c == '<') return fail("xml-syntax", "expected the end of a tag, but found '<'");
      if (c != '"' && c != '\'') {
        ++at_;
        continue;
      }
      if (++count > kMaxAttributes)
        return fail("xml-attributes", "expected at most " + std::to_string(kMaxAttributes) + " attributes on an element");
      attribute_value(c);
    }
    if (!fault_) fail("xml-syntax", "expected the end of a tag, but the text ends");
  }

  void attribute_value(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fail("xml-syntax", "expected the end of an attribute, but the text ends");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    if (value.size() > kMaxAttributeBytes) {
      return fail("xml-attribute-size",
                  "expected an attribute of at most 64 KiB, but found " + std::to_string(value.size()) + " bytes");
    }
    if (value.find('<') != std::string_view::npos) return fail("xml-syntax", "expected no '<' inside an attribute");
    references(value);
    at_ = end + 1;
  }

  void character_data() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string_view data = text_.substr(at_, end - at_);
    if (depth_ == 0 && !std::all_of(data.begin(), data.end(), is_space))
      return fail("xml-syntax", "expected no text outside the root element");
    references(data);
    if (!fault_) at_ = end;
  }

  // Only the five entities of XML itself and references to characters that XML allows: pugixml leaves others as they stand.
  void references(std::string_view data) {
    for (std::size_t i = data.find('&'); i != std::string_view::npos; i = data.find('&', i + 1)) {
      const std::size_t end = data.find(';', i);
      const std::string_view name = data.substr(i + 1, end == std::string_view::npos ? 0 : end - i - 1);
      if (name == "lt" || name == "gt" || name == "amp" || name == "quot" || name == "apos" || is_character(name)) continue;
      return fail("xml-entity",
                  "expected one of XML's own entities or a character, but found '&" + model::printable(name, 40) + ";'",
                  "write &amp; for a plain '&'");
    }
  }

  static bool is_character(std::string_view name) {
    if (name.size() < 2 || name[0] != '#') return false;
    const bool hex = name[1] == 'x';
    const char* const first = name.data() + (hex ? 2 : 1);
    std::uint32_t c = 0;
    const auto [end, error] = std::from_chars(first, name.data() + name.size(), c, hex ? 16 : 10);
    if (error != std::errc() || end != name.data() + name.size()) return false;
    return c == 9 || c == 10 || c == 13 || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
  }

  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0, elements_ = 0, roots_ = 0;
  std::optional<Fault> fault_;
};

}  // namespace

std::optional<Fault> scan(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos || text[first] != '<') {
    return Fault{"", 1, "not-bpmn",
                 "not BPMN XML: expected '<', but " +
                     std::string(first == std::string_view::npos ? "the file is empty" : "found other data"),
                 "give a BPMN 2.0 file, saved as UTF-8"};
  }
  if (text.size() > kMaxBytes) {
    return Fault{"", 0, "xml-size", "expected at most 8 MiB of XML, but found " + std::to_string(text.size()) + " bytes", ""};
  }
  const auto line_of = [&](std::size_t at) {
    return static_cast<int>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  if (const std::size_t at = utf8_error(text); at != std::string_view::npos) {
    return Fault{"", line_of(at), "xml-utf8",
                 "expected UTF-8, but the byte at offset " + std::to_string(at) + " begins no character",
                 "save the file as UTF-8"};
  }
  const auto control =
      std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && !is_space(c); });
  if (control != text.end()) {
    const auto at = static_cast<std::size_t>(control - text.begin());
    return Fault{"", line_of(at), "xml-syntax", "expected no control characters, but found one at offset " + std::to_string(at),
                 ""};
  }
  return Scanner(text).run();
}

}  // namespace headrace::xml
