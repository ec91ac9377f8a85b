#pragma once
// Committed state as Python dicts; python/headrace makes its data classes of them.

#include "host.hpp"
#include "py.hpp"

namespace headrace::bindings {

PyObject* snapshot_of(const HostPtr&, const engine::InstanceRef&);
PyObject* incident_dict(const engine::IncidentSnapshot&);
PyObject* metrics_dict(const engine::EngineMetrics&);

}  // namespace headrace::bindings
