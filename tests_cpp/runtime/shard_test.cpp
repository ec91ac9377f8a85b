// The single writer of its roots (design 1.4, 1.5): one batch, one commit, effects and answers after it; conflicts, refusals and
// unknown outcomes.

#include "runtime/shard.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "headrace/model/builder.hpp"
#include "headrace/store/memory.hpp"
#include "support/fake_store.hpp"

namespace headrace::runtime {
namespace {

using headrace::testing::FakeStore;
using headrace::testing::FakeStoreOptions;

model::DefinitionPtr signing() {
  model::Builder b("order");
  b.add_node(model::ElementKind::StartEvent, "start", "", "", {});
  b.add_node(model::ElementKind::UserTask, "sign", "", "", {});
  b.add_node(model::ElementKind::EndEvent, "end", "", "", {});
  b.add_flow("f1", "start", "sign", std::nullopt);
  b.add_flow("f2", "sign", "end", std::nullopt);
  return b.build().definition;
}

class Host final : public ShardHost, public core::Definitions {
 public:
  void perform(Cell& cell, core::Effect& e) override {
    if (std::holds_alternative<core::FinishInstance>(e)) story += "finish " + std::to_string(cell.root) + "\n";
  }
  void committed(Cell& cell, std::span<const core::Event>, std::uint64_t steps, Instant) override {
    story += "commit " + std::to_string(cell.root) + " x" + std::to_string(steps) + "\n";
  }
  void undone(Cell&, std::uint64_t steps, bool) override { undone_steps += steps; }
  const core::Definitions& definitions() const override { return *this; }
  bool hand_over(Shard& shard) override {
    if (taker) taker(shard);
    return taker ? true : false;
  }
  model::DefinitionPtr find(std::string_view, std::uint32_t) const override { return definition; }

  model::DefinitionPtr definition = signing();
  std::string story;
  std::uint64_t undone_steps = 0;
  UniqueFunction<void(Shard&)> taker;
};

struct World {
  explicit World(std::shared_ptr<store::Store> s) : store(std::move(s)), shard(host, *store, 100) {}
  Host host;
  std::shared_ptr<store::Store> store;
  Shard shard;
  std::vector<std::pair<std::string, Status>> answers;

