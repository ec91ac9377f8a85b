// The rarer calls of an instance; python/headrace/instance.py gives them their face.

#include "convert.hpp"
#include "pybind.hpp"

namespace headrace::bindings {

namespace {

// Calls `call(engine, ref)` without the GIL.
template <class Call>
void on_instance(const py::object& instance, Call call) {
  const InstanceObject* i = as_instance(instance.ptr());
  check(i != nullptr);
  const HostPtr host = i->host;
  const engine::InstanceRef ref = i->ref;
  Status status = Ok{};
  {
    const GilReleased nogil;
    status = call(host->engine(), ref);
  }
  ok_or_raise(status);
}

}  // namespace

void bind_instance(py::module_& m) {
  m.def("cancel_instance", [](const py::object& i, const py::object& why) {
    const std::string reason = utf8(why, "reason");
    on_instance(i, [&](engine::Engine& e, const engine::InstanceRef& ref) { return e.cancel(ref, reason); });
  });
  m.def("suspend_instance", [](const py::object& i) {
    on_instance(i, [](engine::Engine& e, const engine::InstanceRef& ref) { return e.suspend(ref); });
  });
  m.def("resume_instance", [](const py::object& i) {
    on_instance(i, [](engine::Engine& e, const engine::InstanceRef& ref) { return e.resume(ref); });
  });
  m.def("set_variables", [](const py::object& i, const py::object& variables) {
    VariableBlock b = block(variables, "variables");
    on_instance(i, [&](engine::Engine& e, const engine::InstanceRef& ref) { return e.set_variables(ref, std::move(b)); });
  });
  m.def("complete_user_task", [](const py::object& i, const py::object& given, const py::object& output) {
    const std::string node = utf8(given, "node");
    VariableBlock b = block(output, "output");
    on_instance(i,
                [&](engine::Engine& e, const engine::InstanceRef& ref) { return e.complete_user_task(ref, node, std::move(b)); });
  });
  m.def("definition_of", [](const py::object& o) {
    const InstanceObject* i = as_instance(o.ptr());
    check(i != nullptr);
    auto snapshot = [&] {
      const GilReleased nogil;
      return i->host->engine().snapshot(i->ref);
    }();
    return DefinitionBox{value_or_raise(std::move(snapshot)).definition, nullptr};
  });
}

}  // namespace headrace::bindings
