// What an event becomes in an exported Chrome trace: the process and the thread of its track, and
// its arguments as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// The process and the thread that a track becomes in an exported Chrome trace.
struct ExportPlaces {
  struct Process {
    int64_t pid = 0;
    std::string name, labels;  // empty: not written
  };
  struct Thread {
    int64_t tid = 0;
    std::string name;    // empty: not written
    bool first = false;  // of the tracks that share a thread, the one that sorts it
  };
  std::vector<Process> processes;  // by PlaneId
  std::vector<Thread> threads;     // by TrackId
};

// Numbers are the file's own where they are unique. Tracks that the loader makes from one PyTorch
// stream (kernels, annotations, synchronisation) become one thread again. O(planes + tracks log
// tracks).
ExportPlaces PlacesOf(const Trace& trace);

// Arguments of an event under PyTorch's names, for the export of other formats: tools that read
// it look for registers, launch shape, bytes and correlation under these names.

// Returns the arguments that the event has and that are not in `own`, its arguments in the file.
// Shapes are JSON lists. Any thread may call it. O(arguments log events).
std::vector<Stat> TorchArgs(const StatTable& stats, EventRow row, const std::vector<Stat>& own);

// Appends a JSON string; bytes that are not UTF-8 become replacement characters.
void AppendQuoted(std::string_view text, std::string* out);
// Appends {"name": value, ...} in one line. If `lists` is set, a text that is a JSON list is
// written as a list: the loader of Chrome traces keeps lists as texts.
void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out);

}  // namespace stepscope
