#include "app/system/log.h"

#include <cstdio>
#include <string>

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

}  // namespace stepscope
