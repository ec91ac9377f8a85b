#pragma once
// The readers of BPMN's elements, one function a kind, and the table that finds them.

#include <string>
#include <string_view>

#include "context.hpp"

namespace headrace::xml {

// Reads the flow elements of a process or an embedded sub-process.
void read_scope(const Element& scope, Context&);

void read_start_event(const Element&, Context&);         // events.cpp
void read_end_event(const Element&, Context&);           // events.cpp
void read_boundary_event(const Element&, Context&);      // boundary.cpp
void read_service_task(const Element&, Context&);        // service_task.cpp
void read_business_rule_task(const Element&, Context&);  // tasks.cpp
void read_user_task(const Element&, Context&);           // tasks.cpp
void read_exclusive_gateway(const Element&, Context&);   // gateways.cpp
void read_parallel_gateway(const Element&, Context&);    // gateways.cpp
void read_sub_process(const Element&, Context&);         // sub_process.cpp
void read_sequence_flow(const Element&, Context&);       // sequence_flow.cpp

// What is common to all: the id, attributes that must keep their default, vendor content, children. `own` are the names of
// BPMN children that the caller reads itself; children that carry no behaviour are passed over, others are faults.
void check_common(const Element&, std::initializer_list<std::string_view> own, Context&);
// The default flow and the common checks of an activity.
void check_activity(const Element&, std::initializer_list<std::string_view> own, Context&);
void read_default(const Element&, Context&);
// The event definitions among the children.
std::vector<const Element*> event_definitions(const Element& event);

// Vendor attributes and extension elements: what is used or does no harm, what must be refused (vendor.cpp has the table).
// `owner` is the element with the id that faults are given to.
void check_vendor(const Element&, const Element& owner, Context&);

// Content of our own namespace stands only on service tasks; other content of it is a fault (headrace_options.cpp).
void check_own_namespace(const Element&, const Element& owner, Context&);
// Reads the extension elements of our own namespace into a task's options (headrace_options.cpp).
void read_options(const Element& task, model::ServiceTaskConfig&, Context&);

// camunda:taskPriority of a task or a process.
std::int64_t read_priority(const Element&, std::int64_t fallback, Context&);  // service_task.cpp

// Parses an expression; a fault names `what`.
std::optional<expr::Expression> parse_expression(const Element& owner, std::string_view text, std::string_view what, Context&);
// ${…} or #{…} somewhere in a text.
bool has_expression(std::string_view);

// Diagram interchange of the whole file.
void read_diagram(const Element& definitions, model::Builder&);

}  // namespace headrace::xml
