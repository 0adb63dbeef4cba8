#include "app/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/log.h"
#include "app/paths.h"

namespace stepscope {

bool WriteOutput(const std::string& path, std::string_view text) {
  if (!path.empty() && path != "-") {
    if (WriteFileAtomically(path, text)) return true;
    LogError(path + ": cannot be written; choose another file with -o");
    return false;
  }
  const bool ok = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((std::fflush(stdout) == 0 && ok) || errno == EPIPE) return true;
  LogError(std::string("standard output: ") + std::strerror(errno));
  return false;
}

}  // namespace stepscope
