// This folder has what every part of the program uses and what knows nothing of profiles: errors
// (status.h), memory of large arrays (column.h), sorting and merging, hashes, colours, and texts
// for terminals, HTML and SVG. Start reading with status.h and column.h. Jobs and threads are in
// model/jobs.
//
// Errors as values. A Status says in one line for people what went wrong, where, and what to do.
// Result<T> is a value or a Status (std::expected is C++23). No exception crosses a module border.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace stepscope {

enum class ErrorCode {
  kOk,
  kIo,            // the file cannot be read, or changed while open
  kFormat,        // the bytes contain nothing usable
  kUnsupported,   // a known format or feature that this program does not read
  kLimit,         // a stated limit (inflated size, event count) was reached
  kCancelled,     // the user stopped the job
  kUsage,         // wrong arguments, or a question the profile cannot answer
  kNotInstalled,  // the other machine has no Stepscope
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}        // NOLINT: implicit by design
  Result(Status status) : state_(std::move(status)) {  // NOLINT: implicit by design
    assert(!std::get<Status>(state_).ok());
  }

  bool ok() const { return std::holds_alternative<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T& value() & { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  Status status() const { return ok() ? Status::Ok() : std::get<Status>(state_); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace stepscope
