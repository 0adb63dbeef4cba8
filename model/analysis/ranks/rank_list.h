// This folder finds the rank of a job for which the others wait, by how much, and why
// (docs/rules.md#ranks). In: the trace of several ranks, their steps and device events. Out:
// RankFacts, of which rank_tables.h makes the tables of the analysis `ranks`
// (model/analysis/pages/ranks.cc). The order of the work: rank_list.h here, rank_steps.h,
// collective_calls.h, clocks.h, lateness.h, late_causes.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/devices/device_events.h"

namespace stepscope {

struct Rank {
  int64_t number = 0;  // distinct
  HostId host;
  std::vector<PlaneId> devices;  // devices with work; none: the program's device is the CPU
  std::string coordinates;       // "dp 0, tp 1", from the file's name; may be empty
};

// The ranks that params name, by number. Numbers are PyTorch's own if all hosts have one and no
// two the same, else those in the files' names, else places in the order of the names. A host
// without a number has a rank for each GPU with work. If any host has such GPUs, hosts without
// them are no ranks. Pure. O(lanes + ranks log ranks).
std::vector<Rank> ListRanks(const Trace& trace, const AnalysisParams& params,
                            const DeviceEvents& events);

}  // namespace stepscope
