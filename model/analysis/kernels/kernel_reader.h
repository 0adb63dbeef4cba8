// KernelReader: the kernels of a part of a GPU stream, grouped by the ids that their events have.
// AddPart puts the parts together. Internal to kernel_collect.cc, which turns ids into text. All
// of these view the trace, which must outlive them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/analysis/graphs/graph_ops.h"
#include "model/analysis/grouping/lane_parts.h"
#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/kernels/launching_ops.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/steps/scope.h"
#include "model/ancestor_reader.h"
#include "model/event_rows.h"
#include "model/sparse_column.h"

namespace stepscope {

constexpr uint32_t kNoKernelText = 0xffffffffu;

// The ids of an event that identify its kernel. Events with equal keys are one kernel, whose text
// is read once.
struct RawKey {
  uint32_t name, details, tf_op, hlo_op, equation;  // StringIds; kNoKernelText: none
  GpuVendor vendor;
  int64_t program;
  KernelLaunch launch;  // from numeric columns (Kineto); default where there are details
  bool operator==(const RawKey&) const = default;
};

struct RawKeyHash {
  // Mixes less, for a look at few places: the ids that tell most kernels apart.
  static size_t Quick(const RawKey& k) {
    return ((uint64_t{k.name} << 32 | k.details) + (uint64_t{k.tf_op} << 32 | k.hlo_op) * 31) *
               0x9e3779b97f4a7c15ull >>
           32;
  }
  size_t operator()(const RawKey& k) const {
    uint64_t h = 0x9e3779b97f4a7c15ull;
    const auto mix = [&h](uint64_t v) { h = (h ^ v) * 0xff51afd7ed558ccdull, h ^= h >> 32; };
    mix(uint64_t{k.name} << 32 | k.details);
    mix(uint64_t{k.tf_op} << 32 | k.hlo_op);
    mix(uint64_t{k.equation} << 32 ^ static_cast<uint64_t>(k.program));
    mix(static_cast<uint64_t>(k.launch.registers * 31 + k.launch.grid[0] * 1009 +
                              k.launch.block[0] + k.launch.dynamic_shared));
    return h;
  }
};

// Plane, line and offset in the file.
using FileOrder = std::tuple<uint32_t, uint32_t, uint64_t>;

// Sums of the events of one kernel.
struct KernelTotals {
  uint64_t occurrences = 0;
  Ps total = 0, min = kMaxPs, max = 0;
  int64_t total_ns = 0, min_ns = INT64_MAX, max_ns = 0;
  double occupancy_time = 0, first_occupancy = 0;  // AddPart adds to the time
  Ps occupancy_known = 0;                          // time of the kernels whose occupancy is known
  FileOrder first{UINT32_MAX, UINT32_MAX, UINT64_MAX};

