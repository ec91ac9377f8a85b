#pragma once
// Durations and times at the Python border: seconds (int, float), timedelta or ISO 8601 text, UNBOUNDED where a cap may be
// lifted; aware datetimes in, UTC datetimes out.

#include <optional>

#include "headrace/base/time.hpp"
#include "py.hpp"

namespace headrace::bindings {

// Imports datetime's C interface; false with a Python error. Before anything else here.
bool init_times();

bool is_datetime(PyObject*);
enum class DateTimeRead { Ok, Naive, Raised };
DateTimeRead read_datetime(PyObject*, Instant& out);
// False with a ValidationError that names `what`, also for a naive datetime.
bool instant_of(PyObject*, const char* what, Instant& out);
PyObject* datetime_of(Instant);    // ValidationError outside the years 1 to 9999
PyObject* timedelta_of(Duration);  // UNBOUNDED for the unbounded one

// False with a ValidationError that names `what`. Zero is fine, negative is not; UNBOUNDED gives Duration::max() where allowed.
bool duration_of(PyObject*, const char* what, bool unbounded_allowed, Duration& out);
// None: nullopt.
bool optional_duration_of(PyObject*, const char* what, std::optional<Duration>& out);

}  // namespace headrace::bindings
