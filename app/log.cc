#include "app/log.h"

#include <cstdio>
#include <string>

namespace stepscope {
namespace {

// One write per line, so that lines of two threads do not mix.
void WriteLine(std::string_view prefix, std::string_view message) {
  std::string line(prefix);
  for (char c : message) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void LogError(std::string_view message) { WriteLine("stepscope: ", message); }

void Log::Verbose(std::string_view message) const {
  if (verbose_) WriteLine("stepscope: ", message);
}

}  // namespace stepscope
