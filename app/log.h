// What the program writes to stderr: errors, one line each, and with --verbose what it is doing.
#pragma once

#include <string_view>

namespace stepscope {

// One line, "stepscope: <message>"; what a terminal would obey in it (file names and names of
// events may have it) is escaped (model/base/terminal_text.h). Thread-safe.
void LogError(std::string_view message);

// Progress messages for --verbose. Passed by value to whoever logs; no global switch.
class Log {
 public:
  explicit Log(bool verbose = false) : verbose_(verbose) {}
  void Verbose(std::string_view message) const;
  bool verbose() const { return verbose_; }

 private:
  bool verbose_;
};

}  // namespace stepscope
