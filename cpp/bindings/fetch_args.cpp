#include "fetch_args.hpp"

#include "args.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

bool topics_of(PyObject* o, std::vector<Topic>& out) {
  if (PyUnicode_Check(o)) {
    PyErr_SetString(PyExc_TypeError, "expected topics to be a list of names, but found a str: write [name]");
    return false;
  }
  const Ref all = Ref::steal(PySequence_Fast(o, "expected topics to be a list of names"));
  if (!all) return false;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(all.get());
  out.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    std::string_view name;
    if (!text_of(PySequence_Fast_GET_ITEM(all.get(), i), "a topic", name)) return false;
    out.emplace_back(std::string(name));
  }
  return true;
}

}  // namespace

bool fetch_request_of(PyObject* const* a, jobs::FetchRequest& out) {
  std::string_view worker;
  if (!text_of(a[0], "worker", worker) || !topics_of(a[1], out.topics)) return false;
  out.worker = WorkerId(std::string(worker));
  if (!optional_duration_of(a[2], "lock_duration", out.lock_duration)) return false;
  long long most = 1;
  if (a[3] != nullptr && !int_of(a[3], "max_jobs", 1, 1'000'000, most)) return false;
  out.max_jobs = static_cast<int>(most);
  return a[5] == nullptr || bool_of(a[5], "runs_policy", out.runs_policy);
}

}  // namespace headrace::bindings
