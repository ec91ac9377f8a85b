// Structured records on their way to Python's logging.

#include "pybind.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

observe::Level level_of(const std::string& word) {
  if (word == "debug") return observe::Level::Debug;
  if (word == "info") return observe::Level::Info;
  if (word == "warning") return observe::Level::Warning;
  if (word == "error") return observe::Level::Error;
  return observe::Level::Off;
}

const char* word_of(observe::Level level) {
  switch (level) {
    case observe::Level::Debug:
      return "debug";
    case observe::Level::Info:
      return "info";
    case observe::Level::Warning:
      return "warning";
    case observe::Level::Error:
      return "error";
    case observe::Level::Off:
      return "off";
  }
  return "off";
}

py::tuple tuple_of(const observe::Record& r) {
  return py::make_tuple(word_of(r.level), std::string(observe::name_of(r.what)), owned(datetime_of(r.at)),
                        r.root == 0 ? std::string() : std::to_string(r.root), r.job, r.process, r.node, r.topic, r.worker,
                        r.attempt, owned(timedelta_of(r.duration)), r.text);
}

// Takes what is there, waiting up to `wait` seconds for a first one; None when there will be no more.
py::object take_records(observe::QueueRecorder& queue, double wait) {
  std::vector<observe::Record> records;
  bool over = false;
  {
    const GilReleased nogil(GilReleased::AtTheEnd::Returns);  // the last records are delivered
    const std::size_t taken = queue.pop_many(records, 1000, Duration::micros(static_cast<std::int64_t>(wait * 1e6)));
    over = taken == 0 && queue.closed();
  }
  if (over) return py::none();
  py::list out;
  for (const observe::Record& r : records) out.append(tuple_of(r));
  return out;
}

}  // namespace

void bind_records(py::module_& m) {
  using Queue = observe::QueueRecorder;
  py::class_<Queue, std::shared_ptr<Queue>>(m, "Records")
      .def("take", &take_records)
      .def_property_readonly("dropped", &Queue::dropped)
      .def("set_level", [](Queue& q, const std::string& word) { q.set_level(level_of(word)); })
      .def_property_readonly("level", [](Queue& q) { return word_of(q.level()); });
  m.def("records", [](const py::object& engine) {
    const EngineObject* e = as_engine(engine.ptr());
    check(e != nullptr);
    return e->host->recorder();
  });
}

}  // namespace headrace::bindings
