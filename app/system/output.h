// What a command leaves behind: its result in a file or on standard output, messages on standard
// error, and the exit status.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/system/paths.h"
#include "model/base/status.h"
#include "model/base/text_sink.h"

namespace stepscope {

// docs/interface.md#exit-status promises them to scripts.
enum ExitCode : int {
  kExitOk = 0,
  kExitCheckFailed = 1,    // `check` found a regression
  kExitUsage = 2,          // wrong usage, unknown panel, a question the profile cannot answer
  kExitNothing = 3,        // nothing usable in the input
  kExitNoResource = 4,     // the machine lacks what is needed (no GL)
  kExitInterrupted = 130,  // Ctrl+C; the number is that of shells
};

inline int ExitCodeOf(const Status& status) {
  if (status.ok()) return kExitOk;
  return status.code() == ErrorCode::kUsage ? kExitUsage : kExitNothing;
}

// Writes one line to standard error, "stepscope: <message>". Any thread. File names and names of
// events may contain escape sequences, which a terminal would obey; they are escaped
// (model/base/terminal_text.h).
void LogError(std::string_view message);

// Progress messages on standard error, for --verbose. It is passed by value to whoever logs; there
// is no global switch. Any thread.
class Log {
 public:
  explicit Log(bool verbose = false) : verbose_(verbose) {}
  void Verbose(std::string_view message) const;
  bool verbose() const { return verbose_; }

 private:
  bool verbose_;
};

// Takes the result of a command in pieces. A file appears only when all of it is written. One
// thread at a time.
class Output {
 public:
  explicit Output(std::string path);  // standard output if it is empty or "-"
  TextSink sink() {
    return [this](std::string_view text) { Write(text); };
  }
  // Ends the result; call it once. Returns false, with the error logged, if any of it could not
  // be written. A reader that closed the pipe is no error.
  bool Finish();

 private:
  void Write(std::string_view text);

  const std::string path_;
  std::optional<AtomicFile> file_;  // none: standard output
  bool ok_ = true;
  int error_ = 0;  // errno of the first write to standard output that failed
};

// Writes a text that is in memory as a whole.
bool WriteOutput(const std::string& path, std::string_view text);

}  // namespace stepscope
