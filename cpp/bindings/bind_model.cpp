// The model builder and definitions.

#include <limits>

#include "args.hpp"
#include "callables.hpp"
#include "dict.hpp"
#include "headrace/policy/schema.hpp"
#include "headrace/xml/reader.hpp"
#include "pybind.hpp"

namespace headrace::bindings {

namespace {

std::optional<policy::Profile> profile_of(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  if (*word == "headrace") return policy::Profile::Headrace;
  if (*word == "camunda7") return policy::Profile::Camunda7;
  raise_now(make_error(ErrorCode::Validation, "expected profile to be 'headrace' or 'camunda7', but found '" + *word + "'"));
}

model::ElementKind kind_of(const std::string& word) {
  for (std::size_t i = 0; i < model::kElementKinds; ++i) {
    const auto kind = static_cast<model::ElementKind>(i);
    if (model::name_of(kind) == word) return kind;
  }
  raise_now(make_error(ErrorCode::Validation, "expected a kind of element, but found '" + word + "'"));
}

// A ${…} text or a callable; None: no condition.
std::optional<model::Condition> condition_of(const py::object& o) {
  if (o.is_none()) return std::nullopt;
  model::Condition condition;
  if (py::isinstance<py::str>(o)) {
    condition.expression = value_or_raise(expr::Expression::parse(utf8(o, "a condition")));
  } else {
    condition.callable = predicate(o.ptr());
  }
  return condition;
}

class ModelBuilder {
 public:
  ModelBuilder(std::string id, std::string name) : id_(id), builder_(std::move(id), std::move(name)) {}

  void node(const std::string& kind, std::string id, std::string name, std::string parent) {
    builder_.add_node(kind_of(kind), std::move(id), std::move(name), std::move(parent), {});
  }
  void service(std::string id, std::string name, std::string parent, std::optional<std::string> topic,
               const OperationBox* operation, const policy::ServiceOptions& options, const py::object& urgency) {
    model::ServiceTaskConfig config;
    long long priority = 0;
    check(int_of(urgency.ptr(), "priority", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                 priority));
    config.locus = topic ? model::Locus::Worker : model::Locus::InProcess;
    config.topic = topic.value_or("");
    if (operation != nullptr) config.operation = operation->operation;
    config.options = options;
    config.priority = priority;
    builder_.add_node(model::ElementKind::ServiceTask, std::move(id), std::move(name), std::move(parent), std::move(config));
  }
  void timer(std::string id, std::string name, std::string parent, const std::string& type, const std::string& value) {
    model::TimerConfig config;
    config.type = type == "date" ? model::TimerConfig::Type::Date : model::TimerConfig::Type::Duration;
    config.value = value_or_raise(expr::Expression::parse(value));
    builder_.add_node(model::ElementKind::BoundaryTimer, std::move(id), std::move(name), std::move(parent), std::move(config));
  }
  void error(const std::string& kind, std::string id, std::string name, std::string parent, std::optional<std::string> code,
             std::string message) {
    builder_.add_node(kind_of(kind), std::move(id), std::move(name), std::move(parent),
                      model::ErrorConfig{std::move(code), std::move(message)});
  }
  void flow(std::string id, std::string source, std::string target, const py::object& condition) {
    builder_.add_flow(std::move(id), std::move(source), std::move(target), condition_of(condition));
  }
  void set_default(std::string node, std::string flow) { builder_.set_default(std::move(node), std::move(flow)); }
  void attach(std::string boundary, std::string activity) { builder_.attach(std::move(boundary), std::move(activity)); }
  void fault(std::string element, std::string rule, std::string message, std::string hint) {
    builder_.add_fault({std::move(element), 0, std::move(rule), std::move(message), std::move(hint)});
  }
  void profile(const std::string& word) { builder_.set_profile(*profile_of(word)); }
  DefinitionBox build() const {
    model::Builder::Built built = builder_.build();
    if (built.definition) return {built.definition, built.definition};
    raise_model_error(id_, built.faults);
    throw py::error_already_set();
  }

