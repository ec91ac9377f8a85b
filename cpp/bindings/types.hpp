#pragma once
// The four objects that are made or called often, as plain CPython types: Engine, Instance, Dispatcher, Job. python/headrace
// subclasses each with the rarer verbs. None of them takes part in garbage collection: they refer to a Host, never to Python
// containers that could lead back.

#include "headrace/jobs/job.hpp"
#include "host.hpp"
#include "py.hpp"

namespace headrace::bindings {

struct EngineObject {
  PyObject_HEAD HostPtr host;
  PyObject* dispatcher;
};
struct InstanceObject {
  PyObject_HEAD HostPtr host;
  engine::InstanceRef ref;
};
struct DispatcherObject {
  PyObject_HEAD HostPtr host;
};
struct JobObject {
  PyObject_HEAD HostPtr host;
  jobs::LockedJob locked;
  PyObject* id;         // text, made when it is touched
  PyObject* variables;  // dict, decoded when it is touched
  PyObject* signal;     // the heartbeat of a worker, for job.cancelled
};

bool add_engine_type(PyObject* module);
bool add_instance_type(PyObject* module);
bool add_dispatcher_type(PyObject* module);
bool add_job_type(PyObject* module);

// New objects of the face's classes; null with a Python error.
PyObject* new_instance(const HostPtr&, engine::InstanceRef);
PyObject* new_dispatcher(const HostPtr&);
PyObject* new_job(const HostPtr&, jobs::LockedJob);
PyObject* new_jobs(const HostPtr&, std::vector<jobs::LockedJob>);

// Null with a TypeError when it is another object, with an EngineError when its engine is not usable (closed engines answer for
// themselves).
EngineObject* as_engine(PyObject*);
InstanceObject* as_instance(PyObject*);
DispatcherObject* as_dispatcher(PyObject*);
JobObject* as_job(PyObject*);  // no check of the engine: its data can be read anyway
bool is_job(PyObject*);
bool is_instance(PyObject*);

// Makes the engine of an Engine object from keyword options (engine_options.cpp).
bool make_engine(PyObject* options, HostPtr& out);

}  // namespace headrace::bindings
