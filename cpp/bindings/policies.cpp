// Policies, schemas and clocks that are Python objects.

#include "callables.hpp"
#include "convert.hpp"
#include "face.hpp"
#include "held.hpp"
#include "times.hpp"
#include "verdicts.hpp"

namespace headrace::bindings {

namespace {

Error technical(const std::string& what) { return make_error(ErrorCode::Technical, what); }

class PythonRetry final : public policy::RetryPolicy {
 public:
  PythonRetry(PyObject* o, int most) : policy_(o), max_attempts_(most) {}

  Result<std::optional<Duration>> next_delay(int attempt, const policy::Failure& failure, double jitter) const override {
    const GilTaken gil;
    const Ref fault = failure_object(failure);
    const Ref answer =
        Ref::steal(fault ? PyObject_CallMethod(policy_.get(), "next_delay", "iOd", attempt, fault.get(), jitter) : nullptr);
    Duration delay;
    if (answer && answer.get() == Py_None) return std::optional<Duration>();
    if (answer && duration_of(answer.get(), "the delay of next_delay()", false, delay)) return std::optional(delay);
    return technical(take_error_text());
  }
  int max_attempts() const override { return max_attempts_; }
  bool custom() const override { return true; }
  std::string describe() const override { return policy_.name(); }

 private:
  Held policy_;
  int max_attempts_;
};

class PythonMapper final : public policy::ErrorMapper {
 public:
  explicit PythonMapper(PyObject* o) : mapper_(o) {}

  Result<policy::Classification> classify(const policy::Failure& failure) const override {
    const GilTaken gil;
    const Ref fault = failure_object(failure);
    const Ref answer = Ref::steal(fault ? PyObject_CallMethod(mapper_.get(), "classify", "O", fault.get()) : nullptr);
    if (!answer) return technical(take_error_text());
    return read(answer.get());
  }
  bool custom() const override { return true; }

 private:
  static Result<policy::Classification> read(PyObject* answer) {
    if (answer == Py_None || PyObject_IsInstance(answer, face().fault) == 1) return policy::Classification(policy::Technical{});
    if (PyObject_IsInstance(answer, face().bpmn_error) == 1) {
      RaisedBpmnError error;
      if (!read_bpmn_error(answer, error)) return technical(take_error_text());
      if (error.code.empty()) return technical("expected a code in the BpmnError that classify() answered, but it is empty");
      return policy::Classification(policy::BusinessError{std::move(error.code), std::move(error.message)});
    }
    if (PyObject_IsInstance(answer, face().status) == 1) {
      Value value;
      if (!read_status(answer, value)) return technical(take_error_text());
      return policy::Classification(policy::BusinessStatus{std::move(value)});
    }
    return technical(std::string("expected classify() to answer BpmnError, Status, Fault or None, but found ") +
                     Py_TYPE(answer)->tp_name);
  }
  Held mapper_;
};

class PythonSchema final : public policy::OutputSchema {
 public:
  explicit PythonSchema(PyObject* check) : check_(check) {}

  Status check(const Value& output) const override {
    const GilTaken gil;
    const Ref value = Ref::steal(object_of(output));
    const Ref answer = Ref::steal(value ? PyObject_CallOneArg(check_.get(), value.get()) : nullptr);
    if (!answer) return technical("the output does not fit the schema: " + take_error_text());
    return Ok{};
  }

 private:
  Held check_;
};

class PythonBinding final : public policy::Binding {
 public:
  explicit PythonBinding(PyObject* o) : binding_(o) {}

  std::string_view name() const override { return binding_.name(); }
  // A binding that fails takes nothing for a success, and leaves a body as it is.
  bool success(const Value& code) const override {
    const GilTaken gil;
    const Ref given = Ref::steal(object_of(code));
    const Ref answer = Ref::steal(given ? PyObject_CallMethod(binding_.get(), "success", "O", given.get()) : nullptr);
    if (answer && PyBool_Check(answer.get())) return answer.get() == Py_True;
    complain(answer, "expected success() to answer a bool");
    return false;
  }
  Value body(const Value& raw) const override {
    const GilTaken gil;
    const Ref given = Ref::steal(object_of(raw));
    const Ref answer = Ref::steal(given ? PyObject_CallMethod(binding_.get(), "body", "O", given.get()) : nullptr);
    Value read;
    if (answer && value_of(answer.get(), "the answer of body()", read)) return read;
    complain(answer, "expected body() to answer a value");
    return raw;
  }

 private:
  void complain(const Ref& answer, const char* what) const {
    if (answer && PyErr_Occurred() == nullptr)
      PyErr_Format(PyExc_TypeError, "%s, but found %s", what, Py_TYPE(answer.get())->tp_name);
    write_unraisable(binding_.get());
  }
  Held binding_;
};

class PythonClock final : public Clock {
 public:
  explicit PythonClock(PyObject* o) : clock_(o) {}

  // A clock that fails stands still: there is nobody to answer to here.
  Instant now() const override {
    const GilTaken gil;
    const Ref answer = Ref::steal(PyObject_CallMethod(clock_.get(), "now", nullptr));
    Instant t;
    if (answer && instant_of(answer.get(), "the answer of now()", t)) return last_ = t;
    write_unraisable(clock_.get());
    return last_;
  }
  bool manual() const override { return true; }

 private:
  Held clock_;
  mutable Instant last_;  // under the GIL
};

int max_attempts_of(PyObject* o) {
  const Ref most = Ref::steal(PyObject_GetAttrString(o, "max_attempts"));
  const long n = most && PyLong_Check(most.get()) ? PyLong_AsLong(most.get()) : 0;
  PyErr_Clear();
  return n > 0 && n <= 1'000'000 ? static_cast<int>(n) : 0;
}

}  // namespace

policy::RetryPolicyPtr custom_retry(PyObject* o) { return std::make_shared<PythonRetry>(o, max_attempts_of(o)); }
policy::ErrorMapperPtr custom_mapper(PyObject* o) { return std::make_shared<PythonMapper>(o); }
std::shared_ptr<const policy::OutputSchema> output_schema(PyObject* check) { return std::make_shared<PythonSchema>(check); }
policy::BindingPtr custom_binding(PyObject* o) { return std::make_shared<PythonBinding>(o); }
std::shared_ptr<Clock> custom_clock(PyObject* o) { return std::make_shared<PythonClock>(o); }

}  // namespace headrace::bindings
