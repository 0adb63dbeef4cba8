// Decides what to do with profiles that are opened together. Ranks of one job become one
// timeline; for other pairs the user has to say whether to compare or to merge them.
#pragma once

#include <string>
#include <vector>

namespace stepscope {

struct ProfileHint {
  std::string path;  // absolute, without . and ..
  int rank = -1;     // PyTorch's distributedInfo; -1: it has none
  int world_size = -1;
  bool snapshot = false;  // its content is a memory snapshot
};

// Reads the first 64 KiB of a file, after inflating. A directory, or a file that cannot be read,
// has its path only.
ProfileHint ReadProfileHint(const std::string& path);

// Whether both files were recorded in one run of one program. If both say their rank, they are
// different ranks of a world of one size. Else their paths decide: both are files of one run
// directory, or the paths differ only in the number of a rank, host or worker. Reads no files.
bool AreOfOneJob(const ProfileHint& a, const ProfileHint& b);

// Memory snapshots are shown below the traces that they belong to instead of becoming parts of
// them.
struct PathsByKind {
  std::vector<std::string> traces, snapshots;  // each in its order
  bool mixed() const { return !traces.empty() && !snapshots.empty(); }
};
PathsByKind SplitByKind(const std::vector<std::string>& paths);

}  // namespace stepscope
