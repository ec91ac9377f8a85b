// Each kind of element has its own data; behaviours rely on it. A boundary event is attached to something.

#include <algorithm>

#include "headrace/base/json.hpp"
#include "headrace/base/time.hpp"
#include "rules.hpp"

namespace headrace::model {

namespace {

template <class Config>
void want(const Node& n, std::string_view what, Findings& out) {
  if (std::holds_alternative<Config>(n.config)) return;
  out.fault(n, "config-missing",
            "expected a " + std::string(name_of(n.kind)) + " to have " + std::string(what) + ", but it has none", "give it one");
}

void check_attached(const Node& n, Findings& out) {
  if (n.attached_to != kNone || out.unattached.contains(n.id)) return;
  out.fault(n, "boundary-not-attached", "expected a boundary event to be attached to an activity, but it is attached to none",
            "attach it to a task or sub-process");
}

// Whoever read the model had no value to give, and has said why.
bool has_fault(const Node& n, const Findings& out) {
  return std::any_of(out.faults.begin(), out.faults.end(), [&](const Fault& f) { return f.element == n.id; });
}

// Camunda 7 deploys a timer with a bad literal and fails when it is armed; so does its profile, but the modeler hears of it.
void check_timer(const Definition& d, const Node& n, Findings& out) {
  const auto* timer = std::get_if<TimerConfig>(&n.config);
  if (timer == nullptr) return;
  const std::string& text = timer->value.text();
  if (text.find("${") != std::string::npos || text.find("#{") != std::string::npos) return;
  const bool fits = timer->type == TimerConfig::Type::Duration ? parse_calendar_duration(text).ok() : parse_instant(text).ok();
  if (fits || (text.empty() && has_fault(n, out))) return;
  const bool duration = timer->type == TimerConfig::Type::Duration;
  const std::string message = std::string("expected an ISO 8601 ") + (duration ? "duration" : "date") +
                              " or an expression, but found " + json::quote(printable(text, 100));
  if (d.profile == policy::Profile::Camunda7) {
    out.warn(n, "timer-value", message);
  } else {
    out.fault(n, "timer-value", message, duration ? "write it as in PT1H30M or P2D" : "write it as in 2026-01-05T09:00:00Z");
  }
}

}  // namespace

void check_configs(const Definition& d, Findings& out) {
  for (const Node& n : d.nodes) {
    switch (n.kind) {
      case ElementKind::ServiceTask:
        want<ServiceTaskConfig>(n, "an operation or a topic", out);
        break;
      case ElementKind::BoundaryTimer:
        want<TimerConfig>(n, "a duration or a date", out);
        check_timer(d, n, out);
        check_attached(n, out);
        break;
      case ElementKind::BoundaryError:
        want<ErrorConfig>(n, "an error to catch", out);
        check_attached(n, out);
        break;
      case ElementKind::ErrorEndEvent:
        want<ErrorConfig>(n, "an error", out);
        if (const auto* e = std::get_if<ErrorConfig>(&n.config); e != nullptr && (!e->code || e->code->empty())) {
          out.fault(n, "error-code-missing", "expected an error end event to have an error code, but it has none",
                    "give it a code");
        }
        break;
      default:
        break;
    }
  }
}

}  // namespace headrace::model
