#pragma once
// The records of the job queue (ADR-021 section 6). Each call costs a level test when its level is filtered. Texts never hold
// variables.

#include <memory>
#include <string>

#include "headrace/jobs/table.hpp"
#include "headrace/observe/recorder.hpp"

namespace headrace::runtime {

class LocalRecords {
 public:
  explicit LocalRecords(std::shared_ptr<observe::Recorder> recorder) : recorder_(std::move(recorder)) {}
  bool enabled(observe::Level l) const { return recorder_ && recorder_->enabled(l); }

  void enqueued(const jobs::Job&, Instant) const;
  void fetched(const jobs::LockedJob&, Instant) const;
  void refused(const jobs::ReportTarget&, const Error&, Instant, observe::Level = observe::Level::Debug) const;
  void cap_hit(const jobs::FetchRequest&, const std::string& text, Instant) const;
  void classified(const jobs::Ticket&, const jobs::Verdict&, Instant) const;
  void extended(const jobs::ReportTarget&, Duration, Instant) const;
  void unlocked(const jobs::ReportTarget&, Instant) const;
  void expired(const jobs::JobInfo&, bool counted, Instant) const;
  void stuck(const std::string& topic, Instant) const;
  void about(observe::What, observe::Level, const jobs::JobInfo&, Instant, std::string text = {}, Duration = {}) const;
  void cancelled(const jobs::Job&, Instant) const;

 private:
  std::shared_ptr<observe::Recorder> recorder_;
};

}  // namespace headrace::runtime
