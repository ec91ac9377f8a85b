#include "headrace/observe/prometheus.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "headrace/base/utf8.hpp"

namespace headrace::observe {

namespace {

bool is_name(std::string_view name, bool colon) {
  const auto letter = [&](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colon && c == ':'); };
  if (name.empty() || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// HELP escapes backslash and line end; label values escape the quote as well.
void append_escaped(std::string& out, std::string_view text, bool quote) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (text[i] == '\\') {
      out += "\\\\";
    } else if (text[i] == '\n') {
      out += "\\n";
    } else if (quote && text[i] == '"') {
      out += "\\\"";
    } else {
      out.append(text, i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

Status append_labels(std::string& out, const Family& family, const Sample& sample) {
  std::set<std::string_view> names;
  for (const auto& [name, value] : sample.labels) {
    if (!is_name(name, false) || name.substr(0, 2) == "__") {
      return make_error(ErrorCode::Validation,
                        "expected a label name of Prometheus in '" + family.name + "', found '" + name + "'");
    }
    if (!names.insert(name).second) {
      return make_error(ErrorCode::Validation,
                        "expected label '" + name + "' once in a sample of '" + family.name + "', found it twice");
    }
    out += names.size() == 1 ? "{" : ",";
    out.append(name).append("=\"");
    append_escaped(out, value, true);
    out += '"';
  }
  if (!names.empty()) out += '}';
  return Ok{};
}

Status append_family(std::string& out, const Family& family) {
  out.append("# HELP ").append(family.name).append(" ");
  append_escaped(out, family.help, false);
  out.append("\n# TYPE ").append(family.name).append(family.kind == MetricKind::Counter ? " counter\n" : " gauge\n");
  std::set<std::string> seen;
  for (const Sample& sample : family.samples) {
    std::string labels;
    if (Status status = append_labels(labels, family, sample); !status) return status;
    if (!seen.insert(labels).second) {
      return make_error(ErrorCode::Validation,
                        "expected one sample of '" + family.name + "' with the labels '" + labels + "', found two");
    }
    out.append(family.name).append(labels).append(" ");
    append_number(out, sample.value);
    out += '\n';
  }
  return Ok{};
}

}  // namespace

Result<std::string> prometheus_text(const std::vector<Family>& families) {
  std::string out;
  std::set<std::string_view> names;
  for (const Family& family : families) {
    if (!is_name(family.name, true)) {
      return make_error(ErrorCode::Validation, "expected a metric name of Prometheus, found '" + family.name + "'");
    }
    if (!names.insert(family.name).second) {
      return make_error(ErrorCode::Validation, "expected the metric '" + family.name + "' once, found it twice");
    }
    if (Status status = append_family(out, family); !status) return status.error();
  }
  return out;
}

}  // namespace headrace::observe
