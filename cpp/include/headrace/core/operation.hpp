#pragma once
// What the result of an in-process operation means under its policy (ADR-021 2.6, 2.7; design 4.13). Pure but for custom
// policies, which only the pool runs.

#include "headrace/core/command.hpp"
#include "headrace/model/operation.hpp"
#include "headrace/policy/policy.hpp"

namespace headrace::core {

// `failures`: failed executions before this one. `jitter` in [0, 1).
OperationVerdict judge(const policy::Policy&, model::OperationResult, int failures, double jitter);

}  // namespace headrace::core
