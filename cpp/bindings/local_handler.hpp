#pragma once
// Python functions as handlers of the local worker pool (SRD-036 FR-2).

#include <memory>

#include "headrace/jobs/table.hpp"
#include "host.hpp"
#include "py.hpp"

namespace headrace::bindings {

// run(job: Job) -> dict | None; raises BpmnError, Status, Fault, Retry or anything. The host is not kept alive by it.
std::shared_ptr<jobs::LocalHandler> local_handler(const HostPtr&, PyObject* run);

}  // namespace headrace::bindings
