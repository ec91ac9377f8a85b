#include "snapshot.hpp"

#include "convert.hpp"
#include "dict.hpp"
#include "errors.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

PyObject* activity(const engine::ActivitySnapshot& a) {
  return Dict()
      .text("node", a.node)
      .text("state", a.state)
      .number("token", a.token)
      .text("waits_for", a.waits_for)
      .text("job", a.job)
      .take();
}
PyObject* count(const engine::CountSnapshot& c) {
  return Dict().text("node", c.node).number("completed", c.completed).number("cancelled", c.cancelled).take();
}
PyObject* timer(const engine::TimerSnapshot& t) { return Dict().text("node", t.node).put("due", datetime_of(t.due)).take(); }
PyObject* local(const std::pair<std::string, VariableBlock>& scope) {
  return Dict().text("scope", scope.first).put("variables", dict_of(scope.second)).take();
}
PyObject* to_text_object(const std::string& s) { return text(s).release(); }

PyObject* topic_dict(const jobs::TopicMetrics& t) {
  return Dict()
      .text("topic", t.topic)
      .number("queued", t.queued)
      .number("locked", t.locked)
      .number("reporting", t.reporting)
      .number("backing_off", t.backing_off)
      .number("incidents", t.incidents)
      .number("enqueued", t.enqueued)
      .number("fetched", t.fetched)
      .number("completed", t.completed)
      .number("failed", t.failed)
      .number("cancelled", t.cancelled)
      .number("reports", t.reports)
      .number("reports_refused", t.reports_refused)
      .number("extensions", t.extensions)
      .number("cap_hits", t.cap_hits)
      .number("expiries", t.expiries)
      .number("retries", t.retries)
      .number("exhausted", t.exhausted)
      .number("unlocks", t.unlocks)
      .number("attempts", t.attempts)
      .take();
}

}  // namespace

PyObject* incident_dict(const engine::IncidentSnapshot& i) {
  return Dict()
      .text("id", i.id)
      .text("kind", i.kind)
      .text("instance_id", std::to_string(i.root))
      .text("process", i.process)
      .text("node", i.node)
      .text("topic", i.topic)
      .text("job", i.job)
      .number("attempts", static_cast<std::uint64_t>(i.attempts))
      .number("expiries", static_cast<std::uint64_t>(i.expiries))
      .put("code", object_of(i.code))
      .put("body", object_of(i.body))
      .text("message", i.message)
      .put("raised", datetime_of(i.raised))
      .put("notes", list_of(i.notes, to_text_object))
      .take();
}

PyObject* snapshot_of(const HostPtr& host, const engine::InstanceRef& ref) {
  Result<engine::InstanceSnapshot> got = engine::InstanceSnapshot();
  {
    const GilReleased nogil;
    got = host->engine().snapshot(ref);
  }
  if (!got) return raise(got.error());
  const engine::InstanceSnapshot& s = *got;
  return Dict()
      .text("id", std::to_string(s.root))
      .text("process", s.definition ? s.definition->id : std::string())
      .number("version", s.definition ? s.definition->version : 0)
      .text("business_key", s.business_key)
      .text("state", core::name_of(s.state))
      .boolean("suspended", s.suspended)
      .put("started", datetime_of(s.started))
      .number("sequence", s.sequence)
      .put("variables", dict_of(s.variables))
      .put("local_variables", list_of(s.local_variables, local))
      .put("activities", list_of(s.activities, activity))
      .put("counts", list_of(s.counts, count))
      .put("incidents", list_of(s.incidents, incident_dict))
      .put("timers", list_of(s.timers, timer))
      .text("end_node", s.end_node)
      .text("error_code", s.error_code)
      .text("reason", s.reason)
      .take();
}

PyObject* metrics_dict(const engine::EngineMetrics& m) {
  return Dict()
      .put("topics", list_of(m.queue.topics, topic_dict))
      .number("instances_started", m.instances_started)
      .number("instances_completed", m.instances_completed)
      .number("instances_failed", m.instances_failed)
      .number("instances_cancelled", m.instances_cancelled)
      .number("instances_active", m.instances_active)
      .number("incidents_open", m.incidents_open)
      .number("incidents_raised", m.incidents_raised)
      .number("steps", m.steps)
      .number("steps_undone", m.steps_undone)
      .number("commits", m.commits)
      .number("conflicts", m.conflicts)
      .number("operations", m.operations)
      .number("operations_timed_out", m.operations_timed_out)
      .number("operations_late", m.operations_late)
      .number("threads_stuck", m.threads_stuck)
      .number("timers_fired", m.timers_fired)
      .take();
}

}  // namespace headrace::bindings
