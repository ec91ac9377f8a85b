// How a job's bundle comes together: design 4.6, 4.7, 4.13, 4.17; ADR-021 2.5.
#include <gtest/gtest.h>

#include "headrace/policy/policy.hpp"
#include "policy/support.hpp"

namespace headrace::policy {
namespace {

RetryPolicyPtr fixed(int attempts) { return *fixed_delay(attempts, Duration::seconds(1)); }

EngineOptions engine_wide() {
  EngineOptions engine;
  engine.retry = fixed(7);
  engine.errors = *rule_mapper({});
  engine.trust = Trust::EngineAuthoritative;
  return engine;
}

class Schema final : public OutputSchema {
 public:
  Status check(const Value&) const override { return Ok{}; }
};

class CustomMapper final : public ErrorMapper {
 public:
  Result<Classification> classify(const Failure&) const override { return Classification(Technical{}); }
  bool custom() const override { return true; }
};

TEST(ResolveExternal, WithoutOptionsItIsTheBuiltInDefault) {
  const Policy policy = resolve_external({}, {}, Profile::Headrace);

  EXPECT_EQ(policy.profile, Profile::Headrace);
  EXPECT_EQ(policy.trust, Trust::WorkerTrusted);
  EXPECT_EQ(policy.retry, default_retry());
  EXPECT_EQ(policy.errors, nullptr);
  EXPECT_EQ(policy.job_timeout, Duration{});
  EXPECT_TRUE(policy.expiry_as_attempt);
  EXPECT_EQ(policy.on_exhausted, OnExhausted::Incident);
  EXPECT_EQ(policy.on_mismatch, OnMismatch::Retry);
  EXPECT_FALSE(policy.custom());
}

// seed: ADR-021 2.2/4
TEST(ResolveExternal, EngineWideWinsOverTheBuiltInDefault) {
  const EngineOptions engine = engine_wide();

  const Policy policy = resolve_external({}, engine, Profile::Headrace);

  EXPECT_EQ(policy.retry, engine.retry);
  EXPECT_EQ(policy.errors, engine.errors);
  EXPECT_EQ(policy.trust, Trust::EngineAuthoritative);
}

// seed: ADR-021 2.2/4
TEST(ResolveExternal, WhatTheServiceSaysWinsOverEngineWide) {
  ServiceOptions options;
  options.retry = fixed(2);
  options.errors = *rule_mapper({});
  options.trust = Trust::WorkerTrusted;

  const Policy policy = resolve_external(options, engine_wide(), Profile::Headrace);

  EXPECT_EQ(policy.retry, options.retry);
  EXPECT_EQ(policy.errors, options.errors);
  EXPECT_EQ(policy.trust, Trust::WorkerTrusted);
}

// Takes nothing for a success.
class Other final : public Binding {
 public:
  std::string_view name() const override { return "other"; }
  bool success(const Value&) const override { return false; }
  Value body(const Value& raw) const override { return raw; }
};

// seed: ADR-021 2.6/33
TEST(ResolveExternal, TheBindingIsTheServicesThenTheEnginesThenJsonOverHttp) {
  EngineOptions engine;
  engine.binding = std::make_shared<Other>();
  ServiceOptions options;
  options.binding = std::make_shared<Other>();

  EXPECT_EQ(&resolve_external({}, {}, Profile::Headrace).how_raw_reads(), &http_json_binding());
  EXPECT_EQ(&resolve_external({}, engine, Profile::Headrace).how_raw_reads(), engine.binding.get());
  EXPECT_EQ(&resolve_external(options, engine, Profile::Headrace).how_raw_reads(), options.binding.get());
}

TEST(ResolveExternal, KeepsEveryOptionOfTheService) {
  ServiceOptions options;
  options.output = OutputMapping{{{test::path("$.id"), "id", false}}};
  options.status = StatusTarget{"payStatus", true};
  options.job_timeout = Duration::minutes(3);
  options.expiry_as_attempt = false;
  options.on_exhausted = OnExhausted::Fail;
  options.on_mismatch = OnMismatch::Incident;
  options.schema = std::make_shared<Schema>();

  const Policy policy = resolve_external(options, {}, Profile::Headrace);

  ASSERT_TRUE(policy.output.has_value());
  EXPECT_EQ(policy.output->rules.front().target, "id");
  ASSERT_TRUE(policy.status.has_value());
  EXPECT_EQ(policy.status->name, "payStatus");
  EXPECT_TRUE(policy.status->overwrite);
  EXPECT_EQ(policy.job_timeout, Duration::minutes(3));
  EXPECT_FALSE(policy.expiry_as_attempt);
  EXPECT_EQ(policy.on_exhausted, OnExhausted::Fail);
  EXPECT_EQ(policy.on_mismatch, OnMismatch::Incident);
  EXPECT_EQ(policy.schema, options.schema);
}

TEST(ResolveExternal, UnderCamunda7TheEngineNeitherRetriesNorCountsExpiriesWithoutAPolicyInTheModel) {
  ServiceOptions insisting;
  insisting.expiry_as_attempt = true;

  const Policy policy = resolve_external({}, engine_wide(), Profile::Camunda7);
  const Policy still = resolve_external(insisting, engine_wide(), Profile::Camunda7);

  EXPECT_EQ(policy.profile, Profile::Camunda7);
  EXPECT_EQ(policy.retry, nullptr);
  EXPECT_FALSE(policy.expiry_as_attempt);
  EXPECT_FALSE(still.expiry_as_attempt);
}

TEST(ResolveExternal, UnderCamunda7APolicyInTheModelCounts) {
  ServiceOptions options;
  options.retry = fixed(2);

  const Policy policy = resolve_external(options, {}, Profile::Camunda7);

  EXPECT_EQ(policy.retry, options.retry);
  EXPECT_TRUE(policy.expiry_as_attempt);
}

TEST(ResolveExternal, UnderCamunda7TrustAndMapperAreStillTakenEngineWide) {
  const EngineOptions engine = engine_wide();

  const Policy policy = resolve_external({}, engine, Profile::Camunda7);

  EXPECT_EQ(policy.errors, engine.errors);
  EXPECT_EQ(policy.trust, Trust::EngineAuthoritative);
}

TEST(ResolveInProcess, WithoutAPolicyOfItsOwnNothingIsRunAgain) {
  const Policy headrace = resolve_in_process({}, engine_wide(), Profile::Headrace);
  const Policy camunda7 = resolve_in_process({}, engine_wide(), Profile::Camunda7);

  for (const Policy* policy : {&headrace, &camunda7}) {
    EXPECT_EQ(policy->retry, nullptr);
    EXPECT_EQ(policy->errors, nullptr);
    EXPECT_EQ(policy->on_exhausted, OnExhausted::Incident);
  }
}

TEST(ResolveInProcess, TakesWhatTheTaskNames) {
  ServiceOptions options;
  options.retry = fixed(2);
  options.errors = *rule_mapper({});
  options.status = StatusTarget{"s", false};
  options.output = OutputMapping{};
  options.on_exhausted = OnExhausted::Fail;

  const Policy policy = resolve_in_process(options, engine_wide(), Profile::Headrace);

  EXPECT_EQ(policy.retry, options.retry);
  EXPECT_EQ(policy.errors, options.errors);
  EXPECT_TRUE(policy.status.has_value());
  EXPECT_TRUE(policy.output.has_value());
  EXPECT_EQ(policy.on_exhausted, OnExhausted::Fail);
}

TEST(Policy, IsTheEnginesAloneWhenItHoldsACustomObject) {
  ServiceOptions mapper;
  mapper.errors = std::make_shared<CustomMapper>();
  ServiceOptions schema;
  schema.schema = std::make_shared<Schema>();

  EXPECT_TRUE(resolve_external(mapper, {}, Profile::Headrace).custom());
  EXPECT_TRUE(resolve_external(schema, {}, Profile::Headrace).custom());
}

}  // namespace
}  // namespace headrace::policy
