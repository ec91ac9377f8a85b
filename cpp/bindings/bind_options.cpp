// The options of an engine, and clocks.

#include <mutex>

#include "args.hpp"
#include "callables.hpp"
#include "pybind.hpp"
#include "python_dispatcher.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

using ClockPtr = std::shared_ptr<engine::ManualClock>;

// Repeatable chance for simulations and tests: SplitMix64.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  double next() override {
    const std::lock_guard lock(mutex_);
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1.0p-53;
  }

 private:
  std::mutex mutex_;
  std::uint64_t state_;
};

std::shared_ptr<Clock> clock_of(const py::object& o) {
  if (py::isinstance<engine::ManualClock>(o)) return o.cast<ClockPtr>();
  return custom_clock(o.ptr());
}

long long number(const py::object& o, const char* what, long long least, long long most) {
  long long n = 0;
  check(int_of(o.ptr(), what, least, most, n));
  return n;
}

// The one argument of a call, by position or by its name; None where it is absent and may be.
py::object one_argument(const char* call, const char* name, const py::args& args, const py::kwargs& named, bool needed) {
  const std::size_t given = args.size() + named.size();
  if (given == 0 && !needed) return py::none();
  if (given != 1) {
    PyErr_Format(PyExc_TypeError, "expected %s '%s' for %s(), but found %zu arguments",
                 needed ? "one argument" : "at most one argument", name, call, given);
    throw py::error_already_set();
  }
  if (args.size() == 1) return args[0];
  if (named.contains(name)) return named[name];
  PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", call, named.begin()->first.ptr());
  throw py::error_already_set();
}

engine::EngineOptions options_of(const py::dict& k, std::shared_ptr<observe::QueueRecorder> recorder) {
  engine::EngineOptions o;
  const auto has = [&](const char* name) { return k.contains(name) && !k[name].is_none(); };
  const auto at = [&](const char* name) { return py::object(k[name]); };
  if (has("clock")) o.clock = clock_of(at("clock"));
  if (has("seed"))
    o.random = std::make_shared<SeededRandom>(static_cast<std::uint64_t>(number(at("seed"), "seed", 0, 1LL << 62)));
  if (has("defaults")) o.defaults = at("defaults").cast<policy::EngineOptions>();
  if (has("dispatcher")) o.dispatcher = python_dispatcher(at("dispatcher").ptr());
  if (has("threads")) o.threads = static_cast<int>(number(at("threads"), "threads", 0, 1024));
  if (has("shards")) o.shards = static_cast<std::size_t>(number(at("shards"), "shards", 0, 1024));
  if (has("max_stuck_threads"))
    o.max_stuck_threads = static_cast<int>(number(at("max_stuck_threads"), "max_stuck_threads", 0, 10'000));
  if (has("keep_ended")) o.keep_ended = static_cast<std::size_t>(number(at("keep_ended"), "keep_ended", 0, 1LL << 40));
  if (has("max_instances"))
    o.max_instances = static_cast<std::uint64_t>(number(at("max_instances"), "max_instances", 0, 1LL << 60));
  o.recorder = std::move(recorder);
  return o;
}

}  // namespace

bool make_engine(PyObject* options, HostPtr& out) {
  try {
    auto recorder = std::make_shared<observe::QueueRecorder>();
    engine::EngineOptions o = options_of(py::reinterpret_borrow<py::dict>(options), recorder);
    auto made = [&] {
      const GilReleased nogil;
      return engine::Engine::create(std::move(o));
    }();
    out = make_host(value_or_raise(std::move(made)), std::move(recorder));
    return true;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::cast_error& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  }
  return false;
}

void bind_options(py::module_& m) {
  py::class_<engine::ManualClock, ClockPtr>(m, "ManualClock",
                                            "A clock that moves by hand: engine.advance() moves it from due time to due time.")
      .def(py::init([](const py::args& args, const py::kwargs& named) {
             Instant t{1'767'600'000'000'000};  // 2026-01-05T08:00:00Z, a Monday morning
             const py::object start = one_argument("ManualClock", "start", args, named, false);
             if (!start.is_none()) check(instant_of(start.ptr(), "start", t));
             return std::make_shared<engine::ManualClock>(t);
           }),
           "ManualClock(start=None)")
      .def("now", [](const engine::ManualClock& c) { return owned(datetime_of(c.now())); })
      .def("set", [](engine::ManualClock& c, const py::args& args, const py::kwargs& named) {
        const py::object to = one_argument("set", "to", args, named, true);
        Instant t;
        check(instant_of(to.ptr(), "time", t));
        if (t < c.now())
          raise_now(
              make_error(ErrorCode::Validation, "expected a time not before " + to_text(c.now()) + ", but found " + to_text(t)));
        c.set(t);
      });
}

}  // namespace headrace::bindings
