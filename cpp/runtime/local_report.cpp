#include <condition_variable>

#include "local_core.hpp"

namespace headrace::runtime {
namespace {

using jobs::JobState;
using observe::Level;
using observe::What;

// Where a reporter waits for the engine. Mostly the answer is there before the sink returns: then nothing blocks. Kept per thread and
// shared with the callback, which may still be inside when the reporter goes on.
struct Answers {
  std::atomic<std::size_t> open{0};
  std::vector<Status> status;
  std::mutex mutex;
  std::condition_variable changed;

  void expect(std::size_t n) {
    status.assign(n, Status(Ok{}));
    open.store(n, std::memory_order_relaxed);
  }
  void give(std::size_t i, Status s) {
    status[i] = std::move(s);
    if (open.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::lock_guard lock(mutex);
    changed.notify_all();
  }
  void wait(jobs::JobCompletionSink* sink) {
    while (open.load(std::memory_order_acquire) != 0 && sink != nullptr && sink->help()) {
    }
    for (int spin = 0; spin < 100; ++spin) {
      if (open.load(std::memory_order_acquire) == 0) return;
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return open.load(std::memory_order_acquire) == 0; });
  }
};

std::shared_ptr<Answers> my_answers() {
  thread_local std::shared_ptr<Answers> mine = std::make_shared<Answers>();
  if (mine.use_count() > 1) return std::make_shared<Answers>();  // a report inside a report
  return mine;
}

const Error kNoSink{ErrorCode::Closed, "expected a dispatcher that is bound to an engine, found none"};

}  // namespace

Result<jobs::Ticket> LocalCore::begin(const jobs::ReportTarget& target) {
  Result<jobs::Ticket> t = [&] {
    Section section(*this);
    return section.table().begin_report(target);
  }();
  if (!t && records_.enabled(Level::Debug)) records_.refused(target, t.error(), now());
  return t;
}

Result<jobs::Verdict> LocalCore::judge(const jobs::Ticket& t, jobs::Report report) {
  return jobs::classify(*t.service->policy, t.owner, t.attempts, std::move(report), jitter());
}

Status LocalCore::tell(const jobs::Ticket& t, jobs::Outcome outcome) {
  jobs::JobCompletionSink* sink = sink_.load(std::memory_order_acquire);
  if (sink == nullptr) return kNoSink;
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
  if (!answer && records_.enabled(Level::Debug)) records_.refused(target, answer.error(), now());
  end(*t, std::move(*verdict), answer);
  return answer;
}

std::vector<std::optional<Error>> LocalCore::complete_many(std::vector<std::pair<jobs::ReportTarget, VariableBlock>> items) {
  book_due();
  std::vector<std::optional<Error>> errors(items.size());
  struct Open {
    std::size_t item;
    jobs::Ticket ticket;
    jobs::Verdict verdict;
    bool judged = false;
  };
  std::vector<Open> open;
  open.reserve(items.size());
  {
    Section section(*this);
    for (std::size_t i = 0; i < items.size(); ++i) {
      Result<jobs::Ticket> t = section.table().begin_report(items[i].first);
      if (t) {
        open.push_back({i, std::move(*t), {}, false});
      } else {
        errors[i] = t.error();
      }
    }
  }
  jobs::JobCompletionSink* sink = sink_.load(std::memory_order_acquire);
  const std::shared_ptr<Answers> answers = my_answers();
  answers->expect(open.size());
  for (std::size_t i = 0; i < open.size(); ++i) {
    Open& o = open[i];
    Result<jobs::Verdict> v = judge(o.ticket, jobs::ReportComplete{std::move(items[o.item].second), {}});
    if (!v || sink == nullptr) {
      answers->give(i, v ? kNoSink : v.error());
      continue;
    }
    o.judged = true;
    o.verdict = std::move(*v);
    if (std::optional<jobs::Outcome> outcome = o.verdict.take_outcome()) {
      sink->report_job_completion({o.ticket.key, std::move(*outcome)}, [answers, i](Status s) { answers->give(i, std::move(s)); });
    } else {
      answers->give(i, Ok{});
    }
  }
  if (!open.empty()) answers->wait(sink);
  std::vector<jobs::Ended> ended(open.size());
  std::vector<jobs::JobInfo> infos;
  {
    Section section(*this);
    const Instant at = now();
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Open& o = open[i];
      if (records_.enabled(Level::Info)) infos.push_back(section.table().info(o.ticket));
      ended[i] = o.judged ? section.table().end(o.ticket, o.verdict, answers->status[i], at) : section.table().undo(o.ticket);
      if (!answers->status[i]) errors[o.item] = answers->status[i].error();
    }
  }
  for (std::size_t i = 0; i < infos.size(); ++i) record_end(open[i].ticket, open[i].verdict, ended[i], infos[i]);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] && records_.enabled(Level::Debug)) records_.refused(items[i].first, *errors[i], now());
  }
  return errors;
}

Result<Instant> LocalCore::extend(const jobs::ReportTarget& target, Duration d) {
  book_due();
  const Instant at = now();
  Result<Instant> r = [&] {
    Section section(*this);
    return section.table().extend(target, d, at);
  }();
  if (r) {
    records_.extended(target, d, at);
  } else if (r.error().code == ErrorCode::LockCapExceeded) {
    records_.cap_hit(target.worker.str(), r.error().message, at);
  }
  return r;
}

Status LocalCore::unlock(const jobs::ReportTarget& target) {
  book_due();
  const Status s = [&] {
    Section section(*this);
    return section.table().unlock(target, now());
  }();
  if (s) records_.unlocked(target, now());
  return s;
}

}  // namespace headrace::runtime
