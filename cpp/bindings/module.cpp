// The module headrace._core. The face in python/headrace is what people import.

#include "convert.hpp"
#include "face.hpp"
#include "heartbeat.hpp"
#include "held.hpp"
#include "operation_call.hpp"
#include "pybind.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

// atexit: no thread of the engine may be left when the interpreter goes.
void shut_down() {
  interpreter_is_ending();
  Host::close_all();
  {
    const GilReleased nogil;
    stop_heart();
  }
  drop_aside();
  interpreter_ends();
}

py::dict versions() {
  py::dict out;
  out["headrace"] = HEADRACE_VERSION;
#ifdef __clang__
  out["compiler"] = "clang " __clang_version__;
#else
  out["compiler"] = "gcc " __VERSION__;
#endif
  out["pybind11"] = PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(PYBIND11_VERSION_MINOR);
  out["C++"] = static_cast<long>(__cplusplus);
  return out;
}

}  // namespace

}  // namespace headrace::bindings

PYBIND11_MODULE(_core, m) {
  namespace hb = headrace::bindings;
  m.doc() = "The compiled part of Headrace. Import headrace instead.";
  hb::check(hb::init_times() && hb::add_errors(m.ptr()) && hb::add_engine_type(m.ptr()) && hb::add_instance_type(m.ptr()) &&
            hb::add_dispatcher_type(m.ptr()) && hb::add_job_type(m.ptr()) && hb::add_operation_call_type(m.ptr()));
  hb::bind_policy(m);
  hb::bind_model(m);
  hb::bind_engine(m);
  hb::bind_instance(m);
  hb::bind_options(m);
  hb::bind_records(m);
  hb::bind_worker(m);
  hb::bind_queue(m);
  hb::bind_bench(m);
  m.def("install", [](const hb::py::kwargs& classes) { hb::check(hb::install_face(classes.ptr())); });
  m.def("versions", &hb::versions);
  m.def("encode_decode", [](const hb::py::object& o, const std::string& root) {
    headrace::codec::Writer w;
    hb::check(hb::encode(o.ptr(), w, root));
    return hb::owned(hb::decode(w.out()));
  });
  m.def(
      "duration",
      [](const hb::py::object& o, bool unbounded, const std::string& what) {
        headrace::Duration d;
        hb::check(hb::duration_of(o.ptr(), what.c_str(), unbounded, d));
        return hb::owned(hb::timedelta_of(d));
      },
      hb::py::arg("value"), hb::py::arg("unbounded"), hb::py::arg("what") = "a duration");
  m.def("duration_text", [](const hb::py::object& o) {
    headrace::Duration d;
    hb::check(hb::duration_of(o.ptr(), "a duration", true, d));
    return headrace::to_text(d);
  });
  m.def("shut_down", &hb::shut_down);
  hb::py::module_::import("atexit").attr("register")(hb::py::cpp_function(&hb::shut_down));
}
