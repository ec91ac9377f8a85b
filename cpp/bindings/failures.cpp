// Python exceptions as faults and the other way round.

#include "callables.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "face.hpp"

namespace headrace::bindings {

namespace {

constexpr Py_ssize_t kMaxText = 10'000;

// str(error), whatever its __str__ does. A Ctrl-C that comes while it runs is noted in `interrupted`, and is no fault of the
// text.
std::string text_of_error(PyObject* error, bool& interrupted) {
  Ref s = Ref::steal(PyObject_Str(error));
  if (!s && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
    interrupted = true;
    PyErr_Clear();
    s = Ref::steal(PyObject_Str(error));
  }
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
  std::string type;  // its last name, as people write it
  std::string text;
  bool ours = false;  // one of headrace's errors: its text is a sentence that needs no class in front

  std::string sentence() const { return text.empty() ? type : ours ? text : type + ": " + text; }
};

Caught take_error() {
  PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&kind, &value, &trace);
  PyErr_NormalizeException(&kind, &value, &trace);
  const Ref a = Ref::steal(kind), b = Ref::steal(value), c = Ref::steal(trace);
  if (!b) return {"SystemError", "no exception was set", false};
  bool interrupted = PyErr_GivenExceptionMatches(b.get(), PyExc_KeyboardInterrupt) != 0;
  const std::string_view type = Py_TYPE(b.get())->tp_name;
  Caught caught{std::string(type.substr(type.rfind('.') + 1)), text_of_error(b.get(), interrupted),
                PyErr_GivenExceptionMatches(b.get(), error_class(ErrorCode::Validation)) != 0 ||
                    PyErr_GivenExceptionMatches(b.get(), error_class(ErrorCode::Expression)) != 0};
  // The user's Ctrl-C is not the task's affair alone: the main thread hears of it after this call. Last, because a pending
  // interrupt would be taken for a fault of whatever Python runs next.
  if (interrupted) PyErr_SetInterrupt();
  return caught;
}

}  // namespace

policy::Failure take_failure() {
  const Caught caught = take_error();
  policy::Failure failure;
  failure.code = Value(caught.type);
  failure.message = caught.text.empty() ? caught.type : caught.type + ": " + caught.text;
  return failure;
}

std::string take_error_text() { return take_error().sentence(); }

void write_unraisable(PyObject* where) {
  const bool interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
  PyErr_WriteUnraisable(where);
  if (interrupted) PyErr_SetInterrupt();
}

Ref failure_object(const policy::Failure& f) {
  const Ref code = Ref::steal(object_of(f.code));
  const Ref body = Ref::steal(code ? object_of(f.body) : nullptr);
  const Ref message = body ? text(f.message) : Ref();
  if (!message) return {};
  return Ref::steal(PyObject_CallFunctionObjArgs(face().failure, code.get(), body.get(), message.get(), nullptr));
}

}  // namespace headrace::bindings
