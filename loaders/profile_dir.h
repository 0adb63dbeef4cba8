// Profile directories: which files of a path are runs, which host each file is of, and what is left
// unread and why. FindRuns itself is declared in loader.h. Stateless. Symbolic links to directories
// are not followed below the given path, depth and number of entries are bounded.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

inline constexpr int kMaxDirectoryDepth = 12;
inline constexpr size_t kMaxDirectoryEntries = 200'000;

enum class FileRole {
  kOther,        // none of our business
  kXSpace,       // <host>.xplane.pb, also .gz, .zst
  kChrome,       // <host>.trace.json, .pt.trace.json, ..., also .gz, .zst
  kMaybeChrome,  // any other .json: its content decides
  kSkipped,      // known, and not read: caches of XProf, older formats
};

struct FileName {
  FileRole role = FileRole::kOther;
  std::string host;         // what comes before the known ending
  const char* reason = "";  // of kSkipped
};

// By name alone. "vm.xplane.pb.gz" -> {kXSpace, "vm"}.
FileName ClassifyFileName(std::string_view name);

}  // namespace stepscope
