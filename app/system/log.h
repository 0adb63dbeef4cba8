// Writes to standard error: errors, one line each, and with --verbose what the program is doing.
// Any thread may call everything here.
#pragma once

#include <string_view>

namespace stepscope {

// Writes one line, "stepscope: <message>". File names and names of events may contain escape
// sequences, which a terminal would obey; they are escaped (model/base/terminal_text.h).
void LogError(std::string_view message);

// Progress messages for --verbose. It is passed by value to whoever logs; there is no global
// switch.
class Log {
 public:
  explicit Log(bool verbose = false) : verbose_(verbose) {}
  void Verbose(std::string_view message) const;
  bool verbose() const { return verbose_; }

 private:
  bool verbose_;
};

}  // namespace stepscope
