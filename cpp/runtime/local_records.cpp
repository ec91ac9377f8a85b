#include "local_records.hpp"

namespace headrace::runtime {
namespace {

using observe::Level;
using observe::Record;
using observe::What;

Record record_of(What what, Level level, Instant at) {
  Record r;
  r.what = what;
  r.level = level;
  r.at = at;
  return r;
}

Record record_of(What what, Level level, Instant at, const JobKey& key, const jobs::Service& service) {
  Record r = record_of(what, level, at);
  r.root = key.root;
  r.job = jobs::to_text(key, service.node);
  r.process = service.process;
  r.node = service.node;
  r.topic = service.topic.str();
  return r;
}

// The four kinds of ADR-021 2.6.
std::string kind_of(const jobs::Verdict& verdict) {
  const auto* finish = std::get_if<jobs::Finish>(&verdict.is);
  if (finish == nullptr) return "technical fault";
  if (!finish->outcome) return "success";
  if (const auto* error = std::get_if<jobs::OutcomeBpmnError>(&*finish->outcome)) return "BPMN error " + error->code;
  return std::holds_alternative<jobs::OutcomeStatus>(*finish->outcome) ? "status" : "success";
}

Record record_of(What what, Level level, Instant at, const jobs::ReportTarget& target) {
  Record r = record_of(what, level, at);
  r.root = target.key.root;
  r.job = jobs::to_text(target.key, "");
  r.worker = target.worker.str();
  return r;
}

}  // namespace

void LocalRecords::enqueued(const jobs::Job& job, Instant at) const {
  if (enabled(Level::Debug)) recorder_->record(record_of(What::JobEnqueued, Level::Debug, at, job.key, *job.service));
}

void LocalRecords::cancelled(const jobs::Job& job, Instant at) const {
  if (enabled(Level::Info)) recorder_->record(record_of(What::JobCancelled, Level::Info, at, job.key, *job.service));
}

void LocalRecords::fetched(const jobs::LockedJob& job, Instant at) const {
  if (!enabled(Level::Debug)) return;
  Record r = record_of(What::JobFetched, Level::Debug, at, job.job.key, *job.job.service);
  r.worker = job.worker.str();
  r.attempt = job.attempt;
  r.duration = job.deadline - at;
  recorder_->record(std::move(r));
}

void LocalRecords::refused(const jobs::ReportTarget& target, const Error& error, Instant at, Level level) const {
  if (!enabled(level)) return;
  Record r = record_of(What::JobReportRefused, level, at, target);
  r.text = error.message;
  recorder_->record(std::move(r));
}

void LocalRecords::cap_hit(const jobs::FetchRequest& request, const std::string& text, Instant at) const {
  if (!enabled(Level::Warning)) return;
  Record r = record_of(What::LockCapHit, Level::Warning, at);
  r.worker = request.worker.str();
  if (request.topics.size() == 1) r.topic = request.topics[0].str();  // of several the text names the one
  r.text = text;
  recorder_->record(std::move(r));
}

void LocalRecords::classified(const jobs::Ticket& t, const jobs::Verdict& verdict, Instant at) const {
  if (!enabled(Level::Debug)) return;
  Record r = record_of(What::JobClassified, Level::Debug, at, t.key, *t.service);
  r.text = kind_of(verdict);
  recorder_->record(std::move(r));
}

void LocalRecords::extended(const jobs::ReportTarget& target, Duration d, Instant at) const {
  if (!enabled(Level::Debug)) return;
  Record r = record_of(What::LockExtended, Level::Debug, at, target);
  r.duration = d;
  recorder_->record(std::move(r));
}

void LocalRecords::unlocked(const jobs::ReportTarget& target, Instant at) const {
  if (enabled(Level::Debug)) recorder_->record(record_of(What::JobUnlocked, Level::Debug, at, target));
}

void LocalRecords::about(What what, Level level, const jobs::JobInfo& job, Instant at, std::string text, Duration d) const {
  if (!enabled(level)) return;
  Record r = record_of(what, level, at, job.key, *job.service);
  r.worker = job.worker.str();
  r.attempt = job.failures + job.expiries;
  r.duration = d;
  r.text = std::move(text);
  recorder_->record(std::move(r));
}

void LocalRecords::expired(const jobs::JobInfo& job, bool counted, Instant at) const {
  about(What::LockExpired, Level::Warning, job, at, counted ? "counted as an attempt" : "not counted as an attempt");
}

void LocalRecords::stuck(const std::string& topic, Instant at) const {
  if (!enabled(Level::Warning)) return;
  Record r = record_of(What::TopicStuck, Level::Warning, at);
  r.topic = topic;
  r.text = "jobs wait and nobody has asked for the topic for " + to_text(jobs::kStuckAfter);
  recorder_->record(std::move(r));
}

}  // namespace headrace::runtime
