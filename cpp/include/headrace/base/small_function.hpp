#pragma once
// A move-only callable without the weight of <functional>: what completion callbacks are made of.

#include <memory>
#include <type_traits>
#include <utility>

namespace headrace {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction>)
  UniqueFunction(F&& f)
      : call_(std::make_unique<Model<std::decay_t<F>>>(std::forward<F>(f))) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return call_ != nullptr; }
  R operator()(Args... args) { return call_->invoke(std::forward<Args>(args)...); }

 private:
  struct Concept {
    virtual ~Concept() = default;
    virtual R invoke(Args... args) = 0;
  };
  template <class F>
  struct Model final : Concept {
    explicit Model(F f) : fn(std::move(f)) {}
    R invoke(Args... args) override { return fn(std::forward<Args>(args)...); }
    F fn;
  };
  std::unique_ptr<Concept> call_;
};

}  // namespace headrace
