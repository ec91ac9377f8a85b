#pragma once
// A Python object that the engine keeps: a callable, a policy, a clock. It may be let go on any thread, perhaps under a lock of
// the engine, where the GIL must not be taken: then the reference is put aside and dropped later on the main thread.

#include "py.hpp"

namespace headrace::bindings {

class Held {
 public:
  explicit Held(PyObject* borrowed);  // needs the GIL
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  PyObject* get() const { return object_; }
  // The name for people: `__qualname__`, else the type's.
  const std::string& name() const { return name_; }

 private:
  PyObject* object_;
  std::string name_;
};

// Drops what was put aside. Needs the GIL.
void drop_aside();

}  // namespace headrace::bindings
