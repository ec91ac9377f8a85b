// A job queue of one's own: its sink.

#include "args.hpp"
#include "callables.hpp"
#include "convert.hpp"
#include "local_handler.hpp"
#include "pybind.hpp"
#include "python_dispatcher.hpp"

namespace headrace::bindings {

namespace {

long long whole_number(const py::object& o, const char* what, long long least, long long most) {
  long long n = 0;
  check(int_of(o.ptr(), what, least, most, n));
  return n;
}

void report(Sink& sink, const py::object& id, jobs::Outcome outcome) {
  const auto parsed = value_or_raise(jobs::parse_job_id(utf8(id, "id")));
  Status status = Ok{};
  {
    const GilReleased nogil;
    status = sink.report({parsed.key, std::move(outcome)});
  }
  ok_or_raise(status);
}

Value value(const py::object& o, const char* what) {
  Value v;
  check(value_of(o.ptr(), what, v));
  return v;
}

// The local pool of an engine whose queue is ours.
runtime::LocalDispatcher& pool_of(const py::object& dispatcher, HostPtr& host) {
  const DispatcherObject* d = as_dispatcher(dispatcher.ptr());
  check(d != nullptr);
  host = d->host;
  runtime::LocalDispatcher* local = host->engine().local_dispatcher();
  if (local == nullptr)
    raise_now(make_error(ErrorCode::Conflict,
                         "expected the engine's own job queue, which has the local worker pool, but it has another"));
  return *local;
}

void register_handler(const py::object& dispatcher, const py::object& topic_name, const py::object& run,
                      const py::object& threads, const py::object& worker_name) {
  const std::string topic = utf8(topic_name, "topic"), worker = utf8(worker_name, "worker");
  const int parallelism = static_cast<int>(whole_number(threads, "parallelism", 1, 1024));
  HostPtr host;
  runtime::LocalDispatcher& pool = pool_of(dispatcher, host);
  auto handler = local_handler(host, run.ptr());
  const GilReleased nogil;
  pool.register_handler(Topic(topic), std::move(handler), parallelism, WorkerId(worker));
}

}  // namespace

void bind_queue(py::module_& m) {
  m.def("register_handler", &register_handler);
  m.def("start_workers", [](const py::object& dispatcher) {
    HostPtr host;
    runtime::LocalDispatcher& pool = pool_of(dispatcher, host);
    const GilReleased nogil;
    pool.start_workers();
  });
  m.def("stop_workers", [](const py::object& dispatcher) {
    HostPtr host;
    runtime::LocalDispatcher& pool = pool_of(dispatcher, host);
    const GilReleased nogil;
    pool.stop_workers();
  });
  m.def("run_handlers_once", [](const py::object& dispatcher) {
    HostPtr host;
    runtime::LocalDispatcher& pool = pool_of(dispatcher, host);
    const GilReleased nogil;
    return pool.run_handlers_once();
  });
  py::class_<Sink, std::shared_ptr<Sink>>(m, "Sink")
      .def(
          "complete",
          [](Sink& s, const py::object& id, const py::object& output) {
            report(s, id, jobs::OutcomeCompleted{block(output, "output"), false, {}});
          },
          py::arg("id"), py::arg("output") = py::none())
      .def(
          "status",
          [](Sink& s, const py::object& id, const py::object& v) {
            report(s, id, jobs::OutcomeStatus{codec::encode(value(v, "value"))});
          },
          py::arg("id"), py::arg("value"))
      .def(
          "bpmn_error",
          [](Sink& s, const py::object& id, const py::object& code, const py::object& message, const py::object& variables) {
            report(s, id, jobs::OutcomeBpmnError{utf8(code, "code"), utf8(message, "message"), block(variables, "variables")});
          },
          py::arg("id"), py::arg("code"), py::arg("message") = "", py::arg("variables") = py::none())
      .def(
          "exhausted",
          [](Sink& s, const py::object& id, const py::object& code, const py::object& body, const py::object& message,
             const py::object& attempts) {
            const auto count = static_cast<int>(whole_number(attempts, "attempts", 0, 1'000'000));
            report(s, id,
                   jobs::OutcomeExhausted{{value(code, "code"), value(body, "body"), utf8(message, "message")}, count, 0, false});
          },
          py::arg("id"), py::arg("code") = py::none(), py::arg("body") = py::none(), py::arg("message") = "",
          py::arg("attempts") = 1);
}

std::shared_ptr<jobs::WorkerDispatcher> python_dispatcher(PyObject* queue) {
  auto dispatcher = std::make_shared<PythonDispatcher>(queue);
  py::handle(queue).attr("bind_sink")(dispatcher->sink());
  return dispatcher;
}

}  // namespace headrace::bindings
