// Service tasks: what the locus and the operation allow (ADR-021 2.2, 2.3, 2.6; design 4.4, 4.8, 4.13, 4.14).

#include <algorithm>

#include "headrace/base/json.hpp"
#include "headrace/base/time.hpp"
#include "rules.hpp"

namespace headrace::model {

namespace {

constexpr std::size_t kMaxTopic = 255;

void check_topic(const Node& n, const ServiceTaskConfig& c, Findings& out) {
  if (c.topic.empty()) {
    out.fault(n, "topic-empty", "expected a worker's topic, but it is empty", "name the topic that workers fetch");
  } else if (c.topic.size() > kMaxTopic) {
    out.fault(n, "topic-too-long", "expected a topic of at most 255 bytes, but it has " + std::to_string(c.topic.size()),
              "shorten it");
  }
}

void check_worker(const Node& n, const ServiceTaskConfig& c, Findings& out) {
  check_topic(n, c, out);
  if (c.operation && c.operation->kind == OperationKind::Functor) {
    out.fault(n, "worker-functor",
              "expected a message operation for WithWorker, but '" + c.operation->name +
                  "' is a functor, which no worker could be given",
              "describe the operation by an in and an out message");
  }
  if (c.options.timeout) {
    out.fault(n, "timeout-with-worker", "expected no WithTimeout on a worker's task, but it has one", "use WithJobTimeout");
  }
  const bool contract = c.operation && (c.operation->in_message || c.operation->out_message);
  if (c.options.trust == policy::Trust::EngineAuthoritative && !contract) {
    out.fault(n, "trust-needs-contract", "expected a message contract for EngineAuthoritative, but the operation has no message",
              "give the operation an in or an out message");
  }
}

void refuse(const Node& n, bool given, std::string_view option, Findings& out) {
  if (!given) return;
  out.fault(n, "worker-only-option", "expected only options of in-process tasks, but found " + std::string(option),
            "add WithWorker, or remove the option");
}

void check_in_process(const Node& n, const ServiceTaskConfig& c, Findings& out) {
  const policy::ServiceOptions& o = c.options;
  if (!c.operation || !c.operation->body) {
    out.fault(n, "operation-missing", "expected an operation that can run in the process, but there is none",
              "give the operation an implementor, or use WithWorker");
  }
  if (!c.topic.empty()) refuse(n, true, "a topic", out);
  refuse(n, o.trust.has_value(), "WithWorkerTrust", out);
  refuse(n, o.lock_duration.has_value(), "WithLockDuration", out);
  refuse(n, o.max_lock_duration.has_value(), "WithMaxLockDuration", out);
  refuse(n, o.job_timeout.has_value(), "WithJobTimeout", out);
  refuse(n, o.expiry_as_attempt.has_value(), "WithExpiryAsAttempt", out);
  refuse(n, o.on_mismatch.has_value(), "WithOnMismatch", out);
  refuse(n, o.schema != nullptr, "WithOutputSchema", out);
}

void check_positive(const Node& n, const std::optional<Duration>& d, std::string_view option, Findings& out) {
  if (!d || d->us > 0) return;
  out.fault(n, "duration-not-positive",
            "expected a positive duration for " + std::string(option) + ", but found " + std::to_string(d->us) + " us",
            "give a duration above zero");
}

void check_durations(const Node& n, const policy::ServiceOptions& o, Findings& out) {
  check_positive(n, o.timeout, "WithTimeout", out);
  check_positive(n, o.lock_duration, "WithLockDuration", out);
  check_positive(n, o.max_lock_duration, "WithMaxLockDuration", out);
  check_positive(n, o.job_timeout, "WithJobTimeout", out);
  if (o.lock_duration && o.max_lock_duration && *o.lock_duration > *o.max_lock_duration) {
    out.fault(n, "lock-above-cap",
              "expected a lock of at most " + to_text(*o.max_lock_duration) + " (WithMaxLockDuration), but found " +
                  to_text(*o.lock_duration),
              "shorten the lock or raise the cap");
  }
}

// A name as expressions write it; what is not ASCII is left to them.
bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
  };
  return letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void check_status(const Node& n, const policy::ServiceOptions& o, Findings& out) {
  if (o.status && o.status->name.empty()) {
    out.fault(n, "status-name-empty", "expected the name of a variable in WithStatus, but it is empty", "name the variable");
  }
  if (o.status && !o.status->name.empty() && !is_identifier(o.status->name)) {
    out.warn(n, "status-name",
             "no expression can read the variable " + json::quote(printable(o.status->name, 100)) +
                 " of WithStatus: a name in ${…} is letters, digits, _ and $");
  }
  if (o.errors && o.errors->may_give_status() && !o.status) {
    out.fault(n, "status-without-target", "expected WithStatus beside a mapper rule that gives a status, but there is none",
              "add WithStatus(name), or let the rule give an error");
  }
}

void check_mapping(const Node& n, const ServiceTaskConfig& c, Findings& out) {
  if (!c.options.output) return;
  const policy::MessageType* message = c.operation ? c.operation->out_message.get() : nullptr;
  for (const policy::OutputRule& rule : c.options.output->rules) {
    if (rule.target.empty()) {
      out.fault(n, "mapping-target",
                "expected a target in each rule of WithOutputMapping, but '" + rule.path.text() + "' has none",
                "name the variable");
    } else if (message != nullptr && message->find(rule.target) == nullptr) {
      out.fault(n, "mapping-target",
                "expected a field of the out message '" + message->name + "' as target of '" + rule.path.text() + "', but '" +
                    rule.target + "' is none",
                "name a field of the message, or add the field");
    }
  }
}

}  // namespace

void check_services(const Definition& d, Findings& out) {
  for (const Node& n : d.nodes) {
    const auto* config = std::get_if<ServiceTaskConfig>(&n.config);
    if (n.kind != ElementKind::ServiceTask || config == nullptr) continue;
    if (config->locus == Locus::Worker) {
      check_worker(n, *config, out);
    } else {
      check_in_process(n, *config, out);
    }
    check_durations(n, config->options, out);
    check_status(n, config->options, out);
    check_mapping(n, *config, out);
  }
}

}  // namespace headrace::model
