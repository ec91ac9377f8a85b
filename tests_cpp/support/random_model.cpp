#include "support/random_model.hpp"

#include <string>

namespace headrace::testing {

namespace {

struct Anything final : model::Predicate {
  Result<bool> holds(const VariableBlock&) const override { return true; }
};

class Grower {
 public:
  Grower(Dice& dice, policy::Profile profile) : dice_(dice), model_(profile) {}

  model::DefinitionPtr grow() {
    model_.start();
    const std::string last = sequence("start", 0);
    model_.end();
    model_.flow(last, "end");
    return model_.build();
  }

 private:
  std::string fresh(const char* kind) { return kind + std::to_string(next_++); }
  std::string digit() { return std::to_string(dice_.below(10)); }

  // Grows behind `from`; the answer is the last element, whose outgoing flow is open.
  std::string sequence(std::string from, int depth) {
    for (std::uint32_t n = 1 + dice_.below(3); n > 0; --n) from = block(from, depth);
    return from;
  }
  std::string block(const std::string& from, int depth) {
    const std::uint32_t kind = dice_.below(depth < 3 ? 12 : 6);
    if (kind < 6) return task(from);
    if (kind < 8) return exclusive(from, depth);
    if (kind < 10) return parallel(from, depth);
    return kind == 10 ? loop(from) : sub(from, depth);
  }

  std::string task(const std::string& from) {
    const std::string id = fresh("task");
    switch (dice_.below(7)) {
      case 0:
        model_.user(id);
        break;
      case 1:
        model_.task(id, pooled());
        break;
      case 2:
        model_.task(id,
                    in_process(functor([](const model::OperationCall&) { return model::OperationOutput{vars({{"x", 5}})}; })));
        break;
      case 3:
        if (dice_.one_in(4)) {
          model_.rule(id);
        } else {
          model_.task(id, external(contract({{"x", policy::FieldType::Int}})));
        }
        break;
      default:
        model_.task(id, worker());
    }
    model_.flow(from, id);
    boundaries(id);
    return dice_.one_in(6) ? conditional(id) : id;
  }
  model::ServiceTaskConfig worker() {
    model::ServiceTaskConfig c = external();
    if (dice_.one_in(3)) c.options.status = policy::StatusTarget{"s" + std::to_string(dice_.below(3)), dice_.one_in(2)};
    if (dice_.one_in(12)) c.options.on_exhausted = policy::OnExhausted::Fail;
    return c;
  }
  model::ServiceTaskConfig pooled() {
    model::ServiceTaskConfig c =
        in_process(functor([](const model::OperationCall&) { return fault(503, "down"); }, dice_.one_in(2)));
    c.options.retry = policy::fixed_delay(2, Duration::seconds(5)).value();
    return c;
  }
  // The flow out of a task has a condition beside the default.
  std::string conditional(const std::string& from) {
    const std::string merge = fresh("merge");
    const std::string aside = fresh("task");
    model_.exclusive(merge).user(aside);
    if (dice_.one_in(2)) {
      model_.flow(from, aside, std::make_shared<Anything>());
    } else {
      model_.flow(from, aside, condition());
    }
    model_.otherwise(from, merge).flow(aside, merge);
    return merge;
  }
  std::string condition() { return dice_.one_in(4) ? "${missing" + digit() + " == 1}" : "${x > " + digit() + "}"; }

  void boundaries(const std::string& host) {
    for (std::uint32_t n = dice_.below(3); n > 0; --n) {
      const std::string id = fresh("on");
      if (dice_.one_in(2)) {
        model_.timer(id, host, dice_.one_in(12) ? "${missing0}" : "PT" + std::to_string(1 + dice_.below(9)) + "H");
      } else {
        model_.catches(id, host,
                       dice_.one_in(3) ? std::nullopt : std::optional<std::string>("E" + std::to_string(dice_.below(3))));
      }
      finish(dice_.one_in(2) ? task_alone(id) : id);
    }
  }
  std::string task_alone(const std::string& from) {
    const std::string id = fresh("task");
    model_.user(id).flow(from, id);
    return id;
  }
  // An end of the path, of one kind or another; sometimes behind a condition that may fail.
  void finish(std::string from) {
    if (dice_.one_in(3)) {
      const std::string gate = fresh("gate");
      const std::string other = fresh("end");
      model_.exclusive(gate).end(other).flow(from, gate).flow(gate, other, condition());
      from = gate;
    }
    const std::string id = fresh("end");
    const std::uint32_t kind = dice_.below(8);
    if (kind == 0) {
      model_.terminate(id);
    } else if (kind == 1) {
      model_.error_end(id, "E" + std::to_string(dice_.below(3)));
    } else {
      model_.end(id);
    }
    if (from.starts_with("gate")) {
      model_.otherwise(from, id);
    } else {
      model_.flow(from, id);
    }
  }

  std::string exclusive(const std::string& from, int depth) {
    const std::string split = fresh("xor");
    const std::string merge = fresh("merge");
    model_.exclusive(split).exclusive(merge).flow(from, split);
    const std::uint32_t branches = 2 + dice_.below(2);
    const bool asks = dice_.one_in(4);
    for (std::uint32_t i = 0; i < branches; ++i) {
      const std::string first = fresh("merge");
      model_.exclusive(first);
      if (i + 1 == branches) {
        model_.otherwise(split, first);
      } else if (asks) {
        model_.flow(split, first, std::make_shared<Anything>());
      } else {
        model_.flow(split, first, condition());
      }
      const std::string last = sequence(first, depth + 1);
      if (i > 0 && dice_.one_in(6)) {
        finish(last);
      } else {
        model_.flow(last, merge);
      }
    }
    return merge;
  }

  std::string parallel(const std::string& from, int depth) {
    const std::string fork = fresh("fork");
    const std::string join = fresh("join");
    model_.parallel(fork).parallel(join).flow(from, fork);
    for (std::uint32_t n = 2 + dice_.below(2); n > 0; --n) model_.flow(sequence(fork, depth + 1), join);
    return join;
  }

  std::string loop(const std::string& from) {
    const std::string head = fresh("merge");
    const std::string again = fresh("xor");
    model_.exclusive(head).exclusive(again).flow(from, head);
    model_.flow(task_that_waits(head), again).flow(again, head, "${x > 7}");
    const std::string out = fresh("merge");
    model_.exclusive(out).otherwise(again, out);
    return out;
  }
  std::string task_that_waits(const std::string& from) {
    const std::string id = fresh("task");
    model_.task(id, worker()).flow(from, id);
    boundaries(id);
    return id;
  }

  std::string sub(const std::string& from, int depth) {
    const std::string id = fresh("sub");
    const std::string outer = scope_;
    model_.sub(id).flow(from, id);
    model_.in(scope_ = id);
    const std::string start = fresh("start");
    model_.start(start);
    finish(sequence(start, depth + 1));
    model_.in(scope_ = outer);
    boundaries(id);
    return id;
  }

  Dice& dice_;
  Model model_;
  std::string scope_;
  int next_ = 0;
};

}  // namespace

model::DefinitionPtr random_model(Dice& dice, policy::Profile profile) { return Grower(dice, profile).grow(); }

}  // namespace headrace::testing
