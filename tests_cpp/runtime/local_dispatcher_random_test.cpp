// Random calls against the invariants J1-J8 and J10-J13 of reference/invariants.md, with a shadow of what workers know: holders,
// deadlines and ready times are kept here by the rules, not read from the table. Each invariant counts how often its premise
// held.

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "local_support.hpp"

namespace headrace::runtime::test {
namespace {

using jobs::JobInfo;
using jobs::JobState;

constexpr Duration kCap = Duration::seconds(60);
constexpr int kMost = 3;  // executions

struct Shadow {
  std::string topic;
  std::int64_t priority = 0;
  std::uint64_t arrival = 0;
  std::string holder;
  std::uint64_t epoch = 0;
  Instant deadline, first_lock;
  bool locked = false, suspended = false, final = false, incident = false, charged = false;
  Instant ready = Instant::never();  // fetchable from then on, once it is queued; never while locked or in an incident
  int spent = 0, most = kMost, expiries = 0, effects = 0;
};

class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {
    q_.queue.configure_topic(Topic("a"), {std::nullopt, kCap, std::nullopt});
    q_.queue.configure_topic(Topic("b"), {std::nullopt, kCap, std::nullopt});
  }

  void step() {
    switch (pick(12)) {
      case 0:
      case 1:
        enqueue();
        break;
      case 2:
      case 3:
        fetch();
        break;
      case 4:
        complete();
        break;
      case 5:
        fail();
        break;
      case 6:
        extend();
        break;
      case 7:
        unlock();
        break;
      case 8:
        pass();
        break;
      case 9:
        pick(3) == 0 ? withdraw() : wait();
        break;
      case 10:
        suspend_or_resume();
        break;
      case 11:
        retry();
        break;
    }
    check();
  }
  // Faults off and a worker that completes: every job is final in bounded time (J12).
  void drain() {
    waiter_.reset();
    for (auto& [root, s] : jobs_) {
      if (s.suspended) q_.queue.resume(key(root));
    }
    const Instant end = now() + Duration::seconds(3 * 60 + 3 * 30 + 1);
    for (int turn = 0; turn < 10'000 && !q_.queue.list().empty() && now() <= end; ++turn) {
      for (const JobInfo& i : q_.queue.list()) {  // locks of workers that are gone may still use up attempts
        ASSERT_TRUE(i.state != JobState::Incident || q_.queue.retry(i.key, 0).ok());
      }
      for (const std::uint64_t root : q_.fetch(request("last", {"a", "b"}, 10'000))) {
        ASSERT_TRUE(q_.complete("last", root).ok());
        ++premise["J12"];
      }
      if (q_.queue.next_due() == Instant::never()) continue;
      q_.clock->set(q_.queue.next_due());
      q_.queue.run_due(now());
    }
    ASSERT_TRUE(q_.queue.list().empty()) << "jobs are left: J12";
    std::map<std::uint64_t, int> effects;
    for (const jobs::WorkerOutcome& o : q_.sink.told()) {
      if (std::holds_alternative<jobs::OutcomeCompleted>(o.outcome)) ++effects[o.key.root];
    }
    for (const auto& [root, s] : jobs_) ASSERT_EQ(effects[root], withdrawn_.contains(root) ? 0 : 1) << "J5 of job " << root;
    premise["J5"] += jobs_.size();
  }

  std::map<std::string, std::size_t> premise;

 private:
  Instant now() const { return q_.clock->now(); }
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  std::uint64_t any_root() { return jobs_.empty() ? 1 : 1 + pick(jobs_.size() + 1); }
  std::string any_worker() { return "w" + std::to_string(pick(3)); }
  Shadow* shadow(std::uint64_t root) {
    const auto it = jobs_.find(root);
    return it == jobs_.end() ? nullptr : &it->second;
  }
  std::string picture(std::uint64_t root) const {
    const auto i = q_.queue.find(key(root));
    if (!i) return "gone";
    return std::string(name_of(i->state)) + i->worker.str() + to_text(i->deadline) + to_text(i->first_lock) +
           std::to_string(i->epoch) + std::to_string(i->failures) + std::to_string(i->expiries) +
           std::to_string(i->retries.value_or(-1)) + i->last_error;
  }

  void enqueue() {
    const std::uint64_t root = jobs_.size() + 1;
    Shadow s;
    s.topic = pick(2) == 0 ? "a" : "b";
    s.priority = static_cast<std::int64_t>(pick(2));
    s.arrival = root;
    s.ready = now();
    ASSERT_TRUE(q_.queue.enqueue(job(root, service(s.topic, exact_policy(kMost), s.priority), now())).ok());
    jobs_[root] = s;
    take_waiter();
  }

  void locked(const jobs::LockedJob& j) {
    Shadow& s = jobs_.at(j.job.key.root);
    ASSERT_FALSE(s.final) << "J1";
    ASSERT_FALSE(s.locked && now() < s.deadline) << "J2: two live locks";
    ASSERT_GT(j.epoch, s.epoch) << "J2";
    ASSERT_FALSE(withdrawn_.contains(j.job.key.root)) << "J10";
    ASSERT_LE(s.ready, now()) << "J8: before its delay was over";
    ++premise["J2"];
    if (s.spent > 0) ++premise["J8"];
    if (!withdrawn_.empty()) ++premise["J10"];
    s.holder = j.worker.str();
    s.epoch = j.epoch;
    s.deadline = j.deadline;
    s.first_lock = now();
    s.locked = true;
    s.charged = false;
    s.ready = Instant::never();
  }

  bool fetchable(const Shadow& s) const { return !s.final && !s.suspended && !s.incident && !s.locked && s.ready <= now(); }

  void fetch() {
    book();
    const bool both = pick(2) == 0;
    jobs::FetchRequest r = request(any_worker(), both ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a"},
                                   static_cast<int>(1 + pick(3)));
    r.lock_duration = pick(4) == 0 ? Duration::millis(500) : Duration::seconds(static_cast<std::int64_t>(5 + pick(20)));
    const auto found = q_.queue.fetch_and_lock(r, Duration{});
    ASSERT_TRUE(found.ok());
    ASSERT_LE(found->size(), static_cast<std::size_t>(r.max_jobs)) << "J11";
    for (const jobs::LockedJob& j : *found) {
      const Shadow& s = jobs_.at(j.job.key.root);
      ASSERT_TRUE(both || s.topic == "a") << "J11";
      ++premise["J11"];
      for (const auto& [other, o] : jobs_) {  // nothing fetchable of this topic goes before it
        if (o.topic != s.topic || !fetchable(o)) continue;
        ASSERT_FALSE(std::tuple(-o.priority, o.ready, o.arrival) < std::tuple(-s.priority, s.ready, s.arrival))
            << "J7: job " << other;
        if (other != j.job.key.root) ++premise["J7"];
      }
      locked(j);
    }
  }

  // A report by somebody: accepted exactly when it is the holder's, of its epoch, and the instance runs.
  bool accepted(std::uint64_t root, const jobs::ReportTarget& t, jobs::Report r) {
    const Shadow* s = shadow(root);
    const bool expected = s != nullptr && !s->final && !s->holder.empty() && s->holder == t.worker.str() &&
                          (!t.epoch || *t.epoch == s->epoch) && !s->suspended;
    const std::string before = picture(root);
    const Status answer = q_.queue.report(t, std::move(r));
    EXPECT_EQ(answer.ok(), expected) << "J3: job " << root << ": " << (answer.ok() ? "" : answer.error().message);
    ++premise[expected ? "J3 accepted" : "J3 refused"];
    EXPECT_TRUE(expected || picture(root) == before) << "J3: a refused report changed the job";
    if (expected && s->incident) ++premise["J3 closes an incident"];
    if (expected && s->locked && now() >= s->deadline) ++premise["J3 late"];
    return answer.ok();
  }
  jobs::ReportTarget some_target(std::uint64_t root) {
    const Shadow* s = shadow(root);
    jobs::ReportTarget t{key(root), WorkerId(s != nullptr && !s->holder.empty() && pick(4) != 0 ? s->holder : any_worker()), {}};
    if (pick(2) == 0) t.epoch = s != nullptr && pick(4) != 0 ? s->epoch : pick(3);
    return t;
  }

  void complete() {
    book();
    const std::uint64_t root = any_root();
    const jobs::ReportTarget t = some_target(root);
    if (!accepted(root, t, jobs::ReportComplete{})) return;
    ASSERT_EQ(picture(root), "gone") << "J6";
    ++premise["J6"];
    finish(jobs_.at(root));
    ASSERT_EQ(q_.queue.report(t, jobs::ReportComplete{}).error().code, ErrorCode::JobNotFound) << "J6: a second effect";
  }
  static void finish(Shadow& s) {
    s.final = true;
    s.locked = s.incident = false;
    s.holder.clear();
  }

  void fail() {
    book();
    const std::uint64_t root = any_root();
    std::optional<int> left;
    if (pick(4) == 0) left = static_cast<int>(pick(3));
    const jobs::ReportTarget t = some_target(root);
    if (!accepted(root, t, failure("no", left))) return;
    Shadow& s = jobs_.at(root);
    s.holder.clear();
    if (!left) {
      if (s.charged || s.incident) return;  // its text was added
      charge(s, now());
    } else if (*left == 0) {
      s.incident = true;
      s.locked = false;
    } else {
      s.most = *left;
      s.spent = 0;
      s.incident = s.locked = false;
      s.ready = now();
      s.charged = true;
    }
  }
  // One attempt is gone: the delays are 500 ms and 1 s, counted by what is left of three.
  void charge(Shadow& s, Instant from) {
    ++s.spent;
    s.charged = true;
    s.locked = false;
    const int left = s.most - s.spent;
    s.incident = left <= 0;
    const int shifted = s.most == kMost ? s.spent : std::clamp(kMost - left, 1, kMost - 1);
    s.ready = from + Duration::millis(shifted >= 2 ? 1000 : 500);
  }

  void extend() {
    book();
    const std::uint64_t root = any_root();
    const Duration d = Duration::seconds(static_cast<std::int64_t>(1 + pick(60)));
    const jobs::ReportTarget t = some_target(root);
    Shadow* s = shadow(root);
    const bool holds =
        s != nullptr && !s->final && s->holder == t.worker.str() && !s->holder.empty() && (!t.epoch || *t.epoch == s->epoch);
    const bool expected = holds && s->locked && now() < s->deadline && now() + d <= s->first_lock + kCap;
    const std::string before = picture(root);
    const auto answer = q_.queue.extend_lock(t, d);
    ASSERT_EQ(answer.ok(), expected) << "J4";
    ++premise[expected ? "J4 extended" : "J4 refused"];
    if (!expected) {
      ASSERT_EQ(picture(root), before) << "J4: clamped";
      return;
    }
    ASSERT_EQ(*answer, now() + d) << "J4";
    s->deadline = *answer;
  }

  void unlock() {
    book();
    const std::uint64_t root = any_root();
    const jobs::ReportTarget t = some_target(root);
    if (!q_.queue.unlock(t).ok()) return;
    Shadow& s = jobs_.at(root);
    ASSERT_EQ(s.holder, t.worker.str());
    s.holder.clear();
    if (!s.locked) return;
    s.locked = false;
    s.ready = now();
    take_waiter();
  }

  void withdraw() {
    const std::uint64_t root = any_root();
    ASSERT_TRUE(q_.queue.withdraw(key(root)).ok());
    Shadow* s = shadow(root);
    if (s == nullptr || s->final) return;
    finish(*s);
    withdrawn_.insert(root);
  }

  void wait() {
    if (waiter_) return;
    book();
    auto w = q_.queue.start_fetch(lock_of(request("waiter", {"b"}), 10));
    ASSERT_TRUE(w.ok());
    waiter_ = *w;
    take_waiter();
  }
  void take_waiter() {
    if (!waiter_ || !waiter_->ready()) return;
    if (pick(3) == 0) {  // the poller has gone: its job comes back at no cost, to its old place in line
      ++premise["J13 gone"];
      for (auto& [root, s] : jobs_) {
        const auto info = q_.queue.find(key(root));
        if (!info || info->state != JobState::Locked || info->worker.str() != "waiter" || s.locked) continue;
        s.holder.clear();
      }
      waiter_.reset();
      return;
    }
    const auto jobs = waiter_->take();
    ASSERT_TRUE(jobs.ok());
    for (const jobs::LockedJob& j : *jobs) locked(j);
    if (!jobs->empty()) ++premise["J13"];
    waiter_.reset();
  }

  void suspend_or_resume() {
    const std::uint64_t root = any_root();
    Shadow* s = shadow(root);
    if (s == nullptr || s->final) return;
    s->suspended = !s->suspended;
    s->suspended ? q_.queue.suspend(key(root)) : q_.queue.resume(key(root));
    if (!s->suspended) take_waiter();
  }

  void retry() {
    const std::uint64_t root = any_root();
    Shadow* s = shadow(root);
    const int n = static_cast<int>(pick(3));
    const Status answer = q_.queue.retry(key(root), n);
    ASSERT_EQ(answer.ok(), s != nullptr && s->incident);
    if (!answer) return;
    s->incident = s->charged = false;
    s->spent = s->expiries = 0;
    s->most = n == 0 ? kMost : n;
    s->ready = now();
    take_waiter();
  }

  void pass() {
    time_to(now() + (pick(3) == 0 ? Duration::seconds(30) : Duration::millis(static_cast<std::int64_t>(pick(3000)))));
  }
  void time_to(Instant t) {
    q_.clock->set(t);
    book();
  }
  // The queue's time takes effect, and the shadow's by the same rules: expiries in the order of their deadlines.
  void book() {
    q_.queue.run_due(now());
    for (auto& [root, s] : jobs_) {
      if (s.final || !s.locked || now() < s.deadline) continue;
      s.locked = false;
      s.ready = s.deadline;
      if (s.suspended || s.deadline - s.first_lock < Duration::seconds(1)) continue;
      ++premise["expiry"];
      ++s.expiries;
      const Instant at = s.deadline;
      charge(s, at);
      if (s.expiries == 1) s.ready = at;
    }
    take_waiter();
  }

  void check() {
    std::uint64_t sum = 0, enqueued = 0;
    for (const jobs::TopicMetrics& m : q_.queue.metrics().topics) {
      sum += m.queued + m.locked + m.reporting + m.backing_off + m.incidents + m.completed + m.failed + m.cancelled;
      enqueued += m.enqueued;
    }
    ASSERT_EQ(sum, jobs_.size()) << "J1";
    ASSERT_EQ(enqueued, jobs_.size()) << "J1";
    ++premise["J1"];
    for (auto& [root, s] : jobs_) {
      const auto info = q_.queue.find(key(root));
      ASSERT_EQ(info.has_value(), !s.final) << "J1: job " << root;
      if (!info) continue;
      ASSERT_EQ(info->state == JobState::Incident, s.incident) << "J8: job " << root << " is " << name_of(info->state);
      ASSERT_LE(s.spent, s.most) << "J8";
      if (waiter_ && s.topic == "b") {
        ASSERT_FALSE(info->state == JobState::Queued && !info->suspended && !waiter_->ready())
            << "J13: a waiter sleeps while job " << root << " waits";
      }
    }
  }

  std::mt19937 random_;
  HandQueue q_;
  std::map<std::uint64_t, Shadow> jobs_;
  std::set<std::uint64_t> withdrawn_;
  std::shared_ptr<FetchWaiter> waiter_;
};

TEST(RandomCalls, KeepTheInvariants) {
  std::map<std::string, std::size_t> premise;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    // given a queue
    RandomRun run(seed);
    // when 200 random calls come, and then only honest work
    for (int i = 0; i < 200; ++i) {
      run.step();
      if (HasFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
    run.drain();
    if (HasFailure()) FAIL() << "seed " << seed << ", drain";
    for (const auto& [name, n] : run.premise) premise[name] += n;
  }
  // then no invariant broke, and each had its chance
  for (const char* name : {"J1", "J2", "J3 accepted", "J3 refused", "J3 closes an incident", "J4 extended", "J4 refused", "J5",
                           "J6", "J7", "J8", "J10", "J11", "J12", "J13", "J13 gone", "expiry"}) {
    EXPECT_GT(premise[name], 0U) << "the premise of " << name << " never held";
    RecordProperty(name, static_cast<int>(premise[name]));
  }
}

}  // namespace
}  // namespace headrace::runtime::test
