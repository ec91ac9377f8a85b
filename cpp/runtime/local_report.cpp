#include "local_answers.hpp"
#include "local_core.hpp"
#include "shard.hpp"

namespace headrace::runtime {

using observe::Level;
using observe::What;

Result<jobs::Ticket> LocalCore::begin(const jobs::ReportTarget& target) {
  Result<jobs::Ticket> t = [&] {
    Section section(*this);
    return section.table().begin_report(target);
  }();
  if (!t && records_.enabled(Level::Debug)) records_.refused(target, t.error(), now());
  return t;
}

Result<jobs::Verdict> LocalCore::judge(const jobs::Ticket& t, jobs::Report report) {
  Result<jobs::Verdict> verdict = jobs::classify(*t.service->policy, t.owner, t.attempts, std::move(report), jitter());
  if (verdict && records_.enabled(Level::Debug)) records_.classified(t, *verdict, now());
  return verdict;
}

Status LocalCore::tell(const jobs::Ticket& t, jobs::Outcome outcome) {
  jobs::JobCompletionSink* sink = sink_.load(std::memory_order_acquire);
  if (sink == nullptr) return closed_ ? closed_engine() : no_sink();
  const std::shared_ptr<Answers> answers = my_answers();
  answers->expect(1);
  sink->report_job_completion({t.key, std::move(outcome)}, [answers](Status s) { answers->give(0, std::move(s)); });
  answers->wait(sink);
  return std::move(answers->status[0]);
}

void LocalCore::end(const jobs::Ticket& t, jobs::Verdict verdict, const Status& answer) {
  jobs::Ended ended;
  std::optional<jobs::JobInfo> info;
  {
    Section section(*this);
    if (records_.enabled(Level::Info)) info = section.table().info(t);
    ended = section.table().end(t, verdict, answer, now());
  }
  if (info) record_end(t, verdict, ended, *info);
}

Status LocalCore::report(const jobs::ReportTarget& target, jobs::Report report) {
  if (Shard::inside()) return inside_a_step();
  if (closed_) return closed_engine();
  book_due();
  Result<jobs::Ticket> t = begin(target);
  if (!t) return t.error();
  Result<jobs::Verdict> verdict = judge(*t, std::move(report));
  if (!verdict) {
    jobs::Ended ended;
    {
      Section section(*this);
      ended = section.table().undo(*t);
    }
    if (records_.enabled(Level::Debug)) records_.refused(target, verdict.error(), now());
    return verdict.error();
  }
  std::optional<jobs::Outcome> outcome = verdict->take_outcome();
  const Status answer = outcome ? tell(*t, std::move(*outcome)) : Status(Ok{});
  const bool hidden = !answer && hidden_from_worker(*t->service->policy, answer.error());
  if (!answer) records_.refused(target, answer.error(), now(), hidden ? Level::Warning : Level::Debug);
  end(*t, std::move(*verdict), answer);
  return hidden ? Status(undone_step(answer.error().code)) : answer;
}

Result<Instant> LocalCore::extend(const jobs::ReportTarget& target, Duration d) {
  if (closed_) return closed_engine();
  book_due();
  const Instant at = now();
  std::optional<jobs::JobInfo> capped;
  Result<Instant> r = [&] {
    Section section(*this);
    Result<Instant> until = section.table().extend(target, d, at);
    if (!until && until.error().code == ErrorCode::LockCapExceeded) capped = section.table().find(target.key);
    return until;
  }();
  if (r) records_.extended(target, d, at);
  if (capped) records_.about(What::LockCapHit, Level::Warning, *capped, at, r.error().message);
  return r;
}

Status LocalCore::unlock(const jobs::ReportTarget& target) {
  if (closed_) return closed_engine();
  book_due();
  const Status s = [&] {
    Section section(*this);
    return section.table().unlock(target, now());
  }();
  if (s) records_.unlocked(target, now());
  return s;
}

}  // namespace headrace::runtime
