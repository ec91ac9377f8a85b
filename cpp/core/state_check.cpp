#include "core/state_check.hpp"

#include <algorithm>
#include <utility>

namespace headrace::core {

namespace {

using model::ElementKind;
using model::Node;

bool running(const Token& t) { return t.activity == ActivityState::Active || t.activity == ActivityState::Failing; }

class Checker {
 public:
  explicit Checker(const Instance& inst)
      : inst_(inst), def_(*inst.definition), of_(inst.tokens.size()), live_(inst.scopes.size()) {}

  // The order matters: each check may rely on those before it.
  bool sound() { return header() && scopes_nest() && all_tokens() && all_owners() && counts() && cold() && tallies(); }

 private:
  // What belongs to one token.
  struct Tally {
    std::size_t boundary = 0, retry = 0, scopes = 0, incidents = 0;
  };
  Tally& of(const Token& t) { return of_[static_cast<std::size_t>(&t - inst_.tokens.begin())]; }
  bool is_node(model::NodeIndex i) const { return i < def_.nodes.size(); }

  bool header() const {
    const bool active = inst_.state == InstanceState::Active;
    if (active == inst_.tokens.empty()) return false;
    if (inst_.ended_at != kNone && (inst_.state != InstanceState::Completed || !is_node(inst_.ended_at))) return false;
    return active || (inst_.scopes.size() == 1 && !inst_.suspended);
  }

  bool scopes_nest() const {
    if (inst_.scopes.empty()) return false;
    const Scope& root = inst_.scopes[0];
    if (root.id != 0 || root.parent != kNone || root.node != kNone || root.owner != 0) return false;
    for (std::uint32_t i = 1; i < inst_.scopes.size(); ++i) {
      const Scope& s = inst_.scopes[i];
      if (s.id <= inst_.scopes[i - 1].id || s.id >= inst_.next_scope || s.parent >= s.id || !is_node(s.node)) return false;
      const Scope* parent = inst_.scope(s.parent);
      if (parent == nullptr || def_.node(s.node).kind != ElementKind::SubProcess || def_.node(s.node).parent != parent->node)
        return false;
    }
    return true;
  }

  bool all_tokens() {
    TokenId last = 0;
    for (const Token& t : inst_.tokens) {
      if (t.id <= last || t.id >= inst_.next_token || !is_node(t.node)) return false;
      last = t.id;
      if (t.via != kNone && (t.via >= def_.flows.size() || def_.flow(t.via).target != t.node)) return false;
      const Scope* scope = inst_.scope(t.scope);
      if (scope == nullptr || scope->node != def_.node(t.node).parent || !waits_soundly(t)) return false;
      ++live_[static_cast<std::size_t>(scope - inst_.scopes.begin())];
    }
    return true;
  }

  bool waits_soundly(const Token& t) const {
    const Node& node = def_.node(t.node);
    const bool service = node.kind == ElementKind::ServiceTask;
    const bool worker = service && node.service().locus == model::Locus::Worker;
    if (t.failed_leaving && t.wait != Wait::FailedStep) return false;
    switch (t.wait) {
      case Wait::Job:
        return worker && running(t);
      case Wait::Operation:
      case Wait::Retry:
        return service && !worker && t.activity == ActivityState::Active;
      case Wait::Scope:
        return node.kind == ElementKind::SubProcess && t.activity == ActivityState::Active;
      case Wait::User:
        return node.kind == ElementKind::UserTask && t.activity == ActivityState::Active;
      case Wait::Join:
        return node.kind == ElementKind::ParallelGateway && t.activity == ActivityState::None;
      case Wait::Ask:
        return node.kind == ElementKind::ExclusiveGateway ? t.activity == ActivityState::None
                                                          : t.activity == ActivityState::Completed;
      case Wait::FailedStep:
        if (t.failed_leaving) return t.activity == ActivityState::Completed;
        return t.activity == ActivityState::None || (service && t.activity == ActivityState::Failing);
      default:
        return false;  // Enter and Leave never outlast a step
    }
  }

