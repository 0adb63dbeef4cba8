// This folder finds the rank of a job for which the others wait, by how much, and why
// (docs/rules.md#ranks). The work has two halves. What one rank did is a RankFacts
// (rank_facts.h), which gather_facts.h makes from the rank's trace. What follows from the facts of
// all ranks is a RankJob, which put_together.h makes without any trace; ranks.h makes the rows of
// the page `ranks` of it (model/analysis/pages/ranks.cc). A fleet keeps the facts of ranks that no
// memory holds together, and uses the same two functions (model/analysis/fleet).
//
// RankFacts: what one rank did, as far as other ranks matter to it. It is made where the
// rank's trace is and needs no trace afterwards. A value. Times are in ps on the rank's own clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/devices/device_events.h"
#include "model/analysis/steps/losses.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// A coordinate of a rank in a name: "dp0_pp0_tp1_rank3", "TP-0-DP-1".
struct RankCoordinate {
  std::string axis;  // "dp", "tp", "pp", "ep", "cp", "sp", or "rank" for the rank's number
  int64_t index = 0;
  bool operator==(const RankCoordinate&) const = default;
};

// The first coordinate of each axis, in the order of the name. O(length).
std::vector<RankCoordinate> CoordinatesIn(std::string_view name);
// "dp 0, tp 1", without the rank's number.
std::string CoordinatesText(const std::vector<RankCoordinate>& coordinates);

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

// Gives each rank its number, and returns the places in `ranks` by number. The numbers are the
// programs' own if all have one and no two are the same, else those in the names of files, else the
// order of the names. If any rank has a device, entries without a device are left out.
// O(ranks log ranks).
std::vector<uint32_t> NumberRanks(std::vector<Rank>* ranks);

struct RankStep {
  int64_t number = 0;       // the step's number; ranks with equal numbers share a step of the job
  TimeRange span;           // on the rank's own clock
  Ps total = 0;             // the step's time, mean over the rank's devices
  Ps busy = 0;              // its part in compute and copies
  bool counts = true;       // it counts in medians
  StepClassTimes losses{};  // `total` by class, kCompute included; all 0: not known
};

// The steps by rank, then by begin. Pure. O(n log n) in device steps.
std::vector<std::vector<RankStep>> StepsOfRanks(const std::vector<Rank>& ranks,
                                                const StepDatabase& db, const Scope& scope);
// The step around `t`, or null. O(log n).
const RankStep* StepAt(const std::vector<RankStep>& steps, Ps t);

// A rank's part in a collective.
struct RankCall {
  static constexpr uint32_t kNoGroup = 0xffffffffu;
  uint32_t row = 0;           // its device event, or host event
  uint32_t group = kNoGroup;  // in RankFacts::groups; kNoGroup: its participants are not known
  uint32_t name = 0;          // in RankFacts::names
  bool in_step = false;       // `step` is known
  bool explained = false;     // there is time from `since` to `begin`
  Ps begin = 0, end = 0;
  Ps since = 0;       // end of the rank's earlier collectives, or its first step's begin
  int64_t order = 0;  // `Seq`, else the step's number
  int64_t step = 0;
  int64_t bytes = -1;      // of the larger side, as recorded; -1: unknown
  int64_t group_size = 0;  // recorded number of participants; 0: unknown
};

// A process group, or the two ends of a message, as a rank records it.
struct RankGroup {
  std::string name, ranks;     // "[0, 1, 5]"; either may be empty
  bool has_order = false;      // `Seq` is recorded
  int64_t from = -1, to = -1;  // of a message
  bool operator==(const RankGroup&) const = default;
};

// A part of the time before a call, from `since` to `begin`, by the class that it went to.
struct RankWait {
  uint32_t call = 0;  // in RankFacts::calls
  StepTimeClass loss = StepTimeClass::kUnknown;
  Ps time = 0;
};
struct RankCause {
  uint32_t call = 0;
  StepTimeClass loss = StepTimeClass::kUnknown;
  uint32_t event = 0;  // in RankFacts::events
  Ps time = 0;
};

struct RankKernel {
  std::string name;
  int64_t count = 0;
  Ps total = 0;
  Ps median = 0;  // of one run
};

struct RankFacts {
  Rank rank;
  Ps moved = 0;                 // what was added to all times since they were gathered
  std::vector<RankStep> steps;  // by begin
  std::vector<std::string> names;
  std::vector<RankGroup> groups;
  std::vector<RankCall> calls;  // stream by stream, each by begin
  std::vector<RankWait> waits;  // by call; the classes with time
  std::vector<std::string> events;
  std::vector<RankCause> causes;    // by call
  std::vector<RankKernel> kernels;  // those with most time, by falling time
  int64_t peak_bytes = -1;          // the most that its allocators held; -1: unknown
  int64_t capacity_bytes = -1;      // of its device; -1: unknown
};

}  // namespace stepscope
