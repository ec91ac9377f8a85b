// Models that people start with, and the conformance models.
#include <gtest/gtest.h>

#include "files.hpp"

namespace headrace::xml::testing {
namespace {

TEST(ReferenceModels, PaymentIsReadUnchanged) {
  const auto shared = reference();
  if (!shared) GTEST_SKIP() << kNoReference;

  const ReadResult result = read_bpmn(content_of(*shared / "models/payment.bpmn"));

  ASSERT_EQ(result.definitions.size(), 1U) << model::to_text("payment", result.faults);
  const model::Definition& d = *result.definitions[0];
  const auto node = [&](const char* id) -> const model::Node& { return d.node(d.find_node(id)); };
  EXPECT_EQ(d.id, "payment-retrieval");
  EXPECT_EQ(d.name, "Payment Retrieval");
  EXPECT_EQ(d.profile, policy::Profile::Camunda7);
  EXPECT_TRUE(d.warnings.empty());
  ASSERT_EQ(d.nodes.size(), 7U);
  ASSERT_EQ(d.flows.size(), 7U);
  EXPECT_EQ(d.node(d.start).name, "Payment Retrieval Requested");
  EXPECT_EQ(node("Task_19pt1nu").service().topic, "charge-card");
  EXPECT_EQ(node("Task_19pt1nu").incoming.size(), 2U);
  EXPECT_EQ(std::get<model::BusinessRuleConfig>(node("Task_1j42goo").config).decision_ref, "approve-payment");
  const model::Node& amount = node("ExclusiveGateway_0r349mg");
  ASSERT_EQ(amount.outgoing.size(), 2U);
  EXPECT_EQ(d.flow(amount.outgoing[0]).condition->expression.text(), "${amount<1000}");
  EXPECT_EQ(d.node(d.flow(amount.outgoing[1]).target).name, "Approve Payment");
  EXPECT_EQ(d.diagram.shapes.size(), 7U);
  EXPECT_EQ(d.diagram.edges.size(), 7U);
}

TEST(ReferenceModels, WhatCamundaRefusesIsNeverAccepted) {
  const auto shared = reference();
  if (!shared) GTEST_SKIP() << kNoReference;
  int all = 0, bad = 0, read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*shared / "conformance")) {
    if (entry.path().extension() != ".bpmn") continue;
    ++all;
    const ReadResult result = read_bpmn(content_of(entry.path()));
    EXPECT_EQ(result.definitions.empty(), !result.faults.empty()) << entry.path();
    read += result.faults.empty() ? 1 : 0;
    const std::string record = content_of(std::filesystem::path(entry.path()).replace_extension(".json"));
    if (record.find("\"ok\": false") == std::string::npos) continue;
    ++bad;
    EXPECT_FALSE(result.faults.empty()) << entry.path();
  }
  EXPECT_EQ(all, 330);
  EXPECT_EQ(bad, 34);
  EXPECT_GE(read, 52);  // grows with each element that is supported
  RecordProperty("conformance_models_read", read);
}

}  // namespace
}  // namespace headrace::xml::testing