 private:
  std::string id_;
  model::Builder builder_;
};

// The text of each output schema becomes a check; what cannot be compiled is a fault of its task.
void compile_schemas(model::Definition& d, const py::function& compile, std::vector<model::Fault>& faults) {
  for (model::Node& n : d.nodes) {
    auto* service = std::get_if<model::ServiceTaskConfig>(&n.config);
    const policy::SchemaText* text = service == nullptr ? nullptr : policy::schema_text(service->options);
    if (text == nullptr) continue;
    try {
      service->options.schema = output_schema(compile(text->json()).ptr());
    } catch (py::error_already_set& e) {
      if (!e.matches(PyExc_Exception)) throw;
      faults.push_back({n.id, n.line, "output-schema", std::string(py::str(e.value())), ""});
    }
  }
}

std::vector<DefinitionBox> read_bpmn(const std::string& xml, const std::optional<std::string>& profile,
                                     const py::function& compile_schema) {
  xml::ReadResult read = xml::read_bpmn(xml, profile_of(profile));
  for (const auto& d : read.definitions) compile_schemas(*d, compile_schema, read.faults);
  if (!read.faults.empty()) {
    raise_model_error("", read.faults);
    throw py::error_already_set();
  }
  std::vector<DefinitionBox> out;
  for (auto& d : read.definitions) out.push_back({d, d});
  return out;
}

std::string id_or_none(const model::Definition& d, model::NodeIndex i) {
  return i == model::kNone ? std::string() : d.node(i).id;
}

// The names that are shown as *** (design 4.20).
py::list sensitive_fields(const model::ServiceTaskConfig& service) {
  py::list names;
  if (!service.operation) return names;
  for (const auto& message : {service.operation->in_message, service.operation->out_message}) {
    if (!message) continue;
    for (const policy::Field& f : message->fields) {
      if (f.sensitive) names.append(f.name);
    }
  }
  return names;
}

py::dict node_dict(const model::Definition& d, const model::Node& n) {
  py::dict out;
  out["id"] = n.id;
  out["kind"] = std::string(model::name_of(n.kind));
  out["name"] = n.name;
  out["parent"] = id_or_none(d, n.parent);
  out["attached_to"] = id_or_none(d, n.attached_to);
  out["default_flow"] = n.default_flow == model::kNone ? std::string() : d.flow(n.default_flow).id;
  out["line"] = n.line;
  const auto* service = std::get_if<model::ServiceTaskConfig>(&n.config);
  out["topic"] = service != nullptr ? service->topic : std::string();
  out["sensitive"] = service != nullptr ? sensitive_fields(*service) : py::list();
  return out;
}

py::list nodes(const DefinitionBox& box) {
  py::list out;
  for (const model::Node& n : box.definition->nodes) out.append(node_dict(*box.definition, n));
  return out;
}

py::list flows(const DefinitionBox& box) {
  py::list out;
  for (const model::Flow& f : box.definition->flows) {
    py::dict one;
    one["id"] = f.id;
    one["source"] = box.definition->node(f.source).id;
    one["target"] = box.definition->node(f.target).id;
    one["condition"] = !f.condition            ? std::string()
                       : f.condition->callable ? f.condition->callable->describe()
                                               : f.condition->expression.text();
    out.append(one);
  }
  return out;
}

py::dict diagram(const DefinitionBox& box) {
  const model::Definition& d = *box.definition;
  py::dict shapes, edges, out;
  for (const model::Shape& s : d.diagram.shapes) shapes[py::str(d.node(s.node).id)] = py::make_tuple(s.x, s.y, s.width, s.height);
  for (const model::Edge& e : d.diagram.edges) edges[py::str(d.flow(e.flow).id)] = py::cast(e.waypoints);
  out["shapes"] = shapes;
  out["edges"] = edges;
  return out;
}

}  // namespace

void bind_model(py::module_& m) {
  py::class_<DefinitionBox>(m, "Definition")
      .def_property_readonly("id", [](const DefinitionBox& b) { return b.definition->id; })
      .def_property_readonly("name", [](const DefinitionBox& b) { return b.definition->name; })
      .def_property_readonly("version", [](const DefinitionBox& b) { return b.definition->version; })
      .def_property_readonly(
          "profile",
          [](const DefinitionBox& b) { return b.definition->profile == policy::Profile::Camunda7 ? "camunda7" : "headrace"; })
      .def_property_readonly("warnings", [](const DefinitionBox& b) { return b.definition->warnings; })
      .def_property_readonly("source", [](const DefinitionBox& b) { return b.definition->source; })
      .def_property_readonly("nodes", &nodes)
      .def_property_readonly("flows", &flows)
      .def_property_readonly("diagram", &diagram)
      .def("__repr__", [](const DefinitionBox& b) {
        return "Definition(id='" + b.definition->id + "', version=" + std::to_string(b.definition->version) + ")";
      });
  py::class_<ModelBuilder>(m, "ModelBuilder")
      .def(py::init<std::string, std::string>())
      .def("node", &ModelBuilder::node)
      .def("service", &ModelBuilder::service)
      .def("timer", &ModelBuilder::timer)
      .def("error", &ModelBuilder::error)
      .def("flow", &ModelBuilder::flow)
      .def("set_default", &ModelBuilder::set_default)
      .def("attach", &ModelBuilder::attach)
      .def("fault", &ModelBuilder::fault)
      .def("profile", &ModelBuilder::profile)
      .def("build", &ModelBuilder::build);
  m.def("read_bpmn", &read_bpmn);
}

}  // namespace headrace::bindings
