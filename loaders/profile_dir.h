// Profile directories: which files of a path make up runs, which host each file belongs to, and
// which files are not read and why. FindRuns itself is declared in loader.h. Below the given path,
// symbolic links to directories are not followed; depth and number of entries are bounded.
// Stateless.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/files/foreign_file.h"
#include "loaders/loader.h"

namespace stepscope {

// Folder beside a trace with traces of recorded graphs, which are loaded with it (capture_files.h).
inline constexpr std::string_view kCaptureFolder = "capture_traces";
// Folder of a fleet that has its parts (loaders/fleet), and the file that marks a fleet.
inline constexpr std::string_view kFleetFolder = "facts", kFleetMark = "fleet.schema";
inline constexpr int kMaxDirectoryDepth = 12;
inline constexpr size_t kMaxDirectoryEntries = 200'000;

struct FileName {
  const LoaderDesc* loader = nullptr;                // the loader that has its ending; null: none
  FileEnding::Kind kind = FileEnding::Kind::kLoose;  // of the loader's ending
  std::string host;                                  // what comes before the ending
  std::optional<ForeignFile> foreign;  // what it is where its name says that no loader reads it
};

// A file of a place that is listed by other means than a file system.
struct ListedFile {
  std::string path;  // below the place
  uint64_t bytes = 0;
};
// The runs among the files, as FindRuns finds them in a directory. Files that only their content
// could show to be profiles are left out, and so are empty ones. The paths of the runs' files begin
// with `root`.
Result<std::vector<ProfileRun>> RunsOfListing(const std::string& root,
                                              std::span<const ListedFile> files);

// The run of that name; empty: the first. Of a single run its loader may know parts by their names
// (Trace::runs), so it is returned for any name. kUsage where there is none: the names that there
// are.
Result<ProfileRun> PickRun(std::vector<ProfileRun> runs, const std::string& wanted,
                           const std::string& path);

// Classifies a file by its name alone: "vm.xplane.pb.gz" is {XSpace, kOwn, "vm"}.
FileName ClassifyFileName(std::string_view name);

}  // namespace stepscope
