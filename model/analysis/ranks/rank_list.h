// The ranks of a job that one trace holds (docs/rules.md#ranks). Pure. O(lanes + ranks log ranks).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/device_events.h"

namespace stepscope {

struct Rank {
  int64_t number = 0;  // distinct
  HostId host;
  std::vector<PlaneId> devices;  // with work; none: a program whose device is the CPU
  std::string coordinates;       // "dp 0, tp 1" of the file's name; may be empty
};

// By number. Numbers are PyTorch's own where all hosts have one and no two the same, else those in
// the names of the files, else places in the order of the names. A host without a number has a rank
// for each GPU with work; where any host has such GPUs, those without are no ranks.
std::vector<Rank> ListRanks(const Trace& trace, const AnalysisParams& params,
                            const DeviceEvents& events);

}  // namespace stepscope
