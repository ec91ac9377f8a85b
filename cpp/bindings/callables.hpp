#pragma once
// Python objects in the places of the engine's ports: operations, conditions, policies, schemas, clocks. Each call takes the GIL
// on a thread of the pool (or the caller's), converts, and turns an exception into a fault with its type and text; none lets an
// exception out.

#include <memory>

#include "headrace/base/clock.hpp"
#include "headrace/jobs/table.hpp"
#include "headrace/model/operation.hpp"
#include "headrace/policy/policy.hpp"
#include "py.hpp"

namespace headrace::bindings {

// run(variables: dict, call: _core.OperationCall) -> dict | None; raises BpmnError, Status, Fault or anything.
std::shared_ptr<const model::OperationBody> operation_body(PyObject* run);
// holds(variables: dict) -> bool
model::PredicatePtr predicate(PyObject* holds);
// next_delay(attempt, failure, jitter) -> None | duration, and max_attempts (0: only next_delay knows)
policy::RetryPolicyPtr custom_retry(PyObject*);
// classify(failure) -> BpmnError | Status | None
policy::ErrorMapperPtr custom_mapper(PyObject*);
// check(output): raises when it does not fit
std::shared_ptr<const policy::OutputSchema> output_schema(PyObject* check);
// success(code) -> bool, body(raw) -> value
policy::BindingPtr custom_binding(PyObject*);
// now() -> aware datetime
std::shared_ptr<Clock> custom_clock(PyObject*);

// The Python error that is set, as a fault: code is the type's name, the message has type and text. Clears it; a
// KeyboardInterrupt is noted again for the main thread.
policy::Failure take_failure();
// "ValueError: text" of the Python error that is set, cleared; the class alone where it has no text, the text alone for a
// ValidationError of ours. A KeyboardInterrupt is noted again as above.
std::string take_error_text();
// For a port that has nobody to answer to: sys.unraisablehook hears of the error. A KeyboardInterrupt is noted again as above.
void write_unraisable(PyObject* where);
// headrace.Failure(code, body, message)
Ref failure_object(const policy::Failure&);

}  // namespace headrace::bindings
