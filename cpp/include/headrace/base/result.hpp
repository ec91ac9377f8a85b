#pragma once
// Failures that can happen are values: Result<T> carries either a T or an Error. An Error says what was expected, then what
// was found, with the id of the thing. Exceptions appear at the Python border only. Thread-safe as any value type.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace headrace {

// The kinds of failure; each is one class of the Python tree (design section 2).
enum class ErrorCode : std::uint8_t {
  Internal,           // a broken invariant of ours
  Validation,         // bad argument or payload: ValidationError
  Model,              // bad model: ModelError
  Expression,         // an expression does not parse or evaluate: ExpressionError
  JobNotFound,        // unknown or finished job
  InstanceNotFound,   // unknown or forgotten instance
  NotFound,           // another thing that is not there
  NotLockHolder,      // the caller does not hold the lock
  LockExpired,        // the lock has ended
  LockCapExceeded,    // max_lock_duration would be passed
  InstanceSuspended,  // refused while suspended
  Conflict,           // another state than the call needs
  Overloaded,         // max_queued or max_instances reached: only starts are refused
  WouldDeadlock,      // a wait that could never end
  Store,              // the store refused
  StoreBusy,          // the store asks to try again
  Timeout,            // waited too long
  Closed,             // the engine is closed
  Technical,          // a technical fault of a task (bind fault, refusing dispatcher, ...)
};

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  friend bool operator==(const Error&, const Error&) = default;
};

struct Ok {
  friend bool operator==(Ok, Ok) = default;
};

template <class T = Ok>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<Ok>;

inline Error make_error(ErrorCode code, std::string message) { return Error{code, std::move(message)}; }

}  // namespace headrace
