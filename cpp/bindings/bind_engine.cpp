// The rarer calls of an engine; python/headrace/engine.py gives them their face.

#include <charconv>

#include "args.hpp"
#include "convert.hpp"
#include "dict.hpp"
#include "headrace/observe/prometheus.hpp"
#include "metrics_text.hpp"
#include "pybind.hpp"
#include "snapshot.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

// Of the engine itself, or of an instance of it (incidents come from both).
HostPtr host_of(const py::handle& desk) {
  if (is_instance(desk.ptr())) {
    const InstanceObject* i = as_instance(desk.ptr());
    check(i != nullptr);
    return i->host;
  }
  const EngineObject* e = as_engine(desk.ptr());
  check(e != nullptr);
  return e->host;
}

template <class Call>
auto without_gil(Call call) {
  const GilReleased nogil;
  return call();
}

DefinitionBox deploy(const py::object& engine, DefinitionBox& box) {
  const HostPtr host = host_of(engine);
  if (!box.fresh) raise_now(make_error(ErrorCode::Model, "expected a definition that was not deployed yet"));
  auto deployed = without_gil([&] { return host->engine().deploy(std::exchange(box.fresh, nullptr)); });
  return {value_or_raise(std::move(deployed)), nullptr};
}

py::list definitions(const py::object& engine) {
  py::list out;
  for (auto& d : host_of(engine)->engine().definitions()) out.append(DefinitionBox{d, nullptr});
  return out;
}

long long whole(const py::object& o, const char* what, long long least, long long most) {
  long long n = 0;
  check(int_of(o.ptr(), what, least, most, n));
  return n;
}

DefinitionBox definition(const py::object& engine, const py::object& process, const py::object& version) {
  const std::string name = utf8(process, "process");
  std::optional<std::uint32_t> number;
  if (!version.is_none()) number = static_cast<std::uint32_t>(whole(version, "version", 1, 0xFFFFFFFFLL));
  return {value_or_raise(host_of(engine)->engine().definition(name, number)), nullptr};
}

py::object instance(const py::object& engine, const py::object& given) {
  const HostPtr host = host_of(engine);
  const std::string id = utf8(given, "the id of an instance");
  std::uint64_t root = 0;
  const char* end = id.data() + id.size();
  const auto read = std::from_chars(id.data(), end, root);
  if (read.ec != std::errc() || read.ptr != end) {
    raise_now(make_error(ErrorCode::InstanceNotFound, "expected the id of an instance, but '" + id + "' is none"));
  }
  return owned(new_instance(host, value_or_raise(without_gil([&] { return host->engine().instance(root); }))));
}

std::optional<core::InstanceState> state_of(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  for (const auto s : {core::InstanceState::Active, core::InstanceState::Completed, core::InstanceState::Failed,
                       core::InstanceState::Cancelled}) {
    if (core::name_of(s) == *word) return s;
  }
  raise_now(make_error(ErrorCode::Validation, "expected a state of instances, but found '" + *word + "'"));
}

py::list instances(const py::object& engine, const py::object& process, const py::object& business_key,
                   const std::optional<std::string>& state, const py::object& limit) {
  const HostPtr host = host_of(engine);
  const std::string id = utf8(process, "process"), key = utf8(business_key, "business_key");  // the filter only views them
  const engine::InstanceFilter filter{id, key, state_of(state), static_cast<std::size_t>(whole(limit, "limit", 0, 1LL << 62))};
  py::list out;
  for (auto& ref : without_gil([&] { return host->engine().instances(filter); }))
    out.append(owned(new_instance(host, std::move(ref))));
  return out;
}

py::list incidents(const py::object& engine) {
  const HostPtr host = host_of(engine);
  py::list out;
  for (const auto& i : without_gil([&] { return host->engine().incidents(); })) out.append(owned(incident_dict(i)));
  return out;
}

py::object incident(const py::object& engine, const py::object& given) {
  const HostPtr host = host_of(engine);
  const std::string id = utf8(given, "the id of an incident");
  return owned(incident_dict(value_or_raise(without_gil([&] { return host->engine().incident(id); }))));
}

void resolve_incident(const py::object& engine, const std::string& id, const py::object& output) {
  const HostPtr host = host_of(engine);
  VariableBlock block;
  check(block_of(output.ptr(), "output", block));
  ok_or_raise(without_gil([&] { return host->engine().resolve_incident(id, std::move(block)); }));
}

py::object metrics(const py::object& engine) {
  const HostPtr host = host_of(engine);
  return owned(metrics_dict(without_gil([&] { return host->engine().metrics(); })));
}

void advance(const py::object& engine, const py::object& by) {
  const HostPtr host = host_of(engine);
  Duration d;
  check(duration_of(by.ptr(), "the duration of advance()", false, d));
  value_or_raise(without_gil([&] { return host->engine().advance(d); }));
}

}  // namespace

void bind_engine(py::module_& m) {
  m.def("deploy", &deploy);
  m.def("definition", &definition);
  m.def("definitions", &definitions);
  m.def("instance", &instance);
  m.def("instances", &instances);
  m.def("incidents", &incidents);
  m.def("incident", &incident);
  m.def("retry_incident", [](const py::object& e, const std::string& id, const py::object& retries) {
    const HostPtr host = host_of(e);
    const int count = static_cast<int>(whole(retries, "retries", 0, 1'000'000));
    ok_or_raise(without_gil([&] { return host->engine().retry_incident(id, count); }));
  });
  m.def("resolve_incident", &resolve_incident);
  m.def("raise_incident_error",
        [](const py::object& e, const std::string& id, const py::object& code, const py::object& message) {
          const HostPtr host = host_of(e);
          std::string error = utf8(code, "code"), words = utf8(message, "message");
          ok_or_raise(without_gil([&] { return host->engine().raise_incident_error(id, std::move(error), std::move(words)); }));
        });
  m.def("annotate_incident", [](const py::object& e, const std::string& id, const py::object& note) {
    const HostPtr host = host_of(e);
    std::string text = utf8(note, "text");
    ok_or_raise(without_gil([&] { return host->engine().annotate_incident(id, std::move(text)); }));
  });
  m.def("remap_incident", [](const py::object& e, const std::string& id) {
    const HostPtr host = host_of(e);
    ok_or_raise(without_gil([&] { return host->engine().remap_incident(id); }));
  });
  m.def("cancel_incident", [](const py::object& e, const std::string& id, const py::object& reason) {
    const HostPtr host = host_of(e);
    std::string why = utf8(reason, "reason");
    ok_or_raise(without_gil([&] { return host->engine().cancel_incident(id, std::move(why)); }));
  });
  m.def("metrics", &metrics);
  m.def("metrics_text", [](const py::object& e) {
    const HostPtr host = host_of(e);
    return value_or_raise(observe::prometheus_text(metric_families(without_gil([&] { return host->engine().metrics(); }))));
  });
  m.def("run_until_idle", [](const py::object& e) {
    const HostPtr host = host_of(e);
    return value_or_raise(without_gil([&] { return host->engine().run_until_idle(); }));
  });
  m.def("advance", &advance);
  m.def("now", [](const py::object& e) {
    return owned(datetime_of(without_gil([host = host_of(e)] { return host->engine().now(); })));
  });
  m.def("durability", [](const py::object& e) { return host_of(e)->engine().durability(); });
  m.def("set_defaults", [](const py::object& e, const policy::EngineOptions& defaults) {
    const HostPtr host = host_of(e);
    ok_or_raise(without_gil([&] { return host->engine().set_defaults(defaults); }));
  });
}

}  // namespace headrace::bindings