  Item item(std::uint64_t root, core::Action action, std::string name) {
    Item i;
    i.root = root;
    i.command.action = std::move(action);
    i.done = [this, name = std::move(name)](Status s) {
      answers.emplace_back(name, std::move(s));
      host.story += "answer " + name + "\n";
    };
    return i;
  }
  Item start(std::uint64_t root) {
    core::StartInstance s;
    s.root = root;
    s.definition = host.definition;
    Item i = item(root, std::move(s), "start " + std::to_string(root));
    i.cell = std::make_shared<Cell>(root);
    return i;
  }
  void pump() {
    while (store->pump()) {
    }
  }
  core::InstanceState state(std::uint64_t root) {
    const CellPtr cell = shard.find(root);
    return cell ? cell->state.load() : core::InstanceState::Failed;
  }
};

TEST(Shard, PerformsEffectsAndAnswersOnlyAfterTheCommit) {
  // given: a store that answers later
  World w(std::make_shared<FakeStore>(FakeStoreOptions{.seed = 1, .conflict_one_in = 0}));
  w.shard.submit(w.start(1));
  EXPECT_EQ(w.host.story, "");
  w.pump();
  EXPECT_EQ(w.host.story, "commit 1 x1\nanswer start 1\n");
  w.host.story.clear();
  // when
  w.shard.submit(w.item(1, core::CompleteUserTask{1, {}}, "complete"));
  EXPECT_EQ(w.host.story, "");
  w.pump();
  // then
  EXPECT_EQ(w.host.story, "commit 1 x1\nfinish 1\nanswer complete\n");
  EXPECT_EQ(w.state(1), core::InstanceState::Completed);
}

TEST(Shard, CommandsOfOneRootThatMeetACommitUnderWayShareTheNext) {
  // given
  World w(std::make_shared<FakeStore>(FakeStoreOptions{.seed = 1, .conflict_one_in = 0}));
  w.shard.submit(w.start(1));
  w.pump();
  w.host.story.clear();
  // when: three while the first one's load or commit is out
  for (const char* name : {"a", "b", "c", "d"}) w.shard.submit(w.item(1, core::SetVariables{}, name));
  w.shard.submit(w.item(1, core::Suspend{}, "suspend"));
  w.pump();
  // then: answered in order, in fewer commits than commands
  std::string order;
  for (const auto& [name, status] : w.answers) order += name + " ";
  EXPECT_EQ(order, "start 1 a b c d suspend ");
  EXPECT_NE(w.host.story.find(" x5"), std::string::npos) << w.host.story;
}

TEST(Shard, ARefusedCommandIsAnsweredWithoutTheStore) {
  // given
  World w(store::make_memory_store());
  w.shard.submit(w.start(1));
  w.host.story.clear();
  // when
  w.shard.submit(w.item(1, core::Resume{}, "resume"));
  // then
  EXPECT_EQ(w.host.story, "answer resume\n");
  EXPECT_EQ(w.answers.back().second.error().code, ErrorCode::Conflict);
}

TEST(Shard, AnUnknownRootIsToldByWhatWasAsked) {
  // given
  World w(store::make_memory_store());
  bool looked = false;
  Item look;
  look.root = 9;
  look.look = [&](Cell* c) { looked = c == nullptr; };
  // when
  w.shard.submit(w.item(9, core::Suspend{}, "suspend"));
  w.shard.submit(w.item(9, core::ReportOutcome{{9, 9, 1, 1}, jobs::OutcomeCompleted{}}, "report"));
  w.shard.submit(std::move(look));
  // then
  EXPECT_EQ(w.answers[0].second.error().code, ErrorCode::InstanceNotFound);
  EXPECT_EQ(w.answers[1].second.error().code, ErrorCode::JobNotFound);
  EXPECT_TRUE(looked);
}

TEST(Shard, ARefusedCommitUndoesTheStepAndItsNeighboursStand) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    // given
    World w(std::make_shared<FakeStore>(FakeStoreOptions{.seed = seed, .conflict_one_in = 0, .refused_one_in = 3}));
    // when
    for (std::uint64_t root = 1; root <= 6; ++root) w.shard.submit(w.start(root));
    w.pump();
    // then
    ASSERT_EQ(w.answers.size(), 6U);
    for (const auto& [name, status] : w.answers) {
      const std::uint64_t root = std::stoull(name.substr(6));
      EXPECT_EQ(w.shard.find(root) != nullptr, status.ok()) << name;
      if (!status.ok()) {
        EXPECT_EQ(status.error().code, ErrorCode::Store);
      }
    }
  }
}

TEST(Shard, ConflictsAndUnknownOutcomesAreReadBackAndNeverDoubleAStep) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    // given
    World w(std::make_shared<FakeStore>(FakeStoreOptions{.seed = seed, .conflict_one_in = 3, .unknown_one_in = 3}));
    w.shard.submit(w.start(1));
    w.pump();
    // when: fifty switches, each of which fails when it came twice
    for (int i = 0; i < 25; ++i) {
      w.shard.submit(w.item(1, core::Suspend{}, "suspend"));
      w.shard.submit(w.item(1, core::Resume{}, "resume"));
    }
    w.pump();
    // then
    ASSERT_EQ(w.answers.size(), 51U);
    for (const auto& [name, status] : w.answers)
      ASSERT_TRUE(status.ok()) << "seed " << seed << ", " << name << ": " << status.error().message;
  }
}

