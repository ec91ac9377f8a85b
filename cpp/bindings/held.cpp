#include "held.hpp"

#include <mutex>
#include <vector>

namespace headrace::bindings {

namespace {

std::mutex aside_mutex;
std::vector<PyObject*>& aside() {
  static auto* objects = new std::vector<PyObject*>();  // never destroyed: threads may outlive static objects
  return *objects;
}

int drop_later(void*) {
  drop_aside();
  return 0;
}

}  // namespace

Held::~Held() {
  if (interpreter_ended()) return;
  if (PyGILState_Check() != 0) {
    Py_DECREF(object_);
    return;
  }
  {
    const std::lock_guard lock(aside_mutex);
    aside().push_back(object_);
  }
  Py_AddPendingCall(&drop_later, nullptr);  // a full queue is fine: the next one drops all
}

Held::Held(PyObject* borrowed) : object_(borrowed), name_(Py_TYPE(borrowed)->tp_name) {
  Py_INCREF(object_);
  const Ref name = Ref::steal(PyObject_GetAttrString(object_, "__qualname__"));
  const char* utf8 = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  if (utf8 != nullptr) name_ = utf8;
}

void drop_aside() {
  std::vector<PyObject*> all;
  {
    const std::lock_guard lock(aside_mutex);
    all.swap(aside());
  }
  for (PyObject* o : all) Py_DECREF(o);
}

namespace {

class KeptThreadState {
 public:
  KeptThreadState() {
    if (PyGILState_GetThisThreadState() != nullptr) return;  // a thread of Python's, or inside a callback
    this_thread_is_ours();
    PyGILState_Ensure();
    kept_ = PyEval_SaveThread();
  }
  ~KeptThreadState() {
    if (kept_ == nullptr || interpreter_ended()) return;
    take_gil(kept_);
    PyGILState_Release(PyGILState_UNLOCKED);
  }
  KeptThreadState(const KeptThreadState&) = delete;
  KeptThreadState& operator=(const KeptThreadState&) = delete;

 private:
  PyThreadState* kept_ = nullptr;
};

}  // namespace

void keep_thread_state() { thread_local const KeptThreadState kept; }

}  // namespace headrace::bindings
