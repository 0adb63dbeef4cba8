// Which process and thread of an exported Chrome trace a track becomes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace stepscope {

struct ExportPlaces {
  struct Process {
    int64_t pid = 0;
    std::string name, labels;  // empty: none is written
  };
  struct Thread {
    int64_t tid = 0;
    std::string name;    // empty: none is written
    bool first = false;  // the one of several tracks that share a thread that names it
  };
  std::vector<Process> processes;  // by PlaneId
  std::vector<Thread> threads;     // by TrackId
};

// Numbers are the file's own where they tell processes and threads apart. Tracks that the loader
// makes of one PyTorch stream (kernels, annotations, synchronisation) are one thread again.
// O(planes + tracks log tracks)
ExportPlaces PlacesOf(const Trace& trace);

}  // namespace stepscope
