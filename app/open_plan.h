// What to do with two profiles that are opened together: ranks of one job are one timeline, for
// anything else the user has to say whether to compare or to merge them.
#pragma once

#include <string>
#include <vector>

namespace stepscope {

struct ProfileHint {
  std::string path;  // absolute, without . and ..
  int rank = -1;     // PyTorch's distributedInfo; -1: it has none
  int world_size = -1;
  bool snapshot = false;  // of memory, by its content
};

// Reads the first 64 KB of a file, inflated; nothing of a directory.
ProfileHint ReadHint(const std::string& path);

// Whether both are of one run of one program: different ranks of as many, by what the files say of
// themselves; else by their places: files of one run directory, or paths that differ only in the
// number of a rank, host or worker. Pure.
bool OfOneJob(const ProfileHint& a, const ProfileHint& b);

// Memory snapshots lie below the traces of their run instead of being parts of them.
struct OpenGroups {
  std::vector<std::string> traces, snapshots;  // each in its order
  bool mixed() const { return !traces.empty() && !snapshots.empty(); }
};
OpenGroups GroupsOf(const std::vector<std::string>& paths);

}  // namespace stepscope
