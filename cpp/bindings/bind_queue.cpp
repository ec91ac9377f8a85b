// A job queue of one's own: its sink.

#include "callables.hpp"
#include "convert.hpp"
#include "pybind.hpp"
#include "python_dispatcher.hpp"

namespace headrace::bindings {

namespace {

void report(Sink& sink, const std::string& id, jobs::Outcome outcome) {
  const auto parsed = value_or_raise(jobs::parse_job_id(id));
  Status status = Ok{};
  {
    const GilReleased nogil;
    status = sink.report({parsed.key, std::move(outcome)});
  }
  ok_or_raise(status);
}

VariableBlock block(const py::object& o, const char* what) {
  VariableBlock b;
  check(block_of(o.ptr(), what, b));
  return b;
}

Value value(const py::object& o, const char* what) {
  Value v;
  check(value_of(o.ptr(), what, v));
  return v;
}

}  // namespace

void bind_queue(py::module_& m) {
  py::class_<Sink, std::shared_ptr<Sink>>(m, "Sink")
      .def("complete",
           [](Sink& s, const std::string& id, const py::object& output) {
             report(s, id, jobs::OutcomeCompleted{block(output, "output"), false, {}});
           },
           py::arg("id"), py::arg("output") = py::none())
      .def("status", [](Sink& s, const std::string& id, const py::object& v) { report(s, id, jobs::OutcomeStatus{codec::encode(value(v, "value"))}); },
           py::arg("id"), py::arg("value"))
      .def("bpmn_error",
           [](Sink& s, const std::string& id, std::string code, std::string message, const py::object& variables) {
             report(s, id, jobs::OutcomeBpmnError{std::move(code), std::move(message), block(variables, "variables")});
           },
           py::arg("id"), py::arg("code"), py::arg("message") = "", py::arg("variables") = py::none())
      .def("exhausted",
           [](Sink& s, const std::string& id, const py::object& code, const py::object& body, std::string message, int attempts) {
             report(s, id, jobs::OutcomeExhausted{{value(code, "code"), value(body, "body"), std::move(message)}, attempts, 0, false});
           },
           py::arg("id"), py::arg("code") = py::none(), py::arg("body") = py::none(), py::arg("message") = "", py::arg("attempts") = 1);
}

std::shared_ptr<jobs::WorkerDispatcher> python_dispatcher(PyObject* queue) {
  auto dispatcher = std::make_shared<PythonDispatcher>(queue);
  py::handle(queue).attr("bind_sink")(dispatcher->sink());
  return dispatcher;
}

}  // namespace headrace::bindings
