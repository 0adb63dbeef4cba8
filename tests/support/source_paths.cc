#include "tests/support/source_paths.h"

namespace stepscope::test {

std::string SourcePath(std::string_view relative) {
  return std::string(STEPSCOPE_SOURCE_DIR "/").append(relative);
}

std::string SharedPath(std::string_view relative) {
  return std::string(STEPSCOPE_SHARED_DIR "/").append(relative);
}

std::string ProgramPath() { return STEPSCOPE_BINARY; }

}  // namespace stepscope::test
