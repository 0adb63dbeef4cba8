// The process and the thread that a track becomes in an exported Chrome trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace stepscope {

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

}  // namespace stepscope
