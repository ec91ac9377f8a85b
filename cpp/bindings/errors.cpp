#include "errors.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "face.hpp"

namespace headrace::bindings {

namespace {

enum Class : std::size_t {
  kHeadrace,
  kModel,
  kExpression,
  kValidation,
  kEngine,
  kNotFound,
  kJobNotFound,
  kInstanceNotFound,
  kConflict,
  kNotLockHolder,
  kLockExpired,
  kLockCapExceeded,
  kInstanceSuspended,
  kOverloaded,
  kWouldDeadlock,
  kStore,
  kStoreBusy,
  kRemote,
  kTimeout,
  kClasses
};

struct Row {
  const char* name;
  int base;  // a Class, -1: Exception
  PyObject** builtin;
  const char* doc;
};

const Row kTree[kClasses] = {
    {"HeadraceError", -1, nullptr, "Base of all errors of Headrace."},
    {"ModelError", kHeadrace, &PyExc_ValueError,
     "A process model has mistakes; `faults` has all of them, each with its element."},
    {"ExpressionError", kHeadrace, &PyExc_ValueError, "An expression or path does not parse, or could not be evaluated."},
    {"ValidationError", kHeadrace, &PyExc_ValueError, "An argument or a payload does not fit; the message names its path."},
    {"EngineError", kHeadrace, nullptr, "The engine could not do what was asked."},
    {"NotFoundError", kEngine, nullptr, "Something that was named is not there."},
    {"JobNotFound", kNotFound, nullptr, "The job is unknown, or it is completed, failed or cancelled."},
    {"InstanceNotFound", kNotFound, nullptr, "The instance is unknown or forgotten."},
    {"ConflictError", kEngine, nullptr, "The thing is in another state than the call needs."},
    {"NotLockHolder", kConflict, nullptr, "The job is not locked by this worker, or by another fetch of it."},
    {"LockExpired", kConflict, nullptr, "The lock has ended."},
    {"LockCapExceeded", kConflict, nullptr, "The lock would pass the longest time that its topic allows."},
    {"InstanceSuspended", kConflict, nullptr, "The instance is suspended: reports are refused and change nothing."},
    {"Overloaded", kEngine, nullptr, "A limit on instances or queued jobs is reached; only starts are refused."},
    {"WouldDeadlock", kEngine, nullptr, "The wait could never end."},
    {"StoreError", kHeadrace, nullptr, "The store refused."},
    {"StoreBusy", kStore, nullptr, "The store asks to try again."},
    {"RemoteError", kHeadrace, nullptr, "A server could not be reached, or it refused."},
    {"TimeoutError", kHeadrace, &PyExc_TimeoutError, "Waited too long."},
};

std::array<PyObject*, kClasses> classes{};

Class class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Validation:
      return kValidation;
    case ErrorCode::Model:
      return kModel;
    case ErrorCode::Expression:
      return kExpression;
    case ErrorCode::JobNotFound:
      return kJobNotFound;
    case ErrorCode::InstanceNotFound:
      return kInstanceNotFound;
    case ErrorCode::NotFound:
      return kNotFound;
    case ErrorCode::NotLockHolder:
      return kNotLockHolder;
    case ErrorCode::LockExpired:
      return kLockExpired;
    case ErrorCode::LockCapExceeded:
      return kLockCapExceeded;
    case ErrorCode::InstanceSuspended:
      return kInstanceSuspended;
    case ErrorCode::Conflict:
      return kConflict;
    case ErrorCode::Overloaded:
      return kOverloaded;
    case ErrorCode::WouldDeadlock:
      return kWouldDeadlock;
    case ErrorCode::Store:
      return kStore;
    case ErrorCode::StoreBusy:
      return kStoreBusy;
    case ErrorCode::Timeout:
      return kTimeout;
    case ErrorCode::Internal:
    case ErrorCode::Closed:
    case ErrorCode::Technical:
      return kEngine;
  }
  return kEngine;
}

