#include "local_answers.hpp"
#include "local_core.hpp"
#include "shard.hpp"

namespace headrace::runtime {

using observe::Level;

std::vector<std::optional<Error>> LocalCore::complete_many(std::vector<std::pair<jobs::ReportTarget, VariableBlock>> items) {
  if (Shard::inside()) return std::vector<std::optional<Error>>(items.size(), inside_a_step());
  if (closed_) return std::vector<std::optional<Error>>(items.size(), closed_engine());
  book_due();
  std::vector<std::optional<Error>> errors(items.size());
  struct Open {
    std::size_t item;
    jobs::Ticket ticket;
    jobs::Verdict verdict;
    bool judged = false;
    bool hidden = false;
  };
  std::vector<Open> open;
  open.reserve(items.size());
  {
    Section section(*this);
    for (std::size_t i = 0; i < items.size(); ++i) {
      Result<jobs::Ticket> t = section.table().begin_report(items[i].first);
      if (t) {
        open.push_back({i, std::move(*t), {}});
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
      answers->give(i, v ? (closed_ ? closed_engine() : no_sink()) : v.error());
      continue;
    }
    o.judged = true;
    o.verdict = std::move(*v);
    if (std::optional<jobs::Outcome> outcome = o.verdict.take_outcome()) {
      sink->report_job_completion({o.ticket.key, std::move(*outcome)},
                                  [answers, i](Status s) { answers->give(i, std::move(s)); });
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
      Open& o = open[i];
      const Status& answer = answers->status[i];
      o.hidden = o.judged && !answer && hidden_from_worker(*o.ticket.service->policy, answer.error());
      if (records_.enabled(Level::Info)) infos.push_back(section.table().info(o.ticket));
      ended[i] = o.judged ? section.table().end(o.ticket, o.verdict, answer, at) : section.table().undo(o.ticket);
      if (!answer) errors[o.item] = answer.error();
    }
  }
  for (std::size_t i = 0; i < infos.size(); ++i) record_end(open[i].ticket, open[i].verdict, ended[i], infos[i]);
  for (std::size_t i = 0, next = 0; i < errors.size(); ++i) {
    while (next < open.size() && open[next].item < i) ++next;
    if (!errors[i]) continue;
    const bool hidden = next < open.size() && open[next].item == i && open[next].hidden;
    records_.refused(items[i].first, *errors[i], now(), hidden ? Level::Warning : Level::Debug);
    if (hidden) errors[i] = undone_step(errors[i]->code);
  }
  return errors;
}

}  // namespace headrace::runtime
