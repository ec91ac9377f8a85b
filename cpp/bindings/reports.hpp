#pragma once
// Reports of Python workers: whom they are about, and the way to the dispatcher.

#include "headrace/jobs/dispatcher.hpp"
#include "host.hpp"
#include "py.hpp"

namespace headrace::bindings {

// `id` is a Job (its own epoch unless one is given) or an id's text. False with JobNotFound, TypeError or ValidationError.
bool target_of(PyObject* id, PyObject* worker, PyObject* epoch, jobs::ReportTarget& out);
// None, or null with what the dispatcher answered. `id` is what the caller gave.
PyObject* send_report(const HostPtr&, PyObject* id, const jobs::ReportTarget&, jobs::Report);
PyObject* none_or_raise(const Status&, PyObject* id);
// The error as the caller shall read it: JobNotFound with the whole id as it was given.
Error with_id(const Error&, PyObject* id);

}  // namespace headrace::bindings
