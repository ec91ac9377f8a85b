#include "dom.hpp"

#include <algorithm>
#include <array>
#include <pugixml.hpp>
#include <unordered_map>

namespace headrace::xml {

namespace {

struct KnownNamespace {
  std::string_view uri;
  Ns ns;
};
constexpr auto kNamespaces = std::to_array<KnownNamespace>({
    {"http://www.omg.org/spec/BPMN/20100524/MODEL", Ns::Bpmn},
    {"http://camunda.org/schema/1.0/bpmn", Ns::Camunda},
    {"http://operaton.org/schema/1.0/bpmn", Ns::Camunda},
    {"http://activiti.org/bpmn", Ns::Camunda},
    {"urn:headrace:bpmn:1", Ns::Headrace},
    {"http://www.omg.org/spec/BPMN/20100524/DI", Ns::Bpmndi},
    {"http://www.omg.org/spec/DD/20100524/DC", Ns::Dc},
    {"http://www.omg.org/spec/DD/20100524/DI", Ns::Di},
});

Ns namespace_of(std::string_view uri) {
  if (uri.empty()) return Ns::None;
  const auto at = std::find_if(kNamespaces.begin(), kNamespaces.end(), [&](const KnownNamespace& k) { return k.uri == uri; });
  return at == kNamespaces.end() ? Ns::Other : at->ns;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

struct QName {
  std::string_view prefix, local;
};
QName split(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {{}, name};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

}  // namespace

struct Document::Memory {
  pugi::xml_document tree;
};

Document::Document() : memory_(std::make_unique<Memory>()) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

// Copies pugixml's tree into ours; prefixes in force are kept as one stack for each prefix, so that a lookup costs the same at
// any depth. Recursion is bounded by the depth that scan() allows.
class Document::Loader {
 public:
  Loader(Document& to, std::string_view text) : to_(to) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) newlines_.push_back(at);
  }

  std::optional<model::Fault> load(pugi::xml_node root) {
    element(root, to_.root_);
    return std::move(fault_);
  }

  int line_at(std::size_t offset) const {
    return static_cast<int>(1 + (std::lower_bound(newlines_.begin(), newlines_.end(), offset) - newlines_.begin()));
  }

 private:
  void fail(int line, std::string message) {
    if (!fault_) fault_ = model::Fault{"", line, "xml-syntax", std::move(message), ""};
  }

  void element(pugi::xml_node from, Element& out) {
    out.line = line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(from.offset_debug(), 0)));
    const std::vector<std::string_view> declared = declare(from);
    const QName name = split(from.name());
    out.name = name.local;
    out.ns = resolve(name.prefix, out.line);
    attributes(from, out);
    to_.vendor_ = to_.vendor_ || out.ns == Ns::Camunda;
    for (const pugi::xml_node child : from.children()) {
      if (fault_) return;
      if (child.type() == pugi::node_element) {
        element(child, out.children.emplace_back());
      } else {
        out.text += child.value();
      }
    }
    if (const std::string_view inner = trimmed(out.text); inner.size() != out.text.size()) out.text = std::string(inner);
    for (const std::string_view prefix : declared) prefixes_[prefix].pop_back();
  }

  std::vector<std::string_view> declare(pugi::xml_node from) {
    std::vector<std::string_view> declared;
    for (const pugi::xml_attribute a : from.attributes()) {
      const QName name = split(a.name());
      if (name.prefix == "xmlns") {
        declared.push_back(name.local);
      } else if (name.prefix.empty() && name.local == "xmlns") {
        declared.emplace_back();
      } else {
        continue;
      }
      prefixes_[declared.back()].push_back(namespace_of(a.value()));
    }
    return declared;
  }

  Ns resolve(std::string_view prefix, int line) {
    const auto at = prefixes_.find(prefix);
    if (at != prefixes_.end() && !at->second.empty()) return at->second.back();
    if (!prefix.empty() && prefix != "xml")
      fail(line, "expected a declared namespace prefix, but found '" + model::printable(prefix, 80) + "'");
    return prefix.empty() ? Ns::None : Ns::Other;
  }

  void attributes(pugi::xml_node from, Element& out) {
    std::vector<std::string_view> names;
    for (const pugi::xml_attribute a : from.attributes()) {
      names.emplace_back(a.name());
      const QName name = split(a.name());
      if (name.prefix == "xmlns" || (name.prefix.empty() && name.local == "xmlns")) continue;
      const Ns ns = name.prefix.empty() ? Ns::None : resolve(name.prefix, out.line);
      to_.vendor_ = to_.vendor_ || ns == Ns::Camunda;
      out.attributes.push_back({ns, name.local, a.value()});
    }
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
      fail(out.line, "expected each attribute once, but found '" + model::printable(*twice, 80) + "' twice");
  }

  Document& to_;
  std::vector<std::size_t> newlines_;
  std::unordered_map<std::string_view, std::vector<Ns>> prefixes_;
  std::optional<model::Fault> fault_;
};

std::variant<Document, model::Fault> Document::parse(std::string_view text) {
  Document document;
  const pugi::xml_parse_result parsed =
      document.memory_->tree.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  Loader loader(document, text);
  if (!parsed) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0));
    return model::Fault{"", loader.line_at(offset), "xml-syntax",
                        std::string("expected well-formed XML: ") + parsed.description(), ""};
  }
  if (std::optional<model::Fault> fault = loader.load(document.memory_->tree.document_element())) return *std::move(fault);
  return document;
}

std::optional<std::string_view> Element::find(std::string_view wanted, Ns attribute_ns) const {
  for (const Attribute& a : attributes) {
    if (a.ns == attribute_ns && a.name == wanted) return a.value;
  }
  return std::nullopt;
}

std::string Element::attribute(std::string_view wanted, Ns attribute_ns) const {
  return std::string(find(wanted, attribute_ns).value_or(std::string_view()));
}

const Element* Element::child(std::string_view wanted, Ns child_ns) const {
  const auto at = std::find_if(children.begin(), children.end(), [&](const Element& e) { return e.is(child_ns, wanted); });
  return at == children.end() ? nullptr : &*at;
}

}  // namespace headrace::xml
