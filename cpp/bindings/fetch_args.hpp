#pragma once
// The arguments of a fetch, shared by the waiting and the asyncio form.

#include "headrace/jobs/job.hpp"
#include "py.hpp"

namespace headrace::bindings {

inline constexpr const char* kFetchNames[] = {"worker", "topics", "lock_duration", "max_jobs", "wait", "runs_policy"};
// Reads all but `wait` of arguments in the order of kFetchNames. False with a Python error.
bool fetch_request_of(PyObject* const* args, jobs::FetchRequest& out);

}  // namespace headrace::bindings
