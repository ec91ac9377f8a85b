#include "metrics_text.hpp"

namespace headrace::bindings {

namespace {

using observe::Family;
using observe::MetricKind;

Family single(const char* name, const char* help, MetricKind kind, std::uint64_t value) {
  return {std::string("headrace_") + name, help, kind, {{{}, static_cast<double>(value)}}};
}

struct Column {
  const char* name;
  const char* help;
  MetricKind kind;
  std::uint64_t jobs::TopicMetrics::* value;
};

constexpr auto kGauge = MetricKind::Gauge;
constexpr auto kCounter = MetricKind::Counter;
const Column kTopicColumns[] = {
    {"jobs_queued", "Jobs that wait to be fetched.", kGauge, &jobs::TopicMetrics::queued},
    {"jobs_locked", "Jobs that a worker holds.", kGauge, &jobs::TopicMetrics::locked},
    {"jobs_reporting", "Jobs whose report is being applied.", kGauge, &jobs::TopicMetrics::reporting},
    {"jobs_backing_off", "Jobs that wait for their next attempt.", kGauge, &jobs::TopicMetrics::backing_off},
    {"jobs_in_incident", "Jobs that wait for an operator.", kGauge, &jobs::TopicMetrics::incidents},
    {"jobs_enqueued_total", "Jobs enqueued.", kCounter, &jobs::TopicMetrics::enqueued},
    {"jobs_fetched_total", "Jobs fetched and locked.", kCounter, &jobs::TopicMetrics::fetched},
    {"jobs_completed_total", "Jobs completed.", kCounter, &jobs::TopicMetrics::completed},
    {"jobs_failed_total", "Jobs that failed.", kCounter, &jobs::TopicMetrics::failed},
    {"jobs_cancelled_total", "Jobs withdrawn with their activity.", kCounter, &jobs::TopicMetrics::cancelled},
    {"job_attempts_total", "Executions that were counted.", kCounter, &jobs::TopicMetrics::attempts},
    {"job_retries_total", "Technical faults that are tried again.", kCounter, &jobs::TopicMetrics::retries},
    {"job_exhausted_total", "Jobs that used up their attempts.", kCounter, &jobs::TopicMetrics::exhausted},
    {"job_unlocks_total", "Jobs handed back.", kCounter, &jobs::TopicMetrics::unlocks},
    {"lock_expiries_total", "Locks that ran out.", kCounter, &jobs::TopicMetrics::expiries},
    {"lock_extensions_total", "Locks extended.", kCounter, &jobs::TopicMetrics::extensions},
    {"lock_cap_hits_total", "Locks refused above the cap of their topic.", kCounter, &jobs::TopicMetrics::cap_hits},
    {"reports_total", "Reports of workers.", kCounter, &jobs::TopicMetrics::reports},
    {"reports_refused_total", "Reports that were refused and changed nothing.", kCounter, &jobs::TopicMetrics::reports_refused},
};

Family by_topic(const Column& column, const std::vector<jobs::TopicMetrics>& topics) {
  Family family{std::string("headrace_") + column.name, column.help, column.kind, {}};
  for (const jobs::TopicMetrics& t : topics)
    family.samples.push_back({{{"topic", t.topic}}, static_cast<double>(t.*column.value)});
  return family;
}

}  // namespace

std::vector<Family> metric_families(const engine::EngineMetrics& m) {
  std::vector<Family> out{
      single("instances_active", "Instances that have not ended.", kGauge, m.instances_active),
      single("incidents_open", "Incidents that wait for an operator.", kGauge, m.incidents_open),
      single("threads_stuck", "Threads in operations that nobody waits for.", kGauge, m.threads_stuck),
      single("instances_started_total", "Instances started.", kCounter, m.instances_started),
      single("instances_completed_total", "Instances that ended normally.", kCounter, m.instances_completed),
      single("instances_failed_total", "Instances that failed.", kCounter, m.instances_failed),
      single("instances_cancelled_total", "Instances that were cancelled.", kCounter, m.instances_cancelled),
      single("incidents_raised_total", "Incidents raised.", kCounter, m.incidents_raised),
      single("steps_total", "Steps committed.", kCounter, m.steps),
      single("steps_undone_total", "Steps undone.", kCounter, m.steps_undone),
      single("commits_total", "Commits of the store.", kCounter, m.commits),
      single("conflicts_total", "Commits refused by the store as conflicts.", kCounter, m.conflicts),
      single("operations_total", "Operations run in the process.", kCounter, m.operations),
      single("operations_timed_out_total", "Operations that took too long.", kCounter, m.operations_timed_out),
      single("operations_late_total", "Results of operations that came too late and were dropped.", kCounter, m.operations_late),
      single("timers_fired_total", "Timers fired.", kCounter, m.timers_fired),
  };
  for (const Column& column : kTopicColumns) out.push_back(by_topic(column, m.queue.topics));
  return out;
}

}  // namespace headrace::bindings
