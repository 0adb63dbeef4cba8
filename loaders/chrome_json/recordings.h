// Recordings: which files of a folder lie on one time axis. Files of several processes that
// recorded at one time are ranks of a job; files that one process wrote, one after the other, are
// its cycles; anything else is a recording of its own, of which one is opened. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::chrome {

struct RecordedFile {
  std::string worker;   // from the file's name: "node1_77"; empty where it names no process
  std::string process;  // id of the process with most host events; may be empty
  int rank = -1;        // -1: unknown
  int64_t begin_ns = 0, end_ns = 0;  // Unix time of its events
};

// The worker in the name of a file without its ending, which the time of the recording follows:
// "node1_77" in "node1_77.1700000001000000000" and in "node1_77_20240101120000123". Empty where no
// time follows, or where it names no process: "trace.1700000001000000000".
std::string_view WorkerInName(std::string_view name);

// Files that recorded at one time: indices, in the order of the files.
using SameTime = std::vector<uint32_t>;

// One run: its cycles in order of time. Each file of a later cycle is of a process of the first, or
// of a process that has no file there.
struct Recording {
  std::vector<SameTime> cycles;
};

// The recordings of the files, the newest first. O(n^2) in files that do not overlap.
std::vector<Recording> GroupRecordings(std::span<const RecordedFile> files);

// Whether both files are of one process that recorded them one after the other.
bool IsSameProcess(const RecordedFile& a, const RecordedFile& b);

}  // namespace stepscope::chrome
