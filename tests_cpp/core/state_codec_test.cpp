// The codec of an instance at rest: equal after a round trip, canonical, and deaf to damaged bytes.

#include <gtest/gtest.h>

#include "support/dice.hpp"
#include "support/driver.hpp"

namespace headrace::testing {
namespace {

class Deployed final : public core::Definitions {
 public:
  explicit Deployed(model::DefinitionPtr d) : d_(std::move(d)) {}
  model::DefinitionPtr find(std::string_view process, std::uint32_t version) const override {
    return process == d_->id && version == d_->version ? d_ : nullptr;
  }

 private:
  model::DefinitionPtr d_;
};

// A state with something of everything.
Driver rich() {
  const auto fails = [](const model::OperationCall&) { return fault(503, "down"); };
  model::ServiceTaskConfig retried = in_process(functor(fails));
  retried.options.retry = policy::fixed_delay(3, Duration::seconds(5)).value();
  Driver d(Model()
               .start()
               .parallel("f")
               .task("pay", external())
               .task("print", retried)
               .task("slow", in_process(functor(fails, false)))
               .user("look")
               .sub("pack")
               .in("pack")
               .start("s")
               .task("ship", external("ship"))
               .end("e")
               .path({"s", "ship", "e"})
               .in("")
               .rule("rate")
               .parallel("j")
               .end()
               .timer("late", "pay", "PT1H")
               .timer("never", "pack", "P1D")
               .path({"start", "f", "pay", "end"})
               .path({"f", "print", "end"})
               .path({"f", "slow", "end"})
               .path({"f", "look", "j", "end"})
               .path({"f", "pack", "j"})
               .path({"f", "rate", "end"})
               .path({"late", "end"})
               .path({"never", "end"})
               .build(),
           vars({{"amount", std::int64_t{9'007'199'254'740'993}},
                 {"text", std::string("a\0b\xF0\x9F\x98\x80", 7)},
                 {"none", nullptr},
                 {"minus", -0.0}}));
  EXPECT_TRUE(d.exhaust("pay").ok());
  EXPECT_TRUE(d.run(core::AnnotateIncident{2, "seen"}).ok());
  EXPECT_TRUE(d.finish_user("look").ok());
  return d;
}

TEST(StateCodec, AnInstanceComesBackEqual) {
  // given
  const Driver d = rich();
  const std::string bytes = core::encode_state(d.state());
  // when
  const Result<core::Instance> loaded = core::decode_state(bytes, Deployed(d.state().definition));
  // then
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(core::encode_state(*loaded), bytes);
  EXPECT_EQ(loaded->sequence, d.state().sequence);
  EXPECT_EQ(loaded->tokens.size(), d.state().tokens.size());
}

TEST(StateCodec, AnUnknownDefinitionIsNamed) {
  // given
  const Driver d = rich();
  const auto other = Model(policy::Profile::Headrace, "other").start().end().path({"start", "end"}).build();
  // when
  const Result<core::Instance> loaded = core::decode_state(core::encode_state(d.state()), Deployed(other));
  // then
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::Store);
  EXPECT_NE(loaded.error().message.find("'order' version 1"), std::string::npos) << loaded.error().message;
}

TEST(StateCodec, AnotherFormatsVersionIsNamed) {
  // given
  const Driver d = rich();
  std::string bytes = core::encode_state(d.state());
  bytes[0] = 9;
  // when
  const Result<core::Instance> loaded = core::decode_state(bytes, Deployed(d.state().definition));
  // then
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find("version 1, found 9"), std::string::npos) << loaded.error().message;
}

TEST(StateCodec, BytesThatEndTooEarlyAreDamagedWhereverTheyEnd) {
  // given
  const Driver d = rich();
  const std::string bytes = core::encode_state(d.state());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    // when
    const Result<core::Instance> loaded =
        core::decode_state(std::string_view(bytes).substr(0, n), Deployed(d.state().definition));
    // then
    ASSERT_FALSE(loaded.ok()) << "cut at byte " << n;
  }
}

TEST(StateCodec, BytesBehindTheEndAreDamage) {
  // given
  const Driver d = rich();
  // when
  const Result<core::Instance> loaded = core::decode_state(core::encode_state(d.state()) + '\0', Deployed(d.state().definition));
  // then
  EXPECT_FALSE(loaded.ok());
}

// Everything that somebody could do to it.
void use(core::Instance& inst) {
  std::vector<core::Action> actions{core::Suspend{}, core::Resume{}, core::SetVariables{vars({{"x", 1}})}};
  for (const core::Token& t : inst.tokens) {
    actions.emplace_back(core::ReportOutcome{inst.job_key(t), jobs::OutcomeCompleted{}});
    actions.emplace_back(core::OperationDone{t.id, t.visit, t.failures, jobs::OutcomeCompleted{}});
    actions.emplace_back(core::CompleteUserTask{t.id, {}});
  }
  for (std::uint32_t n = 1; n < 5; ++n) {
    actions.emplace_back(core::TimerFired{n});
    actions.emplace_back(core::RetryIncident{n, 1});
  }
  actions.emplace_back(core::Cancel{""});
  for (core::Action& action : actions) {
    core::StepBuffer buffer;
    core::Undo undo;
    (void)core::step(inst, {std::move(action), Driver::kStart, 0, ""}, buffer, undo);
  }
}

TEST(StateCodec, ADamagedByteIsRefusedOrGivesASoundState) {
  // given
  const Driver d = rich();
  const std::string bytes = core::encode_state(d.state());
  const Deployed deployed(d.state().definition);
  Invariants invariants;
  long refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x02, 0x10, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      // when
      Result<core::Instance> loaded = core::decode_state(damaged, deployed);
      // then
      if (!loaded.ok()) {
        ++refused;
        continue;
      }
      ASSERT_EQ(core::encode_state(*loaded), damaged) << "byte " << at;
      for (const std::string& broken : invariants.check(*loaded))
        FAIL() << "byte " << at << " of " << bytes.size() << ": " << broken;
      use(*loaded);
    }
  }
  EXPECT_GT(refused, static_cast<long>(bytes.size()));
}

TEST(StateCodec, ManyDamagedBytesNeverCrashIt) {
  // given
  const Driver d = rich();
  const std::string bytes = core::encode_state(d.state());
  const Deployed deployed(d.state().definition);
  Dice dice(1);
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = bytes;
    for (std::uint32_t n = 1 + dice.below(6); n > 0; --n) {
      const std::size_t at = dice.below(static_cast<std::uint32_t>(damaged.size()));
      // often a small number, which is what counts and ids look like
      damaged[at] = static_cast<char>(dice.one_in(2) ? dice.below(4) : dice.below(256));
    }
    if (dice.one_in(4)) damaged.erase(dice.below(static_cast<std::uint32_t>(damaged.size())), 1 + dice.below(8));
    // when / then
    Result<core::Instance> loaded = core::decode_state(damaged, deployed);
    if (loaded.ok()) use(*loaded);
  }
}

}  // namespace
}  // namespace headrace::testing
