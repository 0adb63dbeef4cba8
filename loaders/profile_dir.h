// Profile directories: which files of a path make up runs, which host each file belongs to, and
// which files are not read and why. FindRuns itself is declared in loader.h. Below the given path,
// symbolic links to directories are not followed; depth and number of entries are bounded.
// Stateless.
#pragma once

#include <string>
#include <string_view>

#include "loaders/loader.h"

namespace stepscope {

// Folder beside a trace with traces of recorded graphs, which are loaded with it (capture_files.h).
inline constexpr std::string_view kCaptureFolder = "capture_traces";
inline constexpr int kMaxDirectoryDepth = 12;
inline constexpr size_t kMaxDirectoryEntries = 200'000;

struct FileName {
  const LoaderDesc* loader = nullptr;  // the loader that has its ending; null: none
  FileEnding::Kind kind = FileEnding::Kind::kSkipped;
  std::string host;         // what comes before the ending
  const char* reason = "";  // only for kSkipped: what the file is
};

// Classifies a file by its name alone: "vm.xplane.pb.gz" is {XSpace, kOwn, "vm"}.
FileName ClassifyFileName(std::string_view name);

}  // namespace stepscope
