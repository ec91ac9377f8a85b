#pragma once
// The behaviours, one class an element; each is defined in the file of its name, which opens with the rule of the specification.

#include "core/elements/behavior.hpp"

namespace headrace::core {

struct StartEvent final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};
struct EndEvent final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};
struct TerminateEndEvent final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};
struct ErrorEndEvent final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};
struct ServiceTask final : ElementBehavior {
  Status on_enter(const Activation&) const override;
  Status on_resume(const Activation&, const Action&) const override;
  void on_cancel(const Activation&) const override;
};
struct BusinessRuleTask final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};
struct UserTask final : ElementBehavior {
  Status on_enter(const Activation&) const override;
  Status on_resume(const Activation&, const Action&) const override;
};
struct ExclusiveGateway final : ElementBehavior {
  Status on_enter(const Activation&) const override;
  Status on_resume(const Activation&, const Action&) const override;
};
struct ParallelGateway final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};
struct SubProcess final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};
// Boundary timer and boundary error: the token comes here when the host has been interrupted.
struct BoundaryEvent final : ElementBehavior {
  Status on_enter(const Activation&) const override;
};

}  // namespace headrace::core