  bool all_owners() {
    for (std::uint32_t i = 0; i < inst_.scopes.size(); ++i) {
      const Scope& s = inst_.scopes[i];
      if (s.live != live_[i] || (i > 0 && s.live == 0)) return false;
      if (i == 0) continue;
      const Token* owner = inst_.token(s.owner);
      if (owner == nullptr || owner->wait != Wait::Scope || owner->node != s.node || owner->scope != s.parent) return false;
      ++of(*owner).scopes;
    }
    return true;
  }

  bool counts() const {
    std::vector<bool> seen(def_.nodes.size());
    for (const ElementCount& c : inst_.counts) {
      if (!is_node(c.node) || seen[c.node]) return false;
      seen[c.node] = true;
    }
    return true;
  }

  bool cold() {
    if (!inst_.cold) return true;
    const Cold& c = *inst_.cold;
    if (c.ending.node != kNone && !is_node(c.ending.node)) return false;
    std::size_t lost = 0;
    std::uint32_t last = 0;
    std::vector<std::pair<TokenId, model::NodeIndex>> hosts;
    for (const Timer& t : c.timers) {
      if (t.id <= last || t.id >= c.next_timer || !timer(t)) return false;
      last = t.id;
      lost += t.retries == 0 ? 1 : 0;
      hosts.emplace_back(t.token, t.node);
    }
    std::sort(hosts.begin(), hosts.end());
    if (std::adjacent_find(hosts.begin(), hosts.end()) != hosts.end()) return false;
    last = 0;
    std::vector<std::uint32_t> failed;
    for (const IncidentPtr& i : c.incidents) {
      if (i->number <= last || i->number >= c.next_incident || !incident(*i)) return false;
      last = i->number;
      if (i->kind == IncidentKind::FailedJob) failed.push_back(i->timer);
    }
    std::sort(failed.begin(), failed.end());
    return failed.size() == lost && std::adjacent_find(failed.begin(), failed.end()) == failed.end();
  }

  bool timer(const Timer& t) {
    const Token* host = inst_.token(t.token);
    if (host == nullptr || !running(*host) || !is_node(t.node)) return false;
    const Node& node = def_.node(t.node);
    if (t.kind == TimerKind::Retry) {
      ++of(*host).retry;
      return t.node == host->node;
    }
    ++of(*host).boundary;
    return node.kind == ElementKind::BoundaryTimer && node.attached_to == host->node;
  }

  bool incident(const Incident& i) {
    const Token* t = inst_.token(i.token);
    if (t == nullptr) return false;
    if (i.kind == IncidentKind::FailedJob) {
      const Timer* of_timer = inst_.timer(i.timer);
      return of_timer != nullptr && of_timer->retries == 0 && of_timer->token == i.token && of_timer->node == i.node;
    }
    ++of(*t).incidents;
    return i.node == t->node && (t->wait != Wait::Job || i.job == inst_.job_key(*t));
  }

  bool tallies() const {
    for (std::uint32_t i = 0; i < inst_.tokens.size(); ++i) {
      const Token& t = inst_.tokens[i];
      const Tally& has = of_[i];
      const std::size_t timers = running(t) ? boundary_timers(t) : 0;
      const std::size_t incidents = t.wait == Wait::FailedStep || t.activity == ActivityState::Failing ? 1 : 0;
      if (has.boundary != timers || has.retry != (t.wait == Wait::Retry ? 1U : 0U) ||
          has.scopes != (t.wait == Wait::Scope ? 1U : 0U) || has.incidents != incidents) {
        return false;
      }
    }
    return true;
  }

  std::size_t boundary_timers(const Token& t) const {
    const auto& on = def_.node(t.node).boundaries;
    return static_cast<std::size_t>(
        std::count_if(on.begin(), on.end(), [&](model::NodeIndex b) { return def_.node(b).kind == ElementKind::BoundaryTimer; }));
  }

  const Instance& inst_;
  const model::Definition& def_;
  std::vector<Tally> of_;
  std::vector<std::uint32_t> live_;
};

}  // namespace

bool is_sound(const Instance& inst) { return Checker(inst).sound(); }

}  // namespace headrace::core
