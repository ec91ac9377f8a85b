#pragma once
// The inside of LocalDispatcher: the table, its mutex, the waiting fetches. Shared with the waiters and with callbacks that may
// outlive the dispatcher.

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "headrace/runtime/local_dispatcher.hpp"
#include "local_records.hpp"
#include "patience.hpp"

namespace headrace::runtime {

class Waiter;
using WaiterPtr = std::shared_ptr<Waiter>;

class LocalCore : public std::enable_shared_from_this<LocalCore> {
 public:
  LocalCore(std::shared_ptr<Clock>, std::shared_ptr<Random>, std::shared_ptr<observe::Recorder>, LocalDispatcherOptions);

  // A stretch under the mutex. When it ends, waiters are served with what became fetchable, the mutex is released, and only then
  // they are woken and an earlier due time is told.
  class Section {
   public:
    explicit Section(LocalCore& core) : core_(core), lock_(core.mutex_) {}
    ~Section();
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    jobs::Table& table() { return core_.table_; }

   private:
    LocalCore& core_;
    std::unique_lock<BriefMutex> lock_;
  };

  Instant now() const { return clock_->now(); }
  bool manual() const { return clock_->manual(); }
  const LocalRecords& records() const { return records_; }

  Result<std::vector<jobs::LockedJob>> fetch(const jobs::FetchRequest&, Duration wait);
  // Answered at once, or registered in the line of each topic.
  Result<WaiterPtr> start_fetch(const jobs::FetchRequest&);
  void leave(Waiter&);

  Status report(const jobs::ReportTarget&, jobs::Report);
  std::vector<std::optional<Error>> complete_many(std::vector<std::pair<jobs::ReportTarget, VariableBlock>>);
  Result<Instant> extend(const jobs::ReportTarget&, Duration);
  Status unlock(const jobs::ReportTarget&);

  std::size_t run_due(Instant now);
  // What is due inside a call (LocalDispatcherOptions::due_on_call). Quick when nothing is.
  void book_due();
  Instant next_due() const;
  void on_due_changed(UniqueFunction<void()>);
  void bind_sink(jobs::JobCompletionSink* sink) { sink_.store(sink, std::memory_order_release); }
  void close();
  std::uint64_t waiters_looked_at() const { return looks_; }  // inside a Section

  std::atomic<bool> limited{false};  // some topic has max_queued: starts ask

 private:
  friend class Section;
  Result<std::vector<jobs::LockedJob>> fetch_now(const jobs::FetchRequest&);
  // Jobs in `out`, or a registered waiter when there are none and it may wait.
  Result<WaiterPtr> look(const jobs::FetchRequest&, bool may_wait, std::vector<jobs::LockedJob>& out);
  void enter_lines(Waiter&);
  void leave_lines(Waiter&);
  void serve(std::vector<WaiterPtr>& answered);
  Waiter* oldest_waiter();
  Instant due_time() const;

  Result<jobs::Ticket> begin(const jobs::ReportTarget&);
  // The verdict on a report; an error has undone it already.
  Result<jobs::Verdict> judge(const jobs::Ticket&, jobs::Report);
  Status tell(const jobs::Ticket&, jobs::Outcome);
  void end(const jobs::Ticket&, jobs::Verdict, const Status& answer);
  void record_end(const jobs::Ticket&, const jobs::Verdict&, const jobs::Ended&, const jobs::JobInfo&);
  void settle_due(const jobs::Ticket&);
  double jitter() { return random_ ? random_->next() : 0.0; }

  std::shared_ptr<Clock> clock_;
  std::shared_ptr<Random> random_;
  LocalRecords records_;
  LocalDispatcherOptions options_;
  std::atomic<jobs::JobCompletionSink*> sink_{nullptr};

  mutable BriefMutex mutex_;
  jobs::Table table_;
  // Waiting fetches by topic, oldest first. Not owned: one that nobody holds any more leaves by its destructor.
  std::unordered_map<std::string, std::list<Waiter*>> lines_;
  std::vector<Topic> fresh_;
  std::uint64_t arrivals_ = 0;
  std::atomic<bool> closed_{false};
  int held_ = 0;  // hand-driven: all that is due at one time happens before waiters are served with any of it
  std::uint64_t looks_ = 0;
  // The earliest due time: read without the mutex by calls that only want to know whether something is due.
  mutable std::atomic<std::int64_t> due_{Instant::never().us};
  mutable Instant told_due_ = Instant::never();  // what next_due() or the callback told last
  std::shared_ptr<UniqueFunction<void()>> due_changed_;
};

}  // namespace headrace::runtime
