// This folder finds the rank of a job for which the others wait, by how much, and why
// (docs/rules.md#ranks). The work has two halves. What one rank did is a RankFacts
// (rank_facts.h), which gather_facts.h makes from the rank's trace. What follows from the facts of
// all ranks is a RankJob, which put_together.h makes without any trace; ranks.h makes the rows of
// the page `ranks` of it (model/analysis/pages/ranks.cc). A fleet keeps the facts of
// ranks that no memory holds together, and uses the same two functions (model/analysis/fleet).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/devices/device_events.h"

namespace stepscope {

struct Rank {
  int64_t number = 0;            // distinct after NumberRanks
  HostId host = {};              // invalid where the trace is not at hand
  std::vector<PlaneId> devices;  // devices with work, of the same trace
  std::string coordinates;       // "dp 0, tp 1", from the file's name; may be empty
  std::string host_name, file;   // the file's name without folders
  std::string device_names;      // "GPU 0, GPU 1"
  bool has_device = false;       // false: the program's device is the CPU
  int64_t own_number = -1;       // as its program recorded it
  int64_t file_number = -1;      // in the file's name
  int64_t place = 0;             // among the ranks of its host
  uint32_t part = 0;             // in the files of its fleet (model/analysis/fleet/fleet.h)
  Ps clock_taken = 0;            // what was taken from its host's times (model/shift_hosts.h)
};

// The ranks of the hosts that params name, in the order of NumberRanks. A host without a number has
// a rank for each GPU with work. Pure. O(lanes + ranks log ranks).
std::vector<Rank> ListRanks(const Trace& trace, const AnalysisParams& params,
                            const DeviceEvents& events);

// Numbers ranks and returns the places of those that are ranks in `ranks`, by number. Numbers are
// the programs' own if all have one and no two the same, else those in the files' names, else
// places in the order of the names. If any rank has a device, those without one are none.
// O(ranks log ranks).
std::vector<uint32_t> NumberRanks(std::vector<Rank>* ranks);

}  // namespace stepscope
