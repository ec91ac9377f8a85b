#include "headrace/observe/format.hpp"

#include <algorithm>
#include <utility>

#include "headrace/base/json.hpp"

namespace headrace::observe {

namespace {

// The C1 controls are valid UTF-8 that terminals obey, and DEL is a control as well; json::quote knows only those of JSON.
std::string quoted(std::string_view text) {
  std::string once = json::quote(text);
  std::string out;
  out.reserve(once.size());
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < once.size(); ++i) {
    const auto byte = static_cast<unsigned char>(once[i]);
    const auto next = i + 1 < once.size() ? static_cast<unsigned char>(once[i + 1]) : 0U;
    const bool c1 = byte == 0xC2U && next >= 0x80U && next < 0xA0U;
    if (!c1 && byte != 0x7FU) {
      out += once[i];
      continue;
    }
    const unsigned code = c1 ? next : byte;
    out += "\\u00";
    out += kDigits[code >> 4U];
    out += kDigits[code & 0xFU];
    if (c1) ++i;
  }
  return out;
}

bool is_plain(std::string_view text) {
  constexpr std::string_view kMarks = "-_.:/+@";
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
  });
}

// Calls text(name, value) or number(name, value) for each field that says something.
template <class Text, class Number>
void each_field(const Record& r, Text text, Number number) {
  if (r.root != 0) number("root", std::to_string(r.root));
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"process", r.process}, {"node", r.node}, {"job", r.job}, {"topic", r.topic}, {"worker", r.worker}};
  for (const auto& [name, value] : texts) {
    if (!value.empty()) text(name, value);
  }
  if (r.attempt != 0) number("attempt", std::to_string(r.attempt));
  if (r.duration.us != 0) text("duration", to_text(r.duration));
  if (!r.text.empty()) text("text", r.text);
}

}  // namespace

std::string_view name_of(Level level) {
  switch (level) {
    case Level::Debug:
      return "debug";
    case Level::Info:
      return "info";
    case Level::Warning:
      return "warning";
    case Level::Error:
      return "error";
    case Level::Off:
      return "off";
  }
  return "unknown";
}

std::string format_text(const Record& record) {
  std::string out = to_text(record.at);
  out.append(" ").append(name_of(record.level)).append(" ").append(name_of(record.what));
  const auto key = [&](std::string_view name) { out.append(" ").append(name).append("="); };
  each_field(
      record,
      [&](std::string_view name, std::string_view value) {
        key(name);
        if (is_plain(value)) {
          out += value;
        } else {
          out += quoted(value);
        }
      },
      [&](std::string_view name, const std::string& digits) {
        key(name);
        out += digits;
      });
  return out;
}

std::string format_json(const Record& record) {
  std::string out = "{\"at\":" + quoted(to_text(record.at));
  const auto key = [&](std::string_view name) { out.append(",\"").append(name).append("\":"); };
  const auto text = [&](std::string_view name, std::string_view value) {
    key(name);
    out += quoted(value);
  };
  text("level", name_of(record.level));
  text("what", name_of(record.what));
  each_field(record, text, [&](std::string_view name, const std::string& digits) {
    key(name);
    out += digits;
  });
  out += '}';
  return out;
}

}  // namespace headrace::observe
