#pragma once
// Records as one line of text each: control characters escaped, so that a foreign name can neither break a line nor drive a
// terminal. Fields that are empty or zero are left out; their order is fixed. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/observe/recorder.hpp"

namespace headrace::observe {

// HEADRACE_LOG_FORMAT: "text" or "json".
enum class Format : std::uint8_t { Text, Json };

// "debug", "info", "warning", "error", "off".
std::string_view name_of(Level);

// `2026-01-05T09:00:00Z warning lock-expired job=7:7:1:1:pay topic=charge-card duration=PT30S text="…"`, without a line end.
std::string format_text(const Record&);
// The same fields as one JSON object, without a line end: `{"at":"…","level":"warning","what":"lock-expired",…}`.
std::string format_json(const Record&);
inline std::string format(const Record& record, Format format) {
  return format == Format::Json ? format_json(record) : format_text(record);
}

}  // namespace headrace::observe
