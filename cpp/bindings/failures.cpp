// Python exceptions as faults and the other way round.

#include "callables.hpp"
#include "convert.hpp"
#include "face.hpp"

namespace headrace::bindings {

namespace {

constexpr Py_ssize_t kMaxText = 10'000;

// str(error), whatever its __str__ does.
std::string text_of_error(PyObject* error) {
  Ref s = Ref::steal(PyObject_Str(error));
  if (!s) {
    PyErr_Clear();
    return "<its __str__ raises>";
  }
  if (PyUnicode_GET_LENGTH(s.get()) > kMaxText) s = Ref::steal(PyUnicode_Substring(s.get(), 0, kMaxText));
  const Ref bytes = Ref::steal(s ? PyUnicode_AsEncodedString(s.get(), "utf-8", "backslashreplace") : nullptr);
  if (!bytes) {
    PyErr_Clear();
    return "<its text cannot be read>";
  }
  return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

struct Caught {
  std::string type;
  std::string text;
};

Caught take_error() {
  PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&kind, &value, &trace);
  PyErr_NormalizeException(&kind, &value, &trace);
  const Ref a = Ref::steal(kind), b = Ref::steal(value), c = Ref::steal(trace);
  if (!b) return {"SystemError", "no exception was set"};
  // The user's Ctrl-C is not the task's affair alone: the main thread hears of it after this call.
  if (PyErr_GivenExceptionMatches(b.get(), PyExc_KeyboardInterrupt) != 0) PyErr_SetInterrupt();
  return {Py_TYPE(b.get())->tp_name, text_of_error(b.get())};
}

}  // namespace

policy::Failure take_failure() {
  const Caught caught = take_error();
  policy::Failure failure;
  const auto dot = caught.type.rfind('.');
  failure.code = Value(dot == std::string::npos ? caught.type : caught.type.substr(dot + 1));
  failure.message = caught.text.empty() ? caught.type : caught.type + ": " + caught.text;
  return failure;
}

std::string take_error_text() {
  const Caught caught = take_error();
  return caught.type + ": " + caught.text;
}

Ref failure_object(const policy::Failure& f) {
  const Ref code = Ref::steal(object_of(f.code));
  const Ref body = Ref::steal(code ? object_of(f.body) : nullptr);
  const Ref message = body ? text(f.message) : Ref();
  if (!message) return {};
  return Ref::steal(PyObject_CallFunctionObjArgs(face().failure, code.get(), body.get(), message.get(), nullptr));
}

}  // namespace headrace::bindings
