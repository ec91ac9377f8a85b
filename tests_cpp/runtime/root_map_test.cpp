// The map of roots: open addressing with backward-shift deletion agrees with std::map whatever is put and erased.

#include "runtime/root_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace headrace::runtime {
namespace {

TEST(RootMap, FindsWhatWasPutAndNothingElse) {
  // given
  RootMap m;
  EXPECT_EQ(m.find(1), nullptr);
  m.erase(1);
  // when
  const auto cell = std::make_shared<Cell>(1);
  m.put(cell);
  m.put(std::make_shared<Cell>(1));
  // then: the first one stays
  EXPECT_EQ(m.find(1), cell);
  EXPECT_EQ(m.find(2), nullptr);
  EXPECT_EQ(m.size(), 1U);
}

TEST(RootMap, AgreesWithAMapOnRandomMoves) {
  for (const std::uint64_t range : {8ULL, 100ULL, 5'000ULL}) {
    // given
    std::mt19937_64 random(range);
    RootMap m;
    std::map<std::uint64_t, CellPtr> model;
    for (int i = 0; i < 30'000; ++i) {
      const std::uint64_t root = 1 + random() % range * 16;  // the distance of a shard's roots
      // when
      if (random() % 2 == 0) {
        const auto cell = std::make_shared<Cell>(root);
        m.put(cell);
        model.emplace(root, cell);
      } else {
        m.erase(root);
        model.erase(root);
      }
      // then
      ASSERT_EQ(m.size(), model.size());
      const auto it = model.find(root);
      ASSERT_EQ(m.find(root), it == model.end() ? nullptr : it->second);
    }
    std::size_t seen = 0;
    m.each([&](const CellPtr& cell) {
      ++seen;
      EXPECT_EQ(model.at(cell->root), cell);
    });
    EXPECT_EQ(seen, model.size());
    for (const auto& [root, cell] : model) ASSERT_EQ(m.find(root), cell);
  }
}

TEST(RootMap, ACellThatIsErasedIsLetGo) {
  // given
  RootMap m;
  const auto cell = std::make_shared<Cell>(5);
  m.put(cell);
  // when
  m.erase(5);
  // then
  EXPECT_EQ(cell.use_count(), 1);
}

}  // namespace
}  // namespace headrace::runtime
