#pragma once
// Commands, events and effects as one line of text each: what transcripts are made of.

#include <string>

#include "headrace/core/command.hpp"
#include "headrace/core/effect.hpp"
#include "headrace/core/event.hpp"

namespace headrace::testing {

std::string to_text(const core::Action&, const core::Instance&);
std::string to_text(const core::Event&, const model::Definition&);
std::string to_text(const core::Effect&, const model::Definition&);
std::string to_text(const VariableBlock&);  // {amount: 30, item: "x"}
std::string_view name_of(core::Wait);

}  // namespace headrace::testing
