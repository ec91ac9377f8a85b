// The contract suite on the stores of this program, and what the fake one adds.

#include <gtest/gtest.h>

#include "contract/store_contract.hpp"
#include "support/fake_store.hpp"

namespace headrace::testing {
namespace {

std::shared_ptr<store::Store> plain() { return store::make_memory_store(); }
std::shared_ptr<store::Store> keeping() { return store::make_memory_store({.keep_state = true}); }
std::shared_ptr<store::Store> fake() { return std::make_shared<FakeStore>(); }
std::shared_ptr<store::Store> calm_fake() {
  return std::make_shared<FakeStore>(FakeStoreOptions{.seed = 2, .conflict_one_in = 0});
}
std::shared_ptr<store::Store> hostile_fake() {
  return std::make_shared<FakeStore>(FakeStoreOptions{.seed = 3, .conflict_one_in = 5, .refused_one_in = 5, .unknown_one_in = 5});
}

const auto kKeeping =
    ::testing::Values(StoreFactory{"KeepingMemory", keeping}, StoreFactory{"CalmFake", calm_fake},
                      StoreFactory{"Fake", fake, true, true}, StoreFactory{"HostileFake", hostile_fake, true, true});

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, kKeeping, name_of_store);
INSTANTIATE_TEST_SUITE_P(PlainStores, StoreContract, ::testing::Values(StoreFactory{"PlainMemory", plain, false}), name_of_store);
INSTANTIATE_TEST_SUITE_P(Stores, KeepingStoreContract, kKeeping, name_of_store);

TEST(FakeStore, AnswersOnlyWhenItIsPumped) {
  // given
  FakeStore store;
  Root root(1);
  const store::Delta delta = root.delta();
  int answers = 0;
  // when
  store.commit({&delta, 1}, [&](auto) { ++answers; });
  // then
  EXPECT_EQ(answers, 0);
  EXPECT_TRUE(store.pump());
  EXPECT_EQ(answers, 1);
  EXPECT_FALSE(store.pump());
}

TEST(FakeStore, AnswersInAnotherOrderThanItWasAsked) {
  // given
  FakeStore store({.seed = 1, .conflict_one_in = 0});
  std::vector<std::uint64_t> order;
  for (std::uint64_t root = 1; root <= 8; ++root) {
    store.load({&root, 1}, [&](std::vector<store::LoadedRoot> found) { order.push_back(found[0].root); });
  }
  // when
  while (store.pump()) {
  }
  // then
  EXPECT_EQ(order.size(), 8U);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(FakeStore, SaysConflictOnceInTenAndWritesNothingThen) {
  // given
  FakeStore store;
  int conflicts = 0;
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    Root root(id);
    const store::Delta delta = root.delta();
    bool conflict = false;
    bool there = false;
    // when
    store.commit({&delta, 1}, [&](std::span<const CommitOutcome> outcome) { conflict = outcome[0] == CommitOutcome::Conflict; });
    store.pump();
    store.load({&id, 1}, [&](std::vector<store::LoadedRoot> found) { there = found[0].state.has_value(); });
    store.pump();
    // then
    ASSERT_NE(conflict, there);
    conflicts += conflict ? 1 : 0;
  }
  EXPECT_NEAR(conflicts, 100, 35);
}

TEST(FakeStore, TheSameSeedGivesTheSameAnswers) {
  // given
  const auto outcomes = [](std::uint64_t seed) {
    FakeStore store({.seed = seed, .conflict_one_in = 3, .refused_one_in = 3, .unknown_one_in = 3});
    std::string all;
    for (std::uint64_t id = 1; id <= 50; ++id) {
      Root root(id);
      const store::Delta delta = root.delta();
      store.commit({&delta, 1},
                   [&](std::span<const CommitOutcome> outcome) { all += static_cast<char>('0' + static_cast<int>(outcome[0])); });
      store.pump();
    }
    return all;
  };
  // when / then
  EXPECT_EQ(outcomes(5), outcomes(5));
  EXPECT_NE(outcomes(5), outcomes(6));
}

}  // namespace
}  // namespace headrace::testing
