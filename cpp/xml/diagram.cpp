// BPMN DI: where shapes and edges are drawn. It carries no behaviour, so what cannot be read is left out and is no fault.

#include <charconv>
#include <cmath>

#include "elements.hpp"

namespace headrace::xml {

namespace {

std::optional<double> number(const Element& e, std::string_view attribute) {
  const auto text = e.find(attribute);
  double value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void read_shape(const Element& shape, model::Builder& to) {
  const Element* bounds = shape.child("Bounds", Ns::Dc);
  if (bounds == nullptr) return;
  const auto x = number(*bounds, "x"), y = number(*bounds, "y"), width = number(*bounds, "width"),
             height = number(*bounds, "height");
  if (x && y && width && height) to.add_shape(reference(shape.attribute("bpmnElement")), *x, *y, *width, *height);
}

void read_edge(const Element& edge, model::Builder& to) {
  std::vector<std::pair<double, double>> points;
  for (const Element& point : edge.children) {
    if (!point.is(Ns::Di, "waypoint")) continue;
    const auto x = number(point, "x"), y = number(point, "y");
    if (x && y) points.emplace_back(*x, *y);
  }
  if (points.size() >= 2) to.add_edge(reference(edge.attribute("bpmnElement")), std::move(points));
}

}  // namespace

void read_diagram(const Element& definitions, model::Builder& to) {
  for (const Element& diagram : definitions.children) {
    if (!diagram.is(Ns::Bpmndi, "BPMNDiagram")) continue;
    for (const Element& plane : diagram.children) {
      for (const Element& item : plane.children) {
        if (item.is(Ns::Bpmndi, "BPMNShape")) read_shape(item, to);
        if (item.is(Ns::Bpmndi, "BPMNEdge")) read_edge(item, to);
      }
    }
  }
}

}  // namespace headrace::xml