  void Add(Ps dur, double occupancy, FileOrder order) {
    ++occurrences;
    total += dur, min = std::min(min, dur), max = std::max(max, dur);
    const int64_t ns = dur / kPsPerNs;
    total_ns += ns, min_ns = std::min(min_ns, ns), max_ns = std::max(max_ns, ns);
    if (occupancy >= 0) occupancy_known += dur;
    if (order < first) first = order, first_occupancy = occupancy;
  }
  void Merge(const KernelTotals& o) {
    occurrences += o.occurrences;
    total += o.total, min = std::min(min, o.min), max = std::max(max, o.max);
    total_ns += o.total_ns, min_ns = std::min(min_ns, o.min_ns),
                            max_ns = std::max(max_ns, o.max_ns);
    occupancy_time += o.occupancy_time, occupancy_known += o.occupancy_known;
    if (o.first < first) first = o.first, first_occupancy = o.first_occupancy;
  }
};

// Numbers op names that are no StringId of the stats: RawKey::tf_op counts down from
// kNoKernelText - 1 for them.
class KinetoOps {
 public:
  uint32_t Number(std::string_view name);  // kNoKernelText where there is none
  // Whether it is the number of a name here.
  bool Has(uint32_t tf_op) const {
    return tf_op != kNoKernelText && IndexOf(tf_op) < names_.size();
  }
  std::string_view Name(uint32_t tf_op) const { return names_[IndexOf(tf_op)]; }
  static uint32_t IndexOf(uint32_t tf_op) { return kNoKernelText - 1 - tf_op; }
  // Gives the names by index and begins anew.
  std::vector<std::string_view> Take();

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::vector<std::string_view> names_;
};

// The kernels of a part of a lane, by first use.
struct PartKernels {
  struct Group {
    RawKey key;
    KernelTotals totals;
    EventRows rows;
    // AddPart adds occupancies up in order, because a sum of sums would be rounded otherwise. The
    // details of a key say one for all kernels; `occupancies` has one for each kernel of a key
    // without details, or none if none is known.
    double occupancy = kUnknownOccupancy;
    std::vector<double> occupancies = {};
  };
  const Lane* lane = nullptr;
  std::vector<Group> groups;
  std::vector<std::string_view> kineto_ops;  // that the keys count, as KinetoOps does
};

// The kernels of a stream, or of its parts so far.
struct RawGroup {
  KernelTotals totals;
  EventRows rows;
};
using RawGroups = std::unordered_map<RawKey, RawGroup, RawKeyHash>;
// Adds the next part to `groups`, whose keys count `ops`; the part's op names are added to these.
// O(groups + kernels with a known occupancy).
void AddPart(PartKernels part, KinetoOps* ops, RawGroups* groups);

// Reads kernels. One thread uses one.
class KernelReader {
 public:
  // The facts that all kernels of a stream share.
  struct Stream {
    uint32_t plane_order = 0, line_order = 0;  // in the file
    GpuVendor vendor{};
    TimeScope scope;
  };
  KernelReader(const Trace& trace, const StatTable& stats, const LaunchingOps& ops,
               const GraphOps& graphs);

  // The part's kernels that begin in the stream's scope. O(events).
  PartKernels Read(const LanePart& part, const Stream& stream);

 private:
  using Group = PartKernels::Group;
  void Seek(uint32_t row);
  void AddEvent(const Lane& lane, uint32_t i, const Stream& stream);
  uint32_t GroupOf(const RawKey& key);
  uint32_t NumberOf(std::string_view op);
  double Occupancy(uint32_t details);
  KernelLaunch NumericLaunch(uint32_t row);
  std::string_view GraphOpOf(uint32_t row) const;

  const Trace& trace_;
  const StatTable& stats_;
  const LaunchingOps& ops_;
  const GraphOps& graphs_;
  const bool by_category_;  // else an event with kernel_details is a kernel
  ColumnCursor<StringId> details_, tf_op_, hlo_op_, equation_;
  ColumnCursor<int64_t> program_, external_, correlation_;
  ColumnCursor<double> occupancy_;
  AncestorReader ancestors_;
  std::vector<ColumnCursor<int64_t>> launch_;  // registers, memory, grid and block
  std::unordered_map<uint32_t, double> occupancy_of_details_;
  // A program repeats its kernels and ops, so most are found here without a search: the latest key
  // of each hash, and the latest name of each place in memory.
  struct KnownGroup {
    RawKey key;
    uint32_t part = 0;  // as part_
    uint32_t group = 0;
  };
  std::vector<KnownGroup> latest_;
  struct KnownOp {
    std::string_view name;
    uint32_t part = 0, number = 0;
  };
  std::array<KnownOp, 64> latest_ops_{};
  uint32_t part_ = 0;  // the number of the part that is read, from 1
  std::unordered_map<RawKey, uint32_t, RawKeyHash> groups_;  // by key: the part's
  KinetoOps kineto_ops_;
  GroupedRows rows_;
  PartKernels out_;
};

}  // namespace stepscope
