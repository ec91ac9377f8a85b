#include "headrace/core/state_codec.hpp"

#include <cstring>

#include "core/state_check.hpp"
#include "headrace/base/utf8.hpp"

namespace headrace::core {

namespace {

constexpr std::uint32_t kVersion = 1;

class Out {
 public:
  void u8(std::uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void u32(std::uint32_t v) { fixed(v); }
  void u64(std::uint64_t v) { fixed(v); }
  void text(std::string_view s) {
    u32(static_cast<std::uint32_t>(s.size()));
    out_.append(s);
  }
  void block(const VariableBlock& b) {
    u32(b.size());
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      u32(b.at(i).written_by());
      text(b.at(i).entry().view());
    }
  }
  void value(const Value& v) {
    std::string bytes;
    codec::encode(v, bytes);
    text(bytes);
  }
  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void fixed(T v) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out_.push_back(static_cast<char>((v >> (8 * i)) & 0xFFU));
  }
  std::string out_;
};

// Reads with bounds; the first violation makes everything after it zero and `good` false.
class In {
 public:
  explicit In(std::string_view in) : in_(in) {}
  bool good() const { return good_; }
  bool at_end() const { return in_.empty(); }
  void fail() {
    good_ = false;
    in_ = {};
  }
  bool flag() {
    const std::uint8_t v = u8();
    if (v > 1) fail();
    return v == 1;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed<std::uint8_t>()); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  std::string_view text() {
    const std::uint32_t n = u32();
    if (n > in_.size()) {
      fail();
      return {};
    }
    const std::string_view s = in_.substr(0, n);
    in_.remove_prefix(n);
    return s;
  }
  // A count of items of at least `size` bytes each: never more than the input can hold.
  std::uint32_t count(std::size_t size) {
    const std::uint32_t n = u32();
    if (static_cast<std::size_t>(n) * size > in_.size()) fail();
    return good_ ? n : 0;
  }
  template <class E>
  E enumerator(E last) {
    const std::uint8_t v = u8();
    if (v > static_cast<std::uint8_t>(last)) fail();
    return good_ ? static_cast<E>(v) : E{};
  }
  VariableBlock block() {
    VariableBlock b;
    const std::uint32_t n = count(8);
    b.reserve(n);
    for (std::uint32_t i = 0; i < n && good_; ++i) {
      const std::uint32_t by = u32();
      const std::string_view entry = text();
      if (!entry_is_sound(entry)) {
        fail();
        break;
      }
      if (b.set(Variable(Slice::copy_of(entry), by)).replaced) fail();  // one name, one entry
    }
    return b;
  }
  Value value() {
    const std::string_view bytes = text();
    if (!good_ || !codec::validate(bytes).ok()) {
      fail();
      return {};
    }
    return codec::decode(bytes);
  }

 private:
  template <class T>
  T fixed() {
    if (in_.size() < sizeof(T)) {
      fail();
      return 0;
    }
    T v = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      v = static_cast<T>(v | (static_cast<T>(static_cast<unsigned char>(in_[i])) << (8 * i)));
    in_.remove_prefix(sizeof(T));
    return v;
  }
  static bool entry_is_sound(std::string_view entry) {
    if (entry.size() < 4) return false;
    std::uint32_t key = 0;
    std::memcpy(&key, entry.data(), 4);
    return key <= entry.size() - 4 && is_utf8(entry.substr(4, key)) && codec::validate(entry.substr(4 + key)).ok();
  }
  std::string_view in_;
  bool good_ = true;
};

void write_failure(Out& o, const policy::Failure& f) {
  o.value(f.code);
  o.value(f.body);
  o.text(f.message);
}

void write_cold(Out& o, const Cold& c) {
  o.u32(c.next_timer);
  o.u32(c.next_incident);
  o.u32(c.ending.node);
  o.text(c.ending.code);
  o.text(c.ending.reason);
  o.u32(static_cast<std::uint32_t>(c.timers.size()));
  for (const Timer& t : c.timers) {
    o.u32(t.id);
    o.u8(static_cast<std::uint8_t>(t.kind));
    o.u32(t.token);
    o.u32(t.node);
    o.u64(static_cast<std::uint64_t>(t.due.us));
    o.u32(t.retries);
  }
  o.u32(static_cast<std::uint32_t>(c.incidents.size()));
  for (const IncidentPtr& p : c.incidents) {
    const Incident& i = *p;
    o.u32(i.number);
    o.u8(static_cast<std::uint8_t>(i.kind));
    o.u32(i.token);
    o.u32(i.node);
    o.u64(i.job.root);
    o.u64(i.job.instance);
    o.u32(i.job.token);
    o.u32(i.job.visit);
    o.u32(i.timer);
    o.u32(static_cast<std::uint32_t>(i.attempts));
    o.u32(static_cast<std::uint32_t>(i.expiries));
    write_failure(o, i.failure);
    o.u64(static_cast<std::uint64_t>(i.raised.us));
    o.u32(static_cast<std::uint32_t>(i.notes.size()));
    for (const std::string& n : i.notes) o.text(n);
  }
}

std::unique_ptr<Cold> read_cold(In& in) {
  auto c = std::make_unique<Cold>();
  c->next_timer = in.u32();
  c->next_incident = in.u32();
  c->ending.node = in.u32();
  c->ending.code = in.text();
  c->ending.reason = in.text();
  for (std::uint32_t n = in.count(25); n > 0 && in.good(); --n) {
    Timer t;
    t.id = in.u32();
    t.kind = in.enumerator(TimerKind::Retry);
    t.token = in.u32();
    t.node = in.u32();
    t.due = {static_cast<std::int64_t>(in.u64())};
    t.retries = in.u32();
    c->timers.push_back(t);
  }
  for (std::uint32_t n = in.count(60); n > 0 && in.good(); --n) {
    auto i = std::make_shared<Incident>();
    i->number = in.u32();
    i->kind = in.enumerator(IncidentKind::FailedJob);
    i->token = in.u32();
    i->node = in.u32();
    i->job.root = in.u64();
    i->job.instance = in.u64();
    i->job.token = in.u32();
    i->job.visit = in.u32();
    i->timer = in.u32();
    i->attempts = static_cast<int>(in.u32());
    i->expiries = static_cast<int>(in.u32());
    i->failure.code = in.value();
    i->failure.body = in.value();
    i->failure.message = in.text();
    i->raised = {static_cast<std::int64_t>(in.u64())};
    for (std::uint32_t k = in.count(4); k > 0 && in.good(); --k) i->notes.emplace_back(in.text());
    c->incidents.push_back(std::move(i));
  }
  return c;
}

}  // namespace