TEST(Shard, ARootThatOthersKeepMovingOnIsGivenUp) {
  // given: every commit is a conflict
  World w(std::make_shared<FakeStore>(FakeStoreOptions{.seed = 1, .conflict_one_in = 1}));
  // when
  w.shard.submit(w.start(1));
  w.pump();
  // then
  ASSERT_EQ(w.answers.size(), 1U);
  EXPECT_EQ(w.answers[0].second.error().code, ErrorCode::Store);
  EXPECT_EQ(w.shard.find(1), nullptr);
}

TEST(Shard, AnItemThatComesFromInsideIsDoneBehindTheBatchNotInIt) {
  // given
  World w(store::make_memory_store());
  w.shard.submit(w.start(1));
  w.host.story.clear();
  Item first = w.item(1, core::Suspend{}, "suspend");
  first.done = [&w](Status) {
    EXPECT_TRUE(Shard::inside());
    w.shard.submit(w.item(1, core::Resume{}, "resume"));
    w.host.story += "answer suspend\n";
  };
  // when
  w.shard.submit(std::move(first));
  // then
  EXPECT_EQ(w.host.story, "commit 1 x1\nanswer suspend\ncommit 1 x1\nanswer resume\n");
  EXPECT_FALSE(Shard::inside());
}

// A drain of 5,000 items, at whose end another one waits.
void drain_long(World& w, UniqueFunction<void()> last) {
  Item first;
  first.root = 1;
  first.look = [&w, last = std::move(last)](Cell*) mutable {
    for (int i = 0; i < 5'000; ++i) {
      Item more;
      more.root = 1;
      if (i < 4'999) {
        more.look = [](Cell*) {};
      } else {
        more.look = [&w, last = std::move(last)](Cell*) mutable {
          Item after;
          after.root = 1;
          after.look = [last = std::move(last)](Cell*) mutable { last(); };
          w.shard.submit(std::move(after));
        };
      }
      w.shard.submit(std::move(more));
    }
  };
  w.shard.submit(std::move(first));
}

TEST(Shard, ALongDrainIsHandedOverAndPickedUpByOneThread) {
  // given
  World w(store::make_memory_store());
  w.shard.submit(w.start(1));
  Shard* handed = nullptr;
  w.host.taker = [&](Shard& s) { handed = &s; };
  bool last = false;
  // when
  drain_long(w, [&] { last = true; });
  // then
  ASSERT_EQ(handed, &w.shard);
  EXPECT_FALSE(last);
  w.shard.pick_up();
  EXPECT_TRUE(last);
  w.shard.pick_up();  // nothing is left of it
  bool next = false;
  Item item;
  item.root = 1;
  item.look = [&](Cell*) { next = true; };
  w.shard.submit(std::move(item));
  EXPECT_TRUE(next);
}

TEST(Shard, ALongDrainThatNobodyTakesGoesOnWhereItIs) {
  // given
  World w(store::make_memory_store());
  w.shard.submit(w.start(1));
  bool last = false;
  // when
  drain_long(w, [&] { last = true; });
  // then
  EXPECT_TRUE(last);
}

TEST(Shard, AnAnswerOfTheStoreThatComesAfterTheEndIsDropped) {
  // given
  const auto store = std::make_shared<FakeStore>(FakeStoreOptions{.seed = 1});
  auto w = std::make_unique<World>(store);
  w->shard.submit(w->start(1));
  ASSERT_EQ(store->waiting(), 1U);
  // when
  w.reset();
  // then: nothing that is gone is touched (the address sanitizer looks)
  EXPECT_TRUE(store->pump());
}

TEST(Shard, ManyThreadsLoseNothing) {
  // given
  World w(store::make_memory_store({.keep_state = true}));
  w.shard.submit(w.start(1));
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  // when
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2'000; ++i) {
        Item item;
        item.root = 1;
        item.command.action = core::SetVariables{};
        item.done = [&taken](Status s) { taken += s.ok() ? 1 : 0; };
        w.shard.submit(std::move(item));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  // then
  EXPECT_EQ(taken, 8'000);
  EXPECT_EQ(w.shard.find(1)->inst.sequence, 8'001U);
}

}  // namespace
}  // namespace headrace::runtime
