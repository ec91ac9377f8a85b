// In-process operations and conditions that are Python callables.

#include "callables.hpp"
#include "convert.hpp"
#include "face.hpp"
#include "held.hpp"
#include "operation_call.hpp"
#include "verdicts.hpp"

namespace headrace::bindings {

namespace {

model::OperationResult fault() { return model::OperationFault{take_failure()}; }

model::OperationResult raised_result() {
  if (raised(face().bpmn_error)) {
    const Ref error = take_exception();
    RaisedBpmnError read;
    if (!read_bpmn_error(error.get(), read)) return fault();
    return model::OperationBpmnError{std::move(read.code), std::move(read.message), std::move(read.variables)};
  }
  if (raised(face().status)) {
    const Ref error = take_exception();
    Value value;
    if (!read_status(error.get(), value)) return fault();
    return model::OperationStatus{std::move(value)};
  }
  if (raised(face().fault)) {
    const Ref error = take_exception();
    policy::Failure failure;
    if (!read_fault(error.get(), failure)) return fault();
    return model::OperationFault{std::move(failure)};
  }
  return fault();
}

class PythonOperation final : public model::OperationBody {
 public:
  explicit PythonOperation(PyObject* run) : run_(run) {}

  model::OperationResult invoke(const model::OperationCall& call) const override {
    if (interpreter_ended()) return ended();
    const GilTaken gil;
    const Ref variables = Ref::steal(dict_of(call.input));
    const Ref context = Ref::steal(variables ? new_operation_call(call) : nullptr);
    if (!context) return fault();
    const Ref result = Ref::steal(PyObject_CallFunctionObjArgs(run_.get(), variables.get(), context.get(), nullptr));
    if (!result) return raised_result();
    model::OperationOutput output;
    return block_of(result.get(), "output", output.output) ? model::OperationResult(std::move(output)) : fault();
  }
  std::string describe() const override { return run_.name(); }

 private:
  static model::OperationResult ended() {
    policy::Failure failure;
    failure.message = "expected a running interpreter, but it has ended";
    return model::OperationFault{std::move(failure)};
  }
  Held run_;
};

class PythonPredicate final : public model::Predicate {
 public:
  explicit PythonPredicate(PyObject* holds) : holds_(holds) {}

  Result<bool> holds(const VariableBlock& visible) const override {
    const GilTaken gil;
    const Ref variables = Ref::steal(dict_of(visible));
    const Ref result = Ref::steal(variables ? PyObject_CallOneArg(holds_.get(), variables.get()) : nullptr);
    if (!result) return make_error(ErrorCode::Expression, "condition " + holds_.name() + " raised " + take_error_text());
    if (PyBool_Check(result.get())) return result.get() == Py_True;
    return make_error(ErrorCode::Expression,
                      "expected condition " + holds_.name() + " to answer a bool, but found " + Py_TYPE(result.get())->tp_name);
  }
  std::string describe() const override { return holds_.name(); }

 private:
  Held holds_;
};

}  // namespace

std::shared_ptr<const model::OperationBody> operation_body(PyObject* run) { return std::make_shared<PythonOperation>(run); }
model::PredicatePtr predicate(PyObject* holds) { return std::make_shared<PythonPredicate>(holds); }

}  // namespace headrace::bindings
