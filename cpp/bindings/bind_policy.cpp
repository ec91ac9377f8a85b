// Policies and options of a service as C++ values, made from the face's plain data at deploy.

#include "args.hpp"
#include "callables.hpp"
#include "convert.hpp"
#include "pybind.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

Duration duration(py::handle o, const char* what, bool unbounded = false) {
  Duration d;
  check(duration_of(o.ptr(), what, unbounded, d));
  return d;
}
bool boolean(const py::object& o, const char* what) {
  bool b = false;
  check(bool_of(o.ptr(), what, b));
  return b;
}
int attempts(const py::object& o, const char* what) {
  long long n = 0;
  check(int_of(o.ptr(), what, 1, 1'000'000, n));
  return static_cast<int>(n);
}
double fraction(const py::object& o, const char* what) {
  if ((PyFloat_Check(o.ptr()) || PyLong_Check(o.ptr())) && !PyBool_Check(o.ptr())) {
    const double d = PyFloat_AsDouble(o.ptr());
    if (d != -1.0 || PyErr_Occurred() == nullptr) return d;
    PyErr_Clear();
  } else {
    PyErr_Format(PyExc_TypeError, "expected %s as a number from 0 to 1, but found %s", what, Py_TYPE(o.ptr())->tp_name);
    throw py::error_already_set();
  }
  raise_now(
      make_error(ErrorCode::Validation, std::string("expected ") + what + " from 0 to 1, but found an int that is too large"));
}
std::optional<Duration> maybe_duration(py::handle o, const char* what) {
  std::optional<Duration> d;
  check(optional_duration_of(o.ptr(), what, d));
  return d;
}

// ("path", "$.x") or ("value", anything)
policy::Source source_of(const py::tuple& t) {
  if (utf8(t[0], "a source") == "path") return {value_or_raise(expr::JsonPath::parse(utf8(t[1], "a path")))};
  Value v;
  check(value_of(t[1].ptr(), "value", v));
  return {std::move(v)};
}

// (code | None, clause | None, "bpmn_error" | "status" | "technical", source | None, source | None)
policy::ErrorRule rule_of(const py::tuple& t) {
  policy::ErrorRule rule;
  if (!t[0].is_none()) {
    Value code;
    check(value_of(t[0].ptr(), "code", code));
    rule.code = std::move(code);
  }
  if (!t[1].is_none()) rule.body = value_or_raise(expr::Clause::parse(utf8(t[1], "the body clause of a rule")));
  const std::string kind = utf8(t[2], "an outcome");
  if (kind == "bpmn_error") {
    policy::ToBpmnError to{source_of(t[3].cast<py::tuple>()), std::nullopt};
    if (!t[4].is_none()) to.message = source_of(t[4].cast<py::tuple>());
    rule.outcome = std::move(to);
  } else if (kind == "status") {
    rule.outcome = policy::ToStatus{source_of(t[3].cast<py::tuple>())};
  }
  return rule;
}

MapperBox rule_mapper(const py::list& rules) {
  std::vector<policy::ErrorRule> all;
  for (const py::handle r : rules) all.push_back(rule_of(r.cast<py::tuple>()));
  return {value_or_raise(policy::rule_mapper(std::move(all)))};
}

policy::OutputMapping output_mapping(const py::list& rules) {
  policy::OutputMapping mapping;
  for (const py::handle r : rules) {
    const auto t = r.cast<py::tuple>();
    mapping.rules.push_back({value_or_raise(expr::JsonPath::parse(utf8(t[0], "a path"))), utf8(t[1], "a target"),
                             boolean(t[2], "optional of hr.out()")});
  }
  return mapping;
}

policy::FieldType field_type(const std::string& name) {
  for (const auto t : {policy::FieldType::Any, policy::FieldType::Bool, policy::FieldType::Int, policy::FieldType::Float,
                       policy::FieldType::String, policy::FieldType::Bytes, policy::FieldType::DateTime, policy::FieldType::List,
                       policy::FieldType::Map}) {
    if (policy::name_of(t) == name) return t;
  }
  raise_now(make_error(ErrorCode::Validation, "expected a type of a field, but found '" + name + "'"));
}

MessageBox message_type(const std::string& name, const py::list& fields) {
  policy::MessageType message;
  message.name = name;
  for (const py::handle f : fields) {
    const auto t = f.cast<py::tuple>();
    message.fields.push_back({utf8(t[0], "a field"), field_type(utf8(t[1], "a type")), t[2].cast<bool>(), t[3].cast<bool>()});
  }
  return {std::make_shared<const policy::MessageType>(std::move(message))};
}

OperationBox operation(const std::string& kind, const std::string& name, const MessageBox* in, const MessageBox* out,
                       const py::list& errors, const py::object& body) {
  model::Operation op;
  op.kind = kind == "functor" ? model::OperationKind::Functor : model::OperationKind::Message;
  op.name = name;
  if (in != nullptr) op.in_message = in->message;
  if (out != nullptr) op.out_message = out->message;
  for (const py::handle e : errors) {
    const auto t = e.cast<py::tuple>();
    op.errors.push_back({utf8(t[0], "an error code"), utf8(t[1], "an error name")});
  }
  if (!body.is_none()) op.body = operation_body(body.ptr());
  return {std::make_shared<const model::Operation>(std::move(op))};
}

