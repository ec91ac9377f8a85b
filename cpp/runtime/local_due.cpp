#include "local_core.hpp"

namespace headrace::runtime {
namespace {

using jobs::JobState;
using observe::Level;
using observe::What;

std::string text_of_end(const jobs::Verdict& v) {
  if (const auto* a = std::get_if<jobs::Again>(&v.is)) return a->error;
  if (const auto* x = std::get_if<jobs::Exhaust>(&v.is)) return x->error;
  if (const auto* n = std::get_if<jobs::Noted>(&v.is)) return n->error;
  return {};
}

}  // namespace

void LocalCore::record_end(const jobs::Ticket& t, const jobs::Verdict& v, const jobs::Ended& ended, const jobs::JobInfo& info) {
  const Instant at = now();
  if (!v.note.empty()) records_.about(What::ClauseFailed, Level::Warning, info, at, v.note);
  if (ended.undone && ended.state != JobState::Cancelled) return;
  if (t.cause == jobs::Cause::Worker) records_.about(What::JobReported, Level::Debug, info, at, text_of_end(v));
  switch (ended.state) {
    case JobState::Completed:
      records_.about(What::JobCompleted, Level::Info, info, at);
      break;
    case JobState::Failed:
      records_.about(What::JobFailed, Level::Info, info, at, text_of_end(v));
      break;
    case JobState::Cancelled:
      records_.about(What::JobCancelled, Level::Info, info, at);
      break;
    case JobState::Incident:
      records_.about(What::JobExhausted, Level::Info, info, at, text_of_end(v));
      break;
    case JobState::BackingOff:
      records_.about(What::JobBackedOff, Level::Debug, info, at, text_of_end(v), ended.due - at);
      break;
    case JobState::Queued:
      records_.about(What::JobRetried, Level::Debug, info, at, text_of_end(v));
      break;
    default:
      break;
  }
}

// The verdict on an expiry or a timeout. Nobody waits for it: the engine's answer ends it from whatever thread it comes.
void LocalCore::settle_due(const jobs::Ticket& t) {
  const policy::Policy& p = *t.service->policy;
  jobs::Verdict v;
  switch (t.cause) {
    case jobs::Cause::Expiry:
      v = jobs::judge_expiry(p, t.attempts, jitter());
      break;
    case jobs::Cause::Timeout:
      v = jobs::judge_timeout(p, t.attempts);
      break;
    default:
      v = jobs::judge_pending(p, t.attempts, t.timed_out);
      break;
  }
  std::optional<jobs::Outcome> outcome = v.take_outcome();
  if (!outcome) return end(t, std::move(v), Ok{});
  jobs::JobCompletionSink* sink = sink_.load(std::memory_order_acquire);
  if (sink == nullptr) return end(t, std::move(v), make_error(ErrorCode::Closed, "no engine is bound"));
  sink->report_job_completion({t.key, std::move(*outcome)},
                              [core = shared_from_this(), t, v](Status answer) { core->end(t, v, answer); });
}

std::size_t LocalCore::run_due(Instant at) {
  jobs::DueWork work;
  std::vector<std::pair<jobs::JobInfo, bool>> expired;
  {
    Section section(*this);
    section.table().run_due(at, work);
    if (manual()) ++held_;
    told_due_ = due_time();
    if (records_.enabled(Level::Warning)) {
      for (const jobs::Expired& e : work.expired) {
        if (auto info = section.table().find(e.key)) expired.emplace_back(std::move(*info), e.counted);
      }
    }
  }
  for (const auto& [info, counted] : expired) records_.expired(info, counted, at);
  for (const std::string& topic : work.stuck) records_.stuck(topic, at);
  for (const jobs::Ticket& t : work.tickets) settle_due(t);
  if (manual()) {
    const Section section(*this);
    --held_;
  }
  return work.booked;
}

void LocalCore::book_due() {
  if (!options_.due_on_call) return;
  const std::int64_t due = due_.load(std::memory_order_relaxed);
  if (due == Instant::never().us) return;
  if (const Instant at = now(); due <= at.us) run_due(at);
}

}  // namespace headrace::runtime
