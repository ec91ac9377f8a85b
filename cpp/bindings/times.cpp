#include "times.hpp"

#include <datetime.h>

#include <cmath>
#include <string>

#include "errors.hpp"
#include "face.hpp"

namespace headrace::bindings {

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
PyObject* epoch = nullptr;  // 1970-01-01T00:00:00Z

// A timedelta reaches further than 64 bits of microseconds.
std::int64_t micros_of(PyObject* delta) {
  constexpr int kFar = 100'000'000;
  const int days = PyDateTime_DELTA_GET_DAYS(delta);
  if (days > kFar || days < -kFar) return days > 0 ? Duration::max().us : -Duration::max().us;
  return PyDateTime_DELTA_GET_DAYS(delta) * kDay + PyDateTime_DELTA_GET_SECONDS(delta) * kSecond +
         PyDateTime_DELTA_GET_MICROSECONDS(delta);
}

bool refuse(const char* what, const std::string& found) {
  raise_validation("expected " + std::string(what) + " in seconds, as timedelta or as ISO 8601 text, but found " + found);
  return false;
}

bool in_range(const char* what, std::int64_t us, Duration& out) {
  if (us < 0) return refuse(what, "a negative one");
  if (us > kMaxDuration.us) return refuse(what, "one of more than 100 years");
  out = Duration::micros(us);
  return true;
}

bool from_seconds(const char* what, double seconds, Duration& out) {
  if (!std::isfinite(seconds)) return refuse(what, std::isnan(seconds) ? "NaN" : "an infinite one");
  if (std::fabs(seconds) > 1e11) return refuse(what, seconds < 0 ? "a negative one" : "one of more than 100 years");
  return in_range(what, std::llround(seconds * static_cast<double>(kSecond)), out);
}

bool from_text(const char* what, PyObject* o, Duration& out) {
  std::string_view iso;
  if (!text_of(o, what, iso)) return false;
  const Result<Duration> parsed = parse_duration(iso);
  if (!parsed) {
    return refuse(what,
                  "'" + std::string(iso) +
                      "', which is no duration in weeks, days, hours, minutes or seconds of at most 100 years, such as PT5M");
  }
  out = *parsed;
  return true;
}

}  // namespace

bool init_times() {
  PyDateTime_IMPORT;
  if (PyDateTimeAPI == nullptr) return false;
  epoch = PyDateTimeAPI->DateTime_FromDateAndTime(1970, 1, 1, 0, 0, 0, 0, PyDateTime_TimeZone_UTC, PyDateTimeAPI->DateTimeType);
  return epoch != nullptr;
}

bool is_datetime(PyObject* o) { return PyDateTime_Check(o); }

DateTimeRead read_datetime(PyObject* o, Instant& out) {
  const Ref offset = Ref::steal(PyObject_CallMethod(o, "utcoffset", nullptr));
  if (!offset) return DateTimeRead::Raised;
  if (!PyDelta_Check(offset.get())) return DateTimeRead::Naive;
  // Through datetime's own arithmetic, so that fold and odd zones are its affair.
  const Ref since = Ref::steal(PyNumber_Subtract(o, epoch));
  if (!since) return DateTimeRead::Raised;
  if (!PyDelta_Check(since.get())) return DateTimeRead::Naive;
  out = {micros_of(since.get())};
  return DateTimeRead::Ok;
}

bool instant_of(PyObject* o, const char* what, Instant& out) {
  const DateTimeRead read = is_datetime(o) ? read_datetime(o, out) : DateTimeRead::Naive;
  if (read == DateTimeRead::Naive) {
    raise_validation("expected " + std::string(what) + " to be an aware datetime, but found " +
                     (is_datetime(o) ? "one without a time zone" : Py_TYPE(o)->tp_name));
  }
  return read == DateTimeRead::Ok;
}

PyObject* timedelta_of(Duration d) {
  if (d.unbounded() && face().unbounded != nullptr) {
    Py_INCREF(face().unbounded);
    return face().unbounded;
  }
  const std::int64_t days = d.us / kDay;
  const std::int64_t rest = d.us % kDay;
  return PyDelta_FromDSU(static_cast<int>(days), static_cast<int>(rest / kSecond), static_cast<int>(rest % kSecond));
}

PyObject* datetime_of(Instant t) {
  const std::int64_t days = t.us / kDay - (t.us % kDay < 0 ? 1 : 0);
  if (days < -719'162 || days > 2'932'896) {
    return raise_validation("expected a time in the years 1 to 9999, but found " + to_text(t));
  }
  const std::int64_t rest = t.us - days * kDay;
  const Ref delta =
      Ref::steal(PyDelta_FromDSU(static_cast<int>(days), static_cast<int>(rest / kSecond), static_cast<int>(rest % kSecond)));
  return delta ? PyNumber_Add(epoch, delta.get()) : nullptr;
}

bool duration_of(PyObject* o, const char* what, bool unbounded_allowed, Duration& out) {
  if (PyFloat_Check(o)) return from_seconds(what, PyFloat_AS_DOUBLE(o), out);
  if (PyLong_Check(o) && !PyBool_Check(o)) {
    const double seconds = PyLong_AsDouble(o);
    if (seconds == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return refuse(what, "an int that is too large");
    }
    return from_seconds(what, seconds, out);
  }
  if (PyDelta_Check(o)) return in_range(what, micros_of(o), out);
  if (PyUnicode_Check(o)) return from_text(what, o, out);
  if (o == face().unbounded) {
    out = Duration::max();
    return unbounded_allowed || refuse(what, "UNBOUNDED, which has no meaning here");
  }
  return refuse(what, std::string("a value of type ") + Py_TYPE(o)->tp_name);
}

bool optional_duration_of(PyObject* o, const char* what, std::optional<Duration>& out) {
  out.reset();
  if (o == nullptr || o == Py_None) return true;
  Duration d;
  if (!duration_of(o, what, true, d)) return false;
  out = d;
  return true;
}

}  // namespace headrace::bindings
