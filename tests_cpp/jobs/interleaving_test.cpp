// All schedules of three threads with four calls each, with up to two forced switches. Calls of the table are atomic under the
// dispatcher's mutex, so the places where threads can interleave are those between the begin, the sink and the end of a report,
// the parts of a cancel, and between a due time and its verdict. Each schedule runs on one thread, from the start.

#include <array>
#include <map>
#include <set>

#include "support.hpp"

namespace headrace::jobs::test {
namespace {

enum class Call { Fetch, Extend, Complete, Fail, LastFail, Unlock, Cancel, Enqueue, Pass, Suspend, Resume, Retry };

int steps_of(Call c) {
  switch (c) {
    case Call::Complete:
    case Call::Fail:
    case Call::LastFail:
    case Call::Pass:
      return 3;
    case Call::Cancel:
      return 2;
    default:
      return 1;
  }
}

// The instances behind the queue: what took effect, and what was cancelled.
struct World {
  Bench b;
  std::map<std::uint64_t, int> effects;
  std::set<std::uint64_t> cancelled;  // by the instance: a report that comes later is told so
  std::set<std::uint64_t> withdrawn;
  std::uint64_t enqueued = 0;
  std::map<std::uint64_t, std::uint64_t> epochs;
};

struct Thread {
  std::string name;
  std::array<Call, 4> calls;
  std::size_t call = 0;
  int step = 0;
  std::uint64_t root = 1;  // the job it works on
  std::optional<std::uint64_t> epoch;
  std::vector<Ticket> tickets;
  std::vector<Verdict> verdicts;
  std::vector<Status> answers;