std::string encode_state(const Instance& inst) {
  Out o;
  o.u32(kVersion);
  o.text(inst.definition->id);
  o.u32(inst.definition->version);
  o.u64(inst.root);
  o.u64(inst.sequence);
  o.u64(static_cast<std::uint64_t>(inst.started.us));
  o.text(inst.business_key.view());
  o.text(inst.traceparent.view());
  o.u32(inst.next_token);
  o.u32(inst.next_scope);
  o.u8(static_cast<std::uint8_t>(inst.state));
  o.u8(inst.suspended ? 1 : 0);
  o.u32(inst.ended_at);
  o.u32(inst.tokens.size());
  for (const Token& t : inst.tokens) {
    o.u32(t.id);
    o.u32(t.node);
    o.u32(t.scope);
    o.u32(t.visit);
    o.u32(t.via);
    o.u32(t.failures);
    o.u8(static_cast<std::uint8_t>(t.wait));
    o.u8(static_cast<std::uint8_t>(t.activity));
    o.u8(t.failed_leaving ? 1 : 0);
  }
  o.u32(inst.scopes.size());
  for (const Scope& s : inst.scopes) {
    o.u32(s.id);
    o.u32(s.parent);
    o.u32(s.node);
    o.u32(s.owner);
    o.u32(s.live);
    o.block(s.variables);
  }
  o.u32(inst.counts.size());
  for (const ElementCount& c : inst.counts) {
    o.u32(c.node);
    o.u32(c.completed);
    o.u32(c.cancelled);
  }
  o.u8(inst.cold ? 1 : 0);
  if (inst.cold) write_cold(o, *inst.cold);
  return o.take();
}

Result<Instance> decode_state(std::string_view bytes, const Definitions& definitions) {
  In in(bytes);
  const std::uint32_t version = in.u32();
  if (!in.good() || version != kVersion) {
    return make_error(ErrorCode::Store,
                      "expected instance state of version " + std::to_string(kVersion) + ", found " + std::to_string(version));
  }
  Instance inst;
  const std::string_view process = in.text();
  const std::uint32_t process_version = in.u32();
  if (!in.good()) return make_error(ErrorCode::Store, "the state of an instance is damaged");
  inst.definition = definitions.find(process, process_version);
  if (!inst.definition) {
    return make_error(ErrorCode::Store, "expected process '" + std::string(process) + "' version " +
                                            std::to_string(process_version) + " to be deployed");
  }
  inst.root = in.u64();
  inst.sequence = in.u64();
  inst.started = {static_cast<std::int64_t>(in.u64())};
  inst.business_key = Slice::copy_of(in.text());
  inst.traceparent = Slice::copy_of(in.text());
  inst.next_token = in.u32();
  inst.next_scope = in.u32();
  inst.state = in.enumerator(InstanceState::Cancelled);
  inst.suspended = in.flag();
  inst.ended_at = in.u32();
  for (std::uint32_t n = in.count(27); n > 0 && in.good(); --n) {
    Token t;
    t.id = in.u32();
    t.node = in.u32();
    t.scope = in.u32();
    t.visit = in.u32();
    t.via = in.u32();
    t.failures = in.u32();
    t.wait = in.enumerator(Wait::FailedStep);
    t.activity = in.enumerator(ActivityState::Compensated);
    t.failed_leaving = in.flag();
    inst.tokens.push_back(t);
  }
  for (std::uint32_t n = in.count(24); n > 0 && in.good(); --n) {
    Scope s;
    s.id = in.u32();
    s.parent = in.u32();
    s.node = in.u32();
    s.owner = in.u32();
    s.live = in.u32();
    s.variables = in.block();
    inst.scopes.push_back(std::move(s));
  }
  for (std::uint32_t n = in.count(12); n > 0 && in.good(); --n) {
    ElementCount c;
    c.node = in.u32();
    c.completed = in.u32();
    c.cancelled = in.u32();
    inst.counts.push_back(c);
  }
  if (in.flag()) inst.cold = read_cold(in);
  if (!in.good() || !in.at_end() || !is_sound(inst)) return make_error(ErrorCode::Store, "the state of an instance is damaged");
  return inst;
}

}  // namespace headrace::core
