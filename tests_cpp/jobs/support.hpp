#pragma once
// Builders for tests of the job queue.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "headrace/jobs/table.hpp"

namespace headrace::jobs::test {

inline const Instant kStart{1'000'000'000'000};
inline Instant at(double seconds) { return kStart + Duration::micros(static_cast<std::int64_t>(seconds * 1e6)); }

inline policy::Policy default_policy() {
  policy::Policy p;
  p.retry = policy::default_retry();
  return p;
}
// No jitter, so that delays are exact: 500 ms, 1 s, 2 s, …
inline policy::RetryPolicyPtr exact_retry(int attempts) {
  return *policy::exponential_backoff(attempts, Duration::millis(500), Duration::seconds(30), 0.0);
}
inline policy::Policy exact_policy(int attempts = 3) {
  policy::Policy p;
  p.retry = exact_retry(attempts);
  return p;
}
inline policy::Policy camunda7_policy() {
  policy::Policy p;
  p.profile = policy::Profile::Camunda7;
  p.expiry_as_attempt = false;
  return p;
}

inline ServicePtr service(const std::string& topic, policy::Policy p = exact_policy(), std::int64_t priority = 0) {
  auto s = std::make_shared<Service>();
  s->topic = Topic(topic);
  s->node = "pay";
  s->process = "order";
  s->policy = std::make_shared<policy::Policy>(std::move(p));
  s->priority = priority;
  return s;
}
inline JobKey key(std::uint64_t root) { return {root, root, 1, 1}; }
inline Job job(std::uint64_t root, const ServicePtr& s, Instant enqueued = kStart) {
  Job j;
  j.key = key(root);
  j.service = s;
  j.enqueued = enqueued;
  return j;
}
inline FetchRequest request(const std::string& worker, std::vector<std::string> topics, int max_jobs = 1) {
  FetchRequest r;
  r.worker = WorkerId(worker);
  for (std::string& t : topics) r.topics.emplace_back(std::move(t));
  r.max_jobs = max_jobs;
  return r;
}
inline FetchRequest lock_of(FetchRequest r, double seconds) {
  r.lock_duration = Duration::micros(static_cast<std::int64_t>(seconds * 1e6));
  return r;
}
inline ReportTarget by(const std::string& worker, std::uint64_t root, std::optional<std::uint64_t> epoch = {}) {
  return {key(root), WorkerId(worker), epoch};
}

inline Value map_value(ValueMap m) { return Value(std::move(m)); }
inline VariableBlock block(ValueMap m) { return VariableBlock::from_payload(codec::encode(Value(std::move(m)))); }
inline Value value_of(const VariableBlock& b) { return codec::decode(b.to_payload().view()); }
inline ReportFail failure(const std::string& message, std::optional<int> retries = {}, std::optional<Duration> after = {}) {
  ReportFail f;
  f.failure.message = message;
  f.retries = retries;
  f.retry_after = after;
  return f;
}

// A table driven as a dispatcher drives it, on one thread, with a sink that answers what the test says.
struct Bench {
  Table table;
  Instant now = kStart;
  Status sink_says = Ok{};
  double jitter = 0.0;
  std::vector<WorkerOutcome> told;

  std::vector<std::uint64_t> fetch(const FetchRequest& r) {
    std::vector<LockedJob> out;
    const Status s = table.fetch(r, now, out);
    EXPECT_TRUE(s.ok()) << (s.ok() ? "" : s.error().message);
    last = out;
    std::vector<std::uint64_t> roots;
    for (const LockedJob& j : out) roots.push_back(j.job.key.root);
    return roots;
  }
  Status report(const ReportTarget& target, Report report) {
    Result<Ticket> t = table.begin_report(target);
    if (!t) return t.error();
    Result<Verdict> v = classify(*t->service->policy, t->owner, t->attempts, std::move(report), jitter);
    if (!v) {
      table.undo(*t);
      return v.error();
    }
    return settle(*t, std::move(*v));
  }
  Status complete(const ReportTarget& target) { return report(target, ReportComplete{}); }
  void advance_to(Instant t) {
    now = t;
    DueWork work;
    table.run_due(now, work);
    for (const Ticket& ticket : work.tickets) {
      const policy::Policy& p = *ticket.service->policy;
      Verdict v = ticket.cause == Cause::Expiry    ? judge_expiry(p, ticket.attempts, jitter)
                  : ticket.cause == Cause::Timeout ? judge_timeout(p, ticket.attempts)
                                                   : judge_pending(p, ticket.attempts, ticket.timed_out);
      static_cast<void>(settle(ticket, std::move(v)));
    }
    stuck.insert(stuck.end(), work.stuck.begin(), work.stuck.end());
  }
  Status settle(const Ticket& t, Verdict v) {
    Status answer = Ok{};
    if (std::optional<Outcome> o = v.take_outcome()) {
      told.push_back({t.key, std::move(*o)});
      answer = sink_says;
    }
    ended = table.end(t, v, answer, now);
    return answer;
  }
  JobInfo info(std::uint64_t root) const {
    const auto found = table.find(key(root));
    EXPECT_TRUE(found.has_value()) << "job " << root << " is gone";
    return found.value_or(JobInfo());
  }
  bool gone(std::uint64_t root) const { return !table.find(key(root)).has_value(); }
  TopicMetrics metrics(const std::string& topic) const {
    for (const TopicMetrics& m : table.metrics().topics) {
      if (m.topic == topic) return m;
    }
    return {};
  }
  std::vector<LockedJob> last;
  std::vector<std::string> stuck;
  Ended ended;
};

using Roots = std::vector<std::uint64_t>;
inline ErrorCode code_of(const Status& s) { return s.ok() ? ErrorCode::Internal : s.error().code; }

}  // namespace headrace::jobs::test
