#include "headrace/base/variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "headrace/base/value.hpp"
#include "support/allocations/count.hpp"

namespace headrace {
namespace {

Variable var(std::string_view name, const Value& value, std::uint32_t by = Variable::kNobody) {
  const Slice encoded = codec::encode(value);
  return Variable::of(name, encoded.view(), by);
}

VariableBlock block_of(std::initializer_list<std::pair<const char*, Value>> entries) {
  VariableBlock block;
  for (const auto& [name, value] : entries) block.set(var(name, value));
  return block;
}

Value value_of(const VariableBlock& block, std::string_view name) {
  const Variable* v = block.find(name);
  return v == nullptr ? Value("absent") : codec::decode(v->encoded());
}

// An encoded map as a writer without a check would make it: equal keys stay.
Slice raw_map(const std::vector<std::pair<std::string, int>>& entries) {
  codec::Writer w;
  const std::size_t mark = w.begin_map();
  for (const auto& [key, value] : entries) {
    w.key(key);
    w.integer(value);
  }
  w.end(mark, static_cast<std::uint32_t>(entries.size()));
  return w.take();
}

std::vector<std::string> names(const VariableBlock& block) {
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < block.size(); ++i) all.emplace_back(block.at(i).name());
  return all;
}

TEST(Variable, KeepsNameValueHashAndWriter) {
  const Variable v = var("amount", 42, 7);

  EXPECT_EQ(v.name(), "amount");
  EXPECT_EQ(codec::decode(v.encoded()), Value(42));
  EXPECT_EQ(v.hash(), hash32("amount"));
  EXPECT_EQ(v.written_by(), 7U);
}

TEST(Variable, MayHaveAnEmptyName) {
  const Variable v = var("", "x");

  EXPECT_EQ(v.name(), "");
  EXPECT_EQ(codec::decode(v.encoded()), Value("x"));
}

TEST(VariableBlock, AnEmptyBlockHasNothingAndAllocatesNothing) {
  const std::size_t before = test::allocations();

  const VariableBlock block;
  const VariableBlock copy(block);

  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(block.size(), 0U);
  EXPECT_EQ(block.find("a"), nullptr);
  EXPECT_FALSE(block.shared());
  EXPECT_TRUE(copy.same_as(block));
}

TEST(VariableBlock, SetAddsAtTheEndAndTellsTheIndex) {
  VariableBlock block = block_of({{"a", 1}});

  const VariableBlock::Put put = block.set(var("b", 2));

  EXPECT_EQ(put.index, 1U);
  EXPECT_FALSE(put.replaced);
  EXPECT_EQ(value_of(block, "a"), Value(1));
  EXPECT_EQ(value_of(block, "b"), Value(2));
}

TEST(VariableBlock, SetReplacesByNameAndGivesTheOldEntryBack) {
  VariableBlock block = block_of({{"a", 1}, {"b", 2}});

  Variable old;
  const VariableBlock::Put put = block.set(var("a", 3, 5), &old);

  EXPECT_EQ(put.index, 0U);
  EXPECT_TRUE(put.replaced);
  EXPECT_EQ(codec::decode(old.encoded()), Value(1));
  EXPECT_EQ(value_of(block, "a"), Value(3));
  EXPECT_EQ(block.find("a")->written_by(), 5U);
  EXPECT_EQ(block.size(), 2U);
}

TEST(VariableBlock, NamesWithEqualHashesAreDifferentVariables) {
  // two names with equal hash32, found by search over the suffixes
  std::string first;
  std::string second;
  std::vector<std::pair<std::uint32_t, int>> seen;
  for (int i = 0; i < 200'000; ++i) seen.emplace_back(hash32("v" + std::to_string(i)), i);
  std::sort(seen.begin(), seen.end());
  for (std::size_t i = 1; i < seen.size() && first.empty(); ++i) {
    if (seen[i].first != seen[i - 1].first) continue;
    first = "v" + std::to_string(seen[i - 1].second);
    second = "v" + std::to_string(seen[i].second);
  }
  ASSERT_FALSE(first.empty());

  VariableBlock block;
  block.set(var(first, 1));
  block.set(var(second, 2));

  EXPECT_EQ(block.size(), 2U);
  EXPECT_EQ(value_of(block, first), Value(1));
  EXPECT_EQ(value_of(block, second), Value(2));
}

TEST(VariableBlock, AWriteToASharedBlockLeavesTheOtherAsItWas) {
  const VariableBlock published = block_of({{"a", 1}, {"b", 2}});

  VariableBlock replaced = published;
  VariableBlock added = published;
  VariableBlock popped = published;
  VariableBlock put = published;
  replaced.set(var("a", 9));
  added.set(var("c", 3));
  popped.pop_back();
  put.replace_at(1, var("z", 0));

  EXPECT_EQ(names(published), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(value_of(published, "a"), Value(1));
  EXPECT_EQ(value_of(replaced, "a"), Value(9));
  EXPECT_EQ(names(added), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(names(popped), (std::vector<std::string>{"a"}));
  EXPECT_EQ(names(put), (std::vector<std::string>{"a", "z"}));
  EXPECT_FALSE(published.shared());
}

TEST(VariableBlock, ACopySharesUntilItIsWritten) {
  VariableBlock block = block_of({{"a", 1}});
  const std::size_t before = test::allocations();

  VariableBlock copy = block;

  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(copy.same_as(block));
  EXPECT_TRUE(block.shared());
  copy.set(var("a", 2));
  EXPECT_FALSE(copy.same_as(block));
  EXPECT_FALSE(block.shared());
  EXPECT_FALSE(copy.shared());
}

TEST(VariableBlock, AWriteToAnUnsharedBlockWithRoomAllocatesNothing) {
  VariableBlock block;
  block.reserve(3);
  block.set(var("a", 1));
  Variable replacement = var("a", 2);
  Variable addition = var("b", 3);
  Variable other = var("c", 4);
  const std::size_t before = test::allocations();

  block.set(std::move(replacement));
  block.set(std::move(addition));
  block.replace_at(1, std::move(other));
  block.pop_back();

  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(value_of(block, "a"), Value(2));
  EXPECT_EQ(block.size(), 1U);
}

TEST(VariableBlock, ReserveMakesRoomOnce) {
  VariableBlock block;
  std::vector<Variable> many;
  for (int i = 0; i < 100; ++i) many.push_back(var("v" + std::to_string(i), i));
  const std::size_t before = test::allocations();

  block.reserve(100);
  for (Variable& v : many) block.set(std::move(v));
  block.reserve(50);

  EXPECT_EQ(test::allocations(), before + 1);
  EXPECT_EQ(block.size(), 100U);
}

TEST(VariableBlock, GrowsBySetAloneAndKeepsAll) {
  VariableBlock block;

  for (int i = 0; i < 1000; ++i) block.set(var("v" + std::to_string(i), i));

  ASSERT_EQ(block.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(value_of(block, "v" + std::to_string(i)), Value(i));
}

TEST(VariableBlock, PopBackTakesTheLastAddedEntryAndOnAnEmptyBlockDoesNothing) {
  VariableBlock block = block_of({{"a", 1}, {"b", 2}});

  block.pop_back();
  EXPECT_EQ(names(block), (std::vector<std::string>{"a"}));
  block.pop_back();
  block.pop_back();

  EXPECT_EQ(block.size(), 0U);
  EXPECT_EQ(block.find("a"), nullptr);
}

TEST(VariableBlock, PayloadRoundTripKeepsBytesOrderAndWriter) {
  const Value map = ValueMap{{"s", "text"}, {"n", nullptr}, {"l", ValueList{1, ValueMap{{"x", 2.5}}}}, {"", true}};
  const Slice payload = codec::encode(map);

  const VariableBlock block = VariableBlock::from_payload(payload, 4);

  EXPECT_EQ(block.size(), 4U);
  EXPECT_EQ(value_of(block, "l"), *map.find("l"));
  EXPECT_EQ(block.at(2).written_by(), 4U);
  EXPECT_EQ(block.to_payload().view(), payload.view());
}

TEST(VariableBlock, FromPayloadIsOneAllocationWhateverTheNumberOfEntries) {
  for (const int count : {1, 2, 7, 64, 65, 1000}) {
    std::vector<std::pair<std::string, int>> entries;
    for (int i = 0; i < count; ++i) entries.emplace_back("v" + std::to_string(i), i);
    const Slice payload = raw_map(entries);
    const std::size_t before = test::allocations();

    const VariableBlock block = VariableBlock::from_payload(payload);

    EXPECT_EQ(test::allocations(), before + 1) << count;
    EXPECT_EQ(block.size(), static_cast<std::uint32_t>(count));
    EXPECT_EQ(block.to_payload().view(), payload.view());
  }
}

TEST(VariableBlock, AnEmptyPayloadGivesAnEmptyBlockAndBack) {
  const VariableBlock of_map = VariableBlock::from_payload(codec::empty_map());
  const VariableBlock of_nothing = VariableBlock::from_payload(Slice());

  EXPECT_EQ(of_map.size(), 0U);
  EXPECT_EQ(of_nothing.size(), 0U);
  EXPECT_EQ(of_map.to_payload().view(), codec::empty_map().view());
}

TEST(VariableBlock, OfEqualKeysInAPayloadTheLastOneWins) {
  std::vector<std::pair<std::string, int>> many;
  for (int i = 0; i < 200; ++i) many.emplace_back("v" + std::to_string(i % 100), i);

  const VariableBlock small = VariableBlock::from_payload(raw_map({{"a", 1}, {"b", 2}, {"a", 3}, {"c", 4}, {"a", 5}}));
  const VariableBlock large = VariableBlock::from_payload(raw_map(many));

  EXPECT_EQ(names(small), (std::vector<std::string>{"b", "c", "a"}));
  EXPECT_EQ(value_of(small, "a"), Value(5));
  ASSERT_EQ(large.size(), 100U);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(large.at(i).name(), "v" + std::to_string(i));
    EXPECT_EQ(codec::decode(large.at(i).encoded()), Value(static_cast<int>(100 + i)));
  }
}

TEST(VariableBlock, ASplitPayloadKeepsItsBytesAlive) {
  Slice payload = raw_map({{"a", 1}, {"b", 2}});
  VariableBlock block = VariableBlock::from_payload(payload);

  payload = Slice();
  block.set(var("a", 9));

  EXPECT_EQ(value_of(block, "a"), Value(9));
  EXPECT_EQ(value_of(block, "b"), Value(2));
}

TEST(VariableBlock, CopiesMayBeReadAndDroppedOnOtherThreadsWhileTheOwnerWrites) {
  VariableBlock block = block_of({{"a", 0}, {"b", 2}});
  std::vector<std::thread> readers;

  for (int i = 1; i <= 8; ++i) {
    readers.emplace_back([copy = block, i] {
      for (int n = 0; n < 200; ++n) {
        const VariableBlock again = copy;
        EXPECT_EQ(value_of(again, "a"), Value(i - 1));
      }
    });
    block.set(var("a", i));
  }
  for (std::thread& t : readers) t.join();

  EXPECT_EQ(value_of(block, "a"), Value(8));
  EXPECT_FALSE(block.shared());
}

}  // namespace
}  // namespace headrace
