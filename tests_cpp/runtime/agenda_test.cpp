// The agenda: what is due when.

#include "runtime/agenda.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace headrace::runtime {
namespace {

std::vector<std::uint64_t> ids(const std::vector<AgendaKey>& keys) {
  std::vector<std::uint64_t> all;
  for (const AgendaKey& k : keys) all.push_back(k.id);
  return all;
}

TEST(Agenda, GivesWhatIsDueByTimeThenByArrival) {
  // given
  Agenda a;
  a.put({1, 1}, Instant{30});
  a.put({1, 2}, Instant{10});
  a.put({2, 3}, Instant{30});
  a.put({2, 4}, Instant{31});
  // when
  const std::vector<AgendaKey> due = a.take_due(Instant{30});
  // then
  EXPECT_EQ(ids(due), (std::vector<std::uint64_t>{2, 1, 3}));
  EXPECT_EQ(a.next(), Instant{31});
  EXPECT_EQ(a.size(), 1U);
}

TEST(Agenda, AnEntryOfTheSameKeyIsReplaced) {
  // given
  Agenda a;
  a.put({1, 1}, Instant{10});
  // when
  a.put({1, 1}, Instant{20});
  // then
  EXPECT_TRUE(a.take_due(Instant{10}).empty());
  EXPECT_EQ(a.take_due(Instant{20}).size(), 1U);
  EXPECT_EQ(a.next(), Instant::never());
}

TEST(Agenda, WhatIsRemovedIsNeverDue) {
  // given
  Agenda a;
  a.put({1, 1}, Instant{10});
  // when
  a.remove({1, 1});
  a.remove({1, 1});
  // then
  EXPECT_TRUE(a.take_due(Instant{99}).empty());
}

TEST(Agenda, TellsWhenTheEarliestTimeMovesForwardOnly) {
  // given
  Agenda a;
  int told = 0;
  a.on_earlier([&told] { ++told; });
  // when / then
  a.put({1, 1}, Instant{20});
  EXPECT_EQ(told, 1);
  a.put({1, 2}, Instant{20});
  a.put({1, 3}, Instant{30});
  EXPECT_EQ(told, 1);
  a.put({1, 3}, Instant{10});
  EXPECT_EQ(told, 2);
}

TEST(Agenda, AgreesWithASortedListOnRandomMoves) {
  // given
  std::mt19937 random(7);
  Agenda a;
  std::map<std::uint64_t, std::int64_t> model;
  std::int64_t now = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t id = random() % 50;
    // when
    switch (random() % 3) {
      case 0: {
        const std::int64_t due = now + static_cast<std::int64_t>(random() % 100);
        a.put({id % 5, id}, Instant{due});
        model[id] = due;
        break;
      }
      case 1:
        a.remove({id % 5, id});
        model.erase(id);
        break;
      default: {
        now += static_cast<std::int64_t>(random() % 20);
        std::map<std::uint64_t, bool> taken;
        for (const AgendaKey& k : a.take_due(Instant{now})) taken[k.id] = true;
        for (auto it = model.begin(); it != model.end();) {
          ASSERT_EQ(taken.contains(it->first), it->second <= now);
          it = it->second <= now ? model.erase(it) : std::next(it);
        }
      }
    }
    // then
    ASSERT_EQ(a.size(), model.size());
  }
}

}  // namespace
}  // namespace headrace::runtime
