// Segments and selectors (RFC 9535 2.3, 2.5).

#include <algorithm>

#include "jsonpath_run.hpp"

namespace headrace::expr::path {
namespace {

constexpr std::size_t kKeysPerVisit = 256;

const Value* element_at(const ValueList& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? &list[static_cast<std::size_t>(index)] : nullptr;
}

bool find_child(Run& run, const Selector& selector, const Value& node, const Value*& out) {
  out = nullptr;
  if (const auto* name = std::get_if<NameSelector>(&selector)) {
    if (!node.is(Kind::Map)) return run.spend(1);
    if (!run.spend(1 + node.as_map().size() / kKeysPerVisit)) return false;
    out = node.find(name->name);
    return true;
  }
  if (node.is(Kind::List)) out = element_at(node.as_list(), std::get<IndexSelector>(selector).index);
  return run.spend(1);
}

std::size_t children(const Value& node) {
  return node.is(Kind::List) ? node.as_list().size() : node.is(Kind::Map) ? node.as_map().size() : 0;
}

// Calls `visit(child)` in order until it answers false.
template <class Visit>
bool each_child(const Value& node, Visit visit) {
  if (node.is(Kind::List)) {
    return std::all_of(node.as_list().begin(), node.as_list().end(), [&](const Value& child) { return visit(child); });
  }
  if (!node.is(Kind::Map)) return true;
  return std::all_of(node.as_map().begin(), node.as_map().end(), [&](const auto& member) { return visit(member.second); });
}

// The indexes of a slice (2.3.4.2.2): first, then by step, up to but without `stop`.
struct Range {
  std::int64_t first;
  std::int64_t stop;
};
Range bounds(const SliceSelector& slice, std::int64_t size) {
  const auto normal = [size](std::int64_t i) { return i >= 0 ? i : size + i; };
  if (slice.step > 0) {
    return {std::clamp<std::int64_t>(normal(slice.start.value_or(0)), 0, size),
            std::clamp<std::int64_t>(normal(slice.end.value_or(size)), 0, size)};
  }
  return {std::clamp<std::int64_t>(slice.start ? normal(*slice.start) : size - 1, -1, size - 1),
          std::clamp<std::int64_t>(slice.end ? normal(*slice.end) : -1, -1, size - 1)};
}

bool take_slice(Run& run, const SliceSelector& slice, const ValueList& list, Nodes& out) {
  const std::size_t before = out.size();
  if (slice.step != 0) {
    const Range range = bounds(slice, static_cast<std::int64_t>(list.size()));
    for (std::int64_t i = range.first; slice.step > 0 ? i < range.stop : i > range.stop; i += slice.step) {
      if (!run.spend(1)) return false;
      out.push_back(&list[static_cast<std::size_t>(i)]);
    }
  }
  return out.size() > before || run.spend(1);
}

bool apply_filter(Run& run, const Logical& condition, const Value& node, Nodes& out) {
  return each_child(node, [&](const Value& child) {
    bool held = false;
    if (!run.spend(1) || !holds(run, condition, child, held)) return false;
    if (held) out.push_back(&child);
    return true;
  });
}

bool apply(Run& run, const Selector& selector, const Value& node, Nodes& out) {
  if (std::holds_alternative<NameSelector>(selector) || std::holds_alternative<IndexSelector>(selector)) {
    const Value* child = nullptr;
    if (!find_child(run, selector, node, child)) return false;
    if (child != nullptr) out.push_back(child);
    return true;
  }
  // A selector that finds nothing to look at has cost a look all the same.
  if (children(node) == 0) return run.spend(1);
  if (const auto* filter = std::get_if<FilterSelector>(&selector)) return apply_filter(run, *filter->condition, node, out);
  if (const auto* slice = std::get_if<SliceSelector>(&selector)) {
    return node.is(Kind::List) ? take_slice(run, *slice, node.as_list(), out) : run.spend(1);
  }
  if (!run.spend(children(node))) return false;
  return each_child(node, [&](const Value& child) {
    out.push_back(&child);
    return true;
  });
}

bool apply_all(Run& run, const Segment& segment, const Value& node, Nodes& out) {
  return std::all_of(segment.selectors.begin(), segment.selectors.end(),
                     [&](const Selector& selector) { return apply(run, selector, node, out); });
}

// The node and its descendants, parents before children, children in order; a stack of our own, as values may be deep.
bool descend(Run& run, const Segment& segment, const Value& node, Nodes& out) {
  Nodes todo{&node};
  while (!todo.empty()) {
    const Value& next = *todo.back();
    todo.pop_back();
    if (!apply_all(run, segment, next, out) || !run.spend(children(next))) return false;
    const std::size_t from = todo.size();
    each_child(next, [&](const Value& child) {
      if (children(child) > 0) todo.push_back(&child);  // no selector finds anything in others
      return true;
    });
    std::reverse(todo.begin() + static_cast<std::ptrdiff_t>(from), todo.end());
  }
  return true;
}

}  // namespace

bool select(Run& run, const Query& query, const Value& current, Nodes& out) {
  Nodes nodes{query.from_root ? &run.root : &current};
  if (query.segments.empty() && !run.spend(1)) return false;
  for (const Segment& segment : query.segments) {
    Nodes next;
    for (const Value* node : nodes) {
      if (segment.descendant ? !descend(run, segment, *node, next) : !apply_all(run, segment, *node, next)) return false;
    }
    nodes = std::move(next);
  }
  out = std::move(nodes);
  return true;
}

bool select_one(Run& run, const Query& query, const Value& current, const Value*& out) {
  out = query.from_root ? &run.root : &current;
  if (query.segments.empty()) return run.spend(1);
  for (const Segment& segment : query.segments) {
    if (!find_child(run, segment.selectors.front(), *out, out)) return false;
    if (out == nullptr) return true;
  }
  return true;
}

}  // namespace headrace::expr::path