std::optional<policy::Trust> trust_of(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  return *word == "EngineAuthoritative" ? policy::Trust::EngineAuthoritative : policy::Trust::WorkerTrusted;
}

policy::ServiceOptions service_options(const py::kwargs& k) {
  policy::ServiceOptions o;
  const auto has = [&](const char* name) { return k.contains(name) && !k[name].is_none(); };
  if (has("timeout")) o.timeout = duration(k["timeout"], "WithTimeout");
  if (has("retry")) o.retry = k["retry"].cast<RetryBox>().policy;
  if (has("errors")) o.errors = k["errors"].cast<MapperBox>().mapper;
  if (has("output")) o.output = k["output"].cast<policy::OutputMapping>();
  if (has("status_name"))
    o.status = policy::StatusTarget{utf8(k["status_name"], "the name of WithStatus"),
                                    boolean(k["status_overwrite"], "overwrite of WithStatus")};
  if (has("trust")) o.trust = trust_of(k["trust"].cast<std::string>());
  if (has("lock_duration")) o.lock_duration = duration(k["lock_duration"], "WithLockDuration");
  if (has("max_lock_duration")) o.max_lock_duration = duration(k["max_lock_duration"], "WithMaxLockDuration", true);
  if (has("job_timeout")) o.job_timeout = duration(k["job_timeout"], "WithJobTimeout");
  if (has("expiry_as_attempt")) o.expiry_as_attempt = k["expiry_as_attempt"].cast<bool>();
  if (has("on_exhausted"))
    o.on_exhausted = utf8(k["on_exhausted"], "") == "fail" ? policy::OnExhausted::Fail : policy::OnExhausted::Incident;
  if (has("on_mismatch"))
    o.on_mismatch = utf8(k["on_mismatch"], "") == "incident" ? policy::OnMismatch::Incident : policy::OnMismatch::Retry;
  if (has("on_uncaught"))
    o.on_uncaught = utf8(k["on_uncaught"], "") == "end" ? policy::OnUncaughtError::End : policy::OnUncaughtError::Fail;
  if (has("binding")) o.binding = custom_binding(py::object(k["binding"]).ptr());
  if (has("schema")) o.schema = output_schema(py::object(k["schema"]).ptr());
  return o;
}

policy::EngineOptions engine_defaults(const RetryBox* retry, const MapperBox* errors, const std::optional<std::string>& trust,
                                      const py::object& lock, const py::object& cap, const py::object& binding) {
  policy::EngineOptions o;
  if (retry != nullptr) o.retry = retry->policy;
  if (errors != nullptr) o.errors = errors->mapper;
  if (!binding.is_none()) o.binding = custom_binding(binding.ptr());
  o.trust = trust_of(trust);
  o.lock_duration = maybe_duration(lock, "WithWorkerLockDuration");
  o.max_lock_duration = maybe_duration(cap, "WithWorkerMaxLockDuration");
  return o;
}

}  // namespace

void bind_policy(py::module_& m) {
  py::class_<RetryBox>(m, "RetryPolicy")
      .def("next_delay",  // A stock policy does not look at the failure.
           [](const RetryBox& box, const py::object& attempt, const py::object&, const py::object& jitter) -> py::object {
             const auto delay =
                 value_or_raise(box.policy->next_delay(attempts(attempt, "attempt"), {}, fraction(jitter, "jitter")));
             return delay ? owned(timedelta_of(*delay)) : py::none();
           });
  py::class_<MapperBox>(m, "ErrorMapper");
  py::class_<MessageBox>(m, "MessageType");
  py::class_<OperationBox>(m, "Operation");
  py::class_<policy::OutputMapping>(m, "OutputMapping");
  py::class_<policy::ServiceOptions>(m, "ServiceOptions");
  py::class_<policy::EngineOptions>(m, "EngineDefaults");
  m.def("no_retry", [] { return RetryBox{policy::no_retry()}; });
  m.def("fixed_delay", [](const py::object& most, const py::object& delay) {
    return RetryBox{value_or_raise(
        policy::fixed_delay(attempts(most, "max_attempts of FixedDelay"), duration(delay, "the delay of FixedDelay")))};
  });
  m.def("exponential_backoff",
        [](const py::object& most, const py::object& base, const py::object& cap, const py::object& jitter) {
          return RetryBox{value_or_raise(policy::exponential_backoff(
              attempts(most, "max_attempts of ExponentialBackoff"), duration(base, "the base of ExponentialBackoff"),
              duration(cap, "the cap of ExponentialBackoff", true), fraction(jitter, "jitter of ExponentialBackoff")))};
        });
  m.def("custom_retry", [](const py::object& o) { return RetryBox{custom_retry(o.ptr())}; });
  m.def("rule_mapper", &rule_mapper);
  m.def("custom_mapper", [](const py::object& o) { return MapperBox{custom_mapper(o.ptr())}; });
  m.def("output_mapping", &output_mapping);
  m.def("message_type", &message_type);
  m.def("operation", &operation);
  m.def("service_options", &service_options);
  m.def("engine_defaults", &engine_defaults);
}

}  // namespace headrace::bindings
