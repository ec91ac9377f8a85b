#include "report_limits.hpp"

namespace headrace::jobs {
namespace {

Error bad(const std::string& field, const std::string& expected, const std::string& found) {
  return make_error(ErrorCode::Validation, field + ": expected " + expected + ", found " + found);
}

Status check_message_text(std::string& message) {
  if (message.size() > kMaxText) return bad("message", "at most 1 MiB of text", std::to_string(message.size()) + " bytes");
  message = cut_message(std::move(message));
  return Ok{};
}

Status check_code(const Value& code) {
  if (code.is(Kind::String)) {
    const std::size_t size = code.as_string().size();
    if (size > kMaxCode) return bad("code", "at most " + std::to_string(kMaxCode) + " bytes", std::to_string(size) + " bytes");
    return Ok{};
  }
  if (code.is_null() || code.is_number()) return Ok{};
  return bad("code", "a number, text or null", std::string(name_of(code.kind())));
}

Status check(ReportFail& r) {
  if (const Status s = check_code(r.failure.code); !s) return s;
  if (const Status s = check_message_text(r.failure.message); !s) return s;
  if (r.retries && *r.retries < 0) return bad("retries", "0 or more", std::to_string(*r.retries));
  if (r.executions < 1) return bad("executions", "1 or more", std::to_string(r.executions));
  if (r.retry_after && (r.retry_after->us < 0 || *r.retry_after > kMaxDuration)) {
    return bad("retry_after", "a duration of 0 to 100 years", to_text(*r.retry_after));
  }
  return Ok{};
}

Status check(const policy::Policy& p, ReportBpmnError& r) {
  if (const Status s = check_message_text(r.message); !s) return s;
  if (p.trust == policy::Trust::EngineAuthoritative) return Ok{};  // the verdict is dropped
  if (r.code.empty()) return bad("code", "the code of a BPMN error", "an empty one");
  return check_code(Value(r.code));
}

}  // namespace

std::string cut_message(std::string message) {
  if (message.size() <= kMaxMessage) return message;
  static constexpr std::string_view kMark = " [cut]";
  std::size_t end = kMaxMessage - kMark.size();
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  message.resize(end);
  return message.append(kMark);
}

Status check_report(const policy::Policy& p, Report& report) {
  if (auto* fail = std::get_if<ReportFail>(&report)) return check(*fail);
  if (auto* error = std::get_if<ReportBpmnError>(&report)) return check(p, *error);
  if (auto* raw = std::get_if<ReportRaw>(&report)) {
    if (const Status s = check_code(raw->code); !s) return s;
    return check_message_text(raw->message);
  }
  if (std::holds_alternative<ReportStatus>(report) && p.trust == policy::Trust::WorkerTrusted && !p.status) {
    return bad("status", "a task with WithStatus(name)", "a status for a task without it");
  }
  return Ok{};
}

}  // namespace headrace::jobs