Ref bases_of(const Row& row) {
  PyObject* base = row.base < 0 ? PyExc_Exception : classes[static_cast<std::size_t>(row.base)];
  return row.builtin == nullptr ? Ref::steal(PyTuple_Pack(1, base)) : Ref::steal(PyTuple_Pack(2, base, *row.builtin));
}

Ref fault_tuple(const model::Fault& f) {
  return Ref::steal(Py_BuildValue("(NiNNN)", text(f.element).release(), f.line, text(f.rule).release(), text(f.message).release(),
                                  text(f.hint).release()));
}

}  // namespace

bool add_errors(PyObject* module) {
  for (std::size_t i = 0; i < kClasses; ++i) {
    const Ref bases = bases_of(kTree[i]);
    const Ref members = Ref::steal(PyDict_New());
    if (!bases || !members) return false;
    if (i == kModel) {
      const Ref none = Ref::steal(PyTuple_New(0));
      if (!none || PyDict_SetItemString(members.get(), "faults", none.get()) < 0) return false;
    }
    const std::string name = std::string("headrace.") + kTree[i].name;
    classes[i] = PyErr_NewExceptionWithDoc(name.c_str(), kTree[i].doc, bases.get(), members.get());
    if (classes[i] == nullptr || PyObject_SetAttrString(module, kTree[i].name, classes[i]) < 0) return false;
  }
  return true;
}

PyObject* error_class(ErrorCode code) { return classes[class_of(code)]; }

namespace {
// What a caller gave is repeated in messages: megabytes of it help nobody. A word of more than 200 bytes ends after 100, the
// whole after 4,000; a list of a model's faults stays whole.
std::string shown(const Error& error) {
  constexpr std::size_t kLongest = 4'000, kWord = 200, kOfWord = 100;
  const std::string_view all = error.message;
  if (error.code == ErrorCode::Model) return std::string(all);
  std::string out;
  for (std::size_t at = 0; at < all.size() && out.size() < kLongest;) {
    const std::size_t end = std::min(all.find(' ', at), all.size());
    const std::string_view word = all.substr(at, end - at);
    out += word.size() > kWord ? model::printable(word, kOfWord) : std::string(word);
    if (end < all.size()) out += ' ';
    at = end + 1;
  }
  return out.size() > kLongest ? model::printable(out, kLongest) : out;
}
}  // namespace

std::nullptr_t raise(const Error& error) {
  if (error.code == ErrorCode::Closed && life.load(std::memory_order_relaxed) != Life::Running) {
    const GilReleased nogil;  // Python ends: nobody hears of it
  }
  const Ref message = text(shown(error));
  if (message) PyErr_SetObject(error_class(error.code), message.get());
  return nullptr;
}

std::nullptr_t raise_validation(const std::string& message) { return raise(make_error(ErrorCode::Validation, message)); }

Ref exception_of(const Error& error) {
  const Ref message = text(shown(error));
  return message ? Ref::steal(PyObject_CallOneArg(error_class(error.code), message.get())) : Ref();
}

std::nullptr_t raise_model_error(std::string_view process, const std::vector<model::Fault>& faults) {
  std::string all_text = model::to_text(model::printable(process, 100), faults);
  // A file that could not be read has no process to name.
  constexpr std::string_view kNobody = " in process ''";
  if (const auto at = all_text.find(kNobody); process.empty() && at != std::string::npos) all_text.erase(at, kNobody.size());
  const Ref error = exception_of(make_error(ErrorCode::Model, std::move(all_text)));
  const Ref all = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(faults.size())));
  if (!error || !all) return nullptr;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Ref one = fault_tuple(faults[i]);
    if (one && face().model_fault != nullptr) one = Ref::steal(PyObject_CallObject(face().model_fault, one.get()));
    if (!one) return nullptr;
    PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i), one.release());
  }
  if (PyObject_SetAttrString(error.get(), "faults", all.get()) == 0) PyErr_SetObject(classes[kModel], error.get());
  return nullptr;
}

}  // namespace headrace::bindings
