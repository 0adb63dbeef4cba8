// Profile directories: which files of a path are runs, which host each file is of, and what is left
// unread and why. FindRuns itself is declared in loader.h. Stateless. Symbolic links to directories
// are not followed below the given path, depth and number of entries are bounded.
#pragma once

#include <string>
#include <string_view>

#include "loaders/loader.h"

namespace stepscope {

inline constexpr int kMaxDirectoryDepth = 12;
inline constexpr size_t kMaxDirectoryEntries = 200'000;

struct FileName {
  const LoaderDesc* loader = nullptr;  // whose ending it has; null: none of our business
  FileEnding::Kind kind = FileEnding::Kind::kSkipped;
  std::string host;         // what comes before the ending
  const char* reason = "";  // of kSkipped
};

// By name alone. "vm.xplane.pb.gz" -> {XSpace, kOwn, "vm"}.
FileName ClassifyFileName(std::string_view name);

}  // namespace stepscope
