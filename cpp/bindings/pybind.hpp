#pragma once
// pybind11 and the boxes it carries around. Only bind_*.cpp and module.cpp include this: it costs some 8 s a file.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "convert.hpp"
#include "errors.hpp"
#include "headrace/engine/engine.hpp"
#include "headrace/policy/policy.hpp"
#include "types.hpp"

namespace headrace::bindings {

namespace py = pybind11;

// pybind11 holds no pointers to const: each box carries one.
struct RetryBox {
  policy::RetryPolicyPtr policy;
};
struct MapperBox {
  policy::ErrorMapperPtr mapper;
};
struct MessageBox {
  std::shared_ptr<const policy::MessageType> message;
};
struct OperationBox {
  model::OperationPtr operation;
};
struct DefinitionBox {
  model::DefinitionPtr definition;
  std::shared_ptr<model::Definition> fresh;  // before deploy
};

[[noreturn]] inline void raise_now(const Error& error) {
  raise(error);
  throw py::error_already_set();
}
template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise_now(result.error());
  return std::move(*result);
}
inline void ok_or_raise(const Status& status) {
  if (!status) raise_now(status.error());
}
// For helpers that answer false or null with a Python error set.
inline void check(bool ok) {
  if (!ok) throw py::error_already_set();
}
inline py::object owned(PyObject* o) {
  check(o != nullptr);
  return py::reinterpret_steal<py::object>(o);
}
inline std::string utf8(py::handle o, const char* what) {
  std::string_view s;
  check(text_of(o.ptr(), what, s));
  return std::string(s);
}
inline VariableBlock block(const py::object& o, const char* what) {
  VariableBlock b;
  check(block_of(o.ptr(), what, b));
  return b;
}

void bind_policy(py::module_&);
void bind_model(py::module_&);
void bind_engine(py::module_&);
void bind_instance(py::module_&);
void bind_options(py::module_&);
void bind_records(py::module_&);
void bind_worker(py::module_&);
void bind_queue(py::module_&);
void bind_bench(py::module_&);

}  // namespace headrace::bindings
