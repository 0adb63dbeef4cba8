#include "app/system/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

// One write per line, so that lines of two threads do not mix.
void WriteLine(std::string_view prefix, std::string_view message) {
  std::string line(prefix);
  line += TerminalText(message);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void LogError(std::string_view message) { WriteLine("stepscope: ", message); }

void Log::Verbose(std::string_view message) const {
  if (verbose_) WriteLine("stepscope: ", message);
}

Output::Output(std::string path) : path_(std::move(path)) {
  if (!path_.empty() && path_ != "-") file_.emplace(path_);
}

void Output::Write(std::string_view text) {
  if (!ok_) return;  // a result with a gap is useless
  if (file_) {
    ok_ = file_->Write(text);
    return;
  }
  ok_ = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!ok_) error_ = errno;
}

bool Output::Finish() {
  if (file_) {
    if (ok_ && file_->Commit()) return true;
    LogError(path_ + ": cannot be written; choose another file with -o");
    return false;
  }
  if (ok_ && std::fflush(stdout) != 0) ok_ = false, error_ = errno;
  if (ok_ || error_ == EPIPE) return true;
  LogError(std::string("standard output: ") + std::strerror(error_));
  return false;
}

bool WriteOutput(const std::string& path, std::string_view text) {
  Output output(path);
  output.sink()(text);
  return output.Finish();
}

}  // namespace stepscope
