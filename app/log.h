// What the program writes to stderr: errors, one line each, and with --verbose what it is doing.
#pragma once

#include <string_view>

namespace stepscope {

// One line, "stepscope: <message>"; line breaks and control bytes in it (file names may have them)
// become spaces. Thread-safe.
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
