#pragma once
// The engine's metrics as Prometheus families.

#include <vector>

#include "headrace/engine/engine.hpp"
#include "headrace/observe/prometheus.hpp"

namespace headrace::bindings {

std::vector<observe::Family> metric_families(const engine::EngineMetrics&);

}  // namespace headrace::bindings
