#pragma once
// Prometheus text exposition, version 0.0.4 (Content-Type "text/plain; version=0.0.4"): families of counters and gauges as
// values, text out. Names come from us, label values from foreign text: the first are checked, the second escaped. Pure.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "headrace/base/result.hpp"

namespace headrace::observe {

enum class MetricKind : std::uint8_t { Counter, Gauge };

struct Sample {
  std::vector<std::pair<std::string, std::string>> labels;  // name, value (UTF-8; other bytes become U+FFFD)
  double value = 0;                                         // NaN and infinities are written as the format has them
};

struct Family {
  std::string name;  // [a-zA-Z_:][a-zA-Z0-9_:]*, counters end in _total by convention
  std::string help;  // one sentence, without unit prefixes
  MetricKind kind = MetricKind::Gauge;
  std::vector<Sample> samples;
};

// Families in the given order, each with HELP and TYPE; a family without samples is written all the same, so that it can be
// found. Error: Validation for a name that the format does not know, a family or a set of labels that stands twice.
Result<std::string> prometheus_text(const std::vector<Family>&);

}  // namespace headrace::observe
