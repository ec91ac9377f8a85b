#include <gtest/gtest.h>

#include "models.hpp"

namespace headrace::model::testing {
namespace {

TEST(Builder, LinksPartsGivenInAnyOrder) {
  Builder b("order", "Order");
  flow(b, "split", "end");
  b.set_default("split", "split_end");
  b.attach("late", "task");
  flow(b, "start", "task");
  flow(b, "task", "split");
  flow(b, "late", "end");
  add(b, ElementKind::BoundaryError, "late", "", ErrorConfig{"E", ""});
  add(b, ElementKind::EndEvent, "end");
  add(b, ElementKind::ExclusiveGateway, "split");
  add(b, ElementKind::UserTask, "task");
  add(b, ElementKind::StartEvent, "start");

  const Builder::Built built = b.build();

  ASSERT_TRUE(built.definition) << to_text("order", built.faults);
  const Definition& d = *built.definition;
  const Node& task = d.node(d.find_node("task"));
  EXPECT_EQ(d.name, "Order");
  EXPECT_EQ(d.node(d.start).id, "start");
  ASSERT_EQ(task.boundaries.size(), 1U);
  EXPECT_EQ(d.node(task.boundaries[0]).id, "late");
  EXPECT_EQ(d.node(task.boundaries[0]).attached_to, task.index);
  EXPECT_EQ(d.flow(task.incoming.at(0)).source, d.start);
  EXPECT_EQ(d.flow(d.node(d.find_node("split")).default_flow).id, "split_end");
  EXPECT_EQ(d.node(d.find_node("end")).incoming.size(), 2U);
}

TEST(Builder, FindsEachNodeByItsIdAndNothingElse) {
  const Builder::Built built = straight().build();
  ASSERT_TRUE(built.definition);
  for (const Node& n : built.definition->nodes) EXPECT_EQ(built.definition->find_node(n.id), n.index);
  EXPECT_EQ(built.definition->find_node("star"), kNone);
  EXPECT_EQ(built.definition->find_node(""), kNone);
}

TEST(Definition, FindsNodesAlsoWithoutATable) {
  Definition d;
  d.nodes.resize(2);
  d.nodes[1].id = "b";
  EXPECT_EQ(d.find_node("b"), 1U);
  EXPECT_EQ(d.find_node("c"), kNone);
}

TEST(Builder, GivesASubProcessItsStart) {
  Builder b = straight(std::monostate(), ElementKind::SubProcess);
  add(b, ElementKind::StartEvent, "inner", "task");
  const Builder::Built built = b.build();
  ASSERT_TRUE(built.definition) << to_text("order", built.faults);
  const Node& sub = built.definition->node(built.definition->find_node("task"));
  EXPECT_EQ(sub.start, built.definition->find_node("inner"));
  EXPECT_EQ(built.definition->node(sub.start).parent, sub.index);
}

TEST(Builder, ReportsAllFaultsAtOnceInTheOrderOfTheFile) {
  Builder b("order", "", 2);
  add(b, ElementKind::UserTask, "a b", "", {}, 9);
  b.add_flow("f", "a b", "gone", {}, 5);
  b.add_fault({"x", 3, "expression", "expected …", ""});

  const Builder::Built built = b.build();

  EXPECT_FALSE(built.definition);
  EXPECT_EQ(rules_of(b), "start-missing , expression x, dangling-ref f, bad-id a b");
}

TEST(Builder, KeepsTheDrawingOfWhatIsInTheModel) {
  Builder b = straight();
  b.add_shape("task", 1, 2, 3, 4);
  b.add_shape("a-lane", 0, 0, 9, 9);
  b.add_edge("start_task", {{0, 0}, {1, 1}});
  b.add_edge("an-association", {{0, 0}, {1, 1}});
  const Builder::Built built = b.build();
  ASSERT_TRUE(built.definition);
  ASSERT_EQ(built.definition->diagram.shapes.size(), 1U);
  EXPECT_EQ(built.definition->diagram.shapes[0].width, 3);
  ASSERT_EQ(built.definition->diagram.edges.size(), 1U);
  EXPECT_EQ(built.definition->diagram.edges[0].waypoints.size(), 2U);
}

TEST(Builder, NamesEachMissingReference) {
  Builder b = straight();
  flow(b, "gone", "end");
  flow(b, "task", "gone");
  b.set_default("task", "gone");
  b.set_default("nobody", "task_end");
  b.attach("timer", "gone");
  b.attach("nobody", "task");
  add(b, ElementKind::BoundaryError, "timer", "", ErrorConfig());
  add(b, ElementKind::UserTask, "inside", "gone");
  add(b, ElementKind::UserTask, "under", "task");
  const std::string rules = rules_of(b);
  EXPECT_EQ(rules,
            "dangling-ref gone_end, dangling-ref task_gone, dangling-ref inside, dangling-ref under, dangling-ref task, "
            "dangling-ref nobody, dangling-ref timer, dangling-ref nobody");
  EXPECT_NE(b.build().faults[0].message.find("sourceRef"), std::string::npos);
  EXPECT_NE(b.build().faults[0].message.find("'gone'"), std::string::npos);
}

TEST(Builder, SaysNothingMoreOfElementsThatTheCallerRefused) {
  Builder b = straight();
  flow(b, "task", "script");
  b.add_refused("script");
  b.add_fault({"script", 0, "unsupported-element", "", ""});
  EXPECT_EQ(rules_of(b), "unsupported-element script");
}

TEST(Builder, RefusesASubProcessInsideItself) {
  Builder b = straight();
  add(b, ElementKind::SubProcess, "one", "two");
  add(b, ElementKind::SubProcess, "two", "one");
  add(b, ElementKind::StartEvent, "s1", "one");
  add(b, ElementKind::StartEvent, "s2", "two");
  EXPECT_EQ(rules_of(b), "parent-cycle one");
}

TEST(Builder, AsksForTheDataOfEachKind) {
  for (const ElementKind kind : {ElementKind::ServiceTask, ElementKind::ErrorEndEvent}) {
    Builder b = straight();
    add(b, kind, "bare");
    EXPECT_EQ(rules_of(b), "config-missing bare") << name_of(kind);
  }
  for (const ElementKind kind : {ElementKind::BoundaryTimer, ElementKind::BoundaryError}) {
    Builder b = straight();
    add(b, kind, "bare");
    b.attach("bare", "task");
    EXPECT_EQ(rules_of(b), "config-missing bare") << name_of(kind);
  }
}

TEST(FaultText, SaysHowManyAndOneALine) {
  const std::vector<Fault> faults = {{"pay", 4, "topic-empty", "expected a topic", "name it"},
                                     {"", 0, "start-missing", "expected a start", ""}};
  EXPECT_EQ(to_text("order", faults),
            "2 faults in process 'order':\n  'pay' (line 4) topic-empty: expected a topic; name it\n  start-missing: "
            "expected a start");
  EXPECT_TRUE(to_text("order", {faults[0]}).starts_with("1 fault in process"));
}

TEST(FaultText, KeepsForeignTextInOneLineAndShort) {
  EXPECT_EQ(printable("a\nb\x7f"), "a?b?");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("aä", 2), "a…");  // never half a character
  Builder b("order");
  add(b, ElementKind::StartEvent, "s\n" + std::string(5000, 'x'));
  const std::vector<Fault> faults = b.build().faults;
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_LT(faults[0].message.size() + faults[0].element.size(), 1300U);
  EXPECT_EQ(faults[0].message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace headrace::model::testing