  int steps() const {
    int n = 0;
    for (const Call c : calls) n += steps_of(c);
    return n;
  }
};

void fetch(World& w, Thread& t) {
  const JobState before = w.b.table.find(key(1)) ? w.b.info(1).state : JobState::Completed;
  const Roots got = w.b.fetch(lock_of(request(t.name, {"t"}), 10));
  if (got.empty()) return;
  t.root = got[0];
  t.epoch = w.b.last[0].epoch;
  ASSERT_FALSE(w.withdrawn.contains(t.root)) << "a withdrawn job was fetched";
  ASSERT_TRUE(t.root != 1 || before == JobState::Queued) << "a job was fetched that was not queued";
  ASSERT_GT(*t.epoch, w.epochs[t.root]);
  w.epochs[t.root] = *t.epoch;
}

// The instance's side of a report: exactly one of cancel and effect wins.
Status tell(World& w, const Ticket& t, Verdict& v) {
  if (!v.take_outcome()) return Ok{};
  if (w.cancelled.contains(t.key.root)) return make_error(ErrorCode::JobNotFound, "cancelled");
  if (std::holds_alternative<Finish>(v.is)) ++w.effects[t.key.root];
  return Ok{};
}

void begin(World& w, Thread& t, Call c) {
  if (c == Call::Pass) {
    w.b.now = w.b.now + Duration::seconds(10);
    DueWork due;
    w.b.table.run_due(w.b.now, due);
    t.tickets = due.tickets;
    for (const Ticket& x : t.tickets) t.verdicts.push_back(judge_expiry(*x.service->policy, x.attempts, 0.0));
    return;
  }
  const Result<Ticket> ticket = w.b.table.begin_report(by(t.name, t.root, t.epoch));
  if (!ticket) return;
  Report report = ReportComplete{};
  if (c == Call::Fail) report = failure("no");
  if (c == Call::LastFail) report = failure("no", 0);
  t.tickets.push_back(*ticket);
  t.verdicts.push_back(*classify(*ticket->service->policy, ticket->owner, ticket->attempts, std::move(report), 0.0));
}

void run_step(World& w, Thread& t) {
  const Call c = t.calls[t.call];
  Job gone;
  switch (c) {
    case Call::Fetch:
      fetch(w, t);
      break;
    case Call::Extend:
      static_cast<void>(w.b.table.extend(by(t.name, t.root, t.epoch), Duration::seconds(15), w.b.now));
      break;
    case Call::Unlock:
      static_cast<void>(w.b.table.unlock(by(t.name, t.root, t.epoch), w.b.now));
      break;
    case Call::Enqueue:
      w.enqueued += w.b.table.enqueue(job(2, service("t"), w.b.now)) ? 1 : 0;
      break;
    case Call::Suspend:
      w.b.table.suspend(key(1));
      break;
    case Call::Resume:
      w.b.table.resume(key(1));
      break;
    case Call::Retry:
      static_cast<void>(w.b.table.retry(key(1), 0, w.b.now));
      break;
    case Call::Cancel:
      if (t.step == 0) {
        if (w.effects[1] == 0) w.cancelled.insert(1);
      } else if (w.cancelled.contains(1)) {
        w.b.table.withdraw(key(1), gone);
        w.withdrawn.insert(1);
      }
      break;
    default:
      if (t.step == 0) begin(w, t, c);
      if (t.step == 1) {
        for (std::size_t i = 0; i < t.tickets.size(); ++i) t.answers.push_back(tell(w, t.tickets[i], t.verdicts[i]));
      }
      if (t.step == 2) {
        for (std::size_t i = 0; i < t.tickets.size(); ++i) w.b.table.end(t.tickets[i], t.verdicts[i], t.answers[i], w.b.now);
        t.tickets.clear();
        t.verdicts.clear();
        t.answers.clear();
      }
  }
  if (++t.step == steps_of(c)) {
    t.step = 0;
    ++t.call;
  }
}

void check(const World& w) {
  const TopicMetrics m = w.b.metrics("t");
  ASSERT_EQ(m.queued + m.locked + m.reporting + m.backing_off + m.incidents + m.completed + m.failed + m.cancelled, w.enqueued);
  for (const auto& [root, n] : w.effects) ASSERT_LE(n, 1) << "job " << root << " took effect twice";
}

void check_end(const World& w) {
  const TopicMetrics m = w.b.metrics("t");
  ASSERT_EQ(m.reporting, 0U);
  std::uint64_t effects = 0;
  for (const auto& [root, n] : w.effects) {
    effects += static_cast<std::uint64_t>(n);
    ASSERT_TRUE(n == 0 || w.b.gone(root));
  }
  ASSERT_EQ(m.completed + m.failed, effects);
  ASSERT_TRUE(!w.withdrawn.contains(1) || w.b.gone(1));
}

using Plan = std::array<std::array<Call, 4>, 3>;

// One run of a schedule: the thread of each step.
void run(const Plan& plan, const std::vector<int>& schedule) {
  World w;
  w.b.table.enqueue(job(1, service("t", exact_policy(2)), kStart));
  w.enqueued = 1;
  std::array<Thread, 3> threads;
  for (std::size_t i = 0; i < 3; ++i) {
    threads[i].name = "w" + std::to_string(i);
    threads[i].calls = plan[i];
  }
  for (const int i : schedule) {
    run_step(w, threads[static_cast<std::size_t>(i)]);
    check(w);
    if (testing::Test::HasFatalFailure()) return;
  }
  check_end(w);
}

// All schedules: a thread goes on until it ends or is switched away from by force, at most `forced` times.
void explore(const Plan& plan, std::array<int, 3> left, int at, int forced, std::vector<int>& schedule, std::size_t& runs) {
  if (left[0] + left[1] + left[2] == 0) {
    ++runs;
    run(plan, schedule);
    if (testing::Test::HasFailure()) {
      std::string text;
      for (const int i : schedule) text += std::to_string(i);
      GTEST_FAIL() << "schedule " << text;
    }
    return;
  }
  for (int next = 0; next < 3; ++next) {
    const auto n = static_cast<std::size_t>(next);
    if (left[n] == 0) continue;
    const bool switched = next != at && at >= 0 && left[static_cast<std::size_t>(at)] > 0;
    if (switched && forced == 0) continue;
    --left[n];
    schedule.push_back(next);
    explore(plan, left, next, forced - (switched ? 1 : 0), schedule, runs);
    if (testing::Test::HasFailure()) return;
    schedule.pop_back();
    ++left[n];
  }
}

std::size_t explore(const Plan& plan) {
  std::array<int, 3> left{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Call c : plan[i]) left[i] += steps_of(c);
  }
  std::vector<int> schedule;
  std::size_t runs = 0;
  explore(plan, left, -1, 2, schedule, runs);
  return runs;
}

TEST(Interleaving, TwoWorkersAndACancel) {
  // given two workers that race for one job and an instance that cancels it
  const Plan plan = {{{Call::Fetch, Call::Extend, Call::Complete, Call::Fetch},
                      {Call::Fetch, Call::Complete, Call::Unlock, Call::Fetch},
                      {Call::Enqueue, Call::Cancel, Call::Fetch, Call::Complete}}};
  // when every schedule is run, then no invariant breaks in any
  EXPECT_GT(explore(plan), 1000U);
}

TEST(Interleaving, ALateReportAndTheClock) {
  // given a worker that reports while its lock runs out and another one fetches
  const Plan plan = {{{Call::Fetch, Call::Complete, Call::Fetch, Call::Complete},
                      {Call::Pass, Call::Fetch, Call::Pass, Call::Complete},
                      {Call::Pass, Call::Fetch, Call::Fail, Call::Cancel}}};
  EXPECT_GT(explore(plan), 1000U);
}

TEST(Interleaving, ExhaustionRetryAndCancel) {
  // given failures that exhaust the job, an operator and a cancel
  const Plan plan = {{{Call::Fetch, Call::LastFail, Call::Fetch, Call::Complete},
                      {Call::Retry, Call::Pass, Call::Fetch, Call::Fail},
                      {Call::Cancel, Call::Enqueue, Call::Fetch, Call::LastFail}}};
  EXPECT_GT(explore(plan), 1000U);
}

TEST(Interleaving, SuspendAndResume) {
  // given an instance that is suspended and resumed while workers go on
  const Plan plan = {{{Call::Fetch, Call::Extend, Call::Complete, Call::Unlock},
                      {Call::Suspend, Call::Pass, Call::Resume, Call::Pass},
                      {Call::Fetch, Call::Complete, Call::Cancel, Call::Fetch}}};
  EXPECT_GT(explore(plan), 1000U);
}

TEST(Interleaving, OneWorkerNameOnThreeThreadsIsFencedByTheEpoch) {
  // given three processes that unlock, fail and complete
  const Plan plan = {{{Call::Fetch, Call::Unlock, Call::Fetch, Call::Fail},
                      {Call::Fetch, Call::Fail, Call::Pass, Call::Complete},
                      {Call::Pass, Call::Fetch, Call::Complete, Call::Retry}}};
  EXPECT_GT(explore(plan), 1000U);
}

}  // namespace
}  // namespace headrace::jobs::test
