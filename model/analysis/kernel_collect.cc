// Collecting kernels: one pass over the streams of each device plane, grouped by ids first, so that
// text is looked at once per distinct kernel and not once per event.
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "model/analysis/device_type.h"
#include "model/analysis/graphs/graph_ops.h"
#include "model/analysis/kernel_stats.h"
#include "model/analysis/op_name.h"
#include "model/analysis/quirks.h"
#include "model/analysis/scope.h"
#include "model/base/task.h"
#include "model/capabilities.h"
#include "model/lookup.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

struct RawKey {
  uint32_t name, details, tf_op, hlo_op, equation;
  GpuVendor vendor;
  int64_t program;
  KernelLaunch launch;  // from numeric columns (Kineto); default where details tell
  bool operator==(const RawKey&) const = default;
};

struct RawKeyHash {
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

struct Totals {
  uint64_t occurrences = 0;
  Ps total = 0, min = kMaxPs, max = 0;
  int64_t total_ns = 0, min_ns = INT64_MAX, max_ns = 0;
  double occupancy_time = 0, first_occupancy = 0;
  Ps occupancy_known = 0;  // time of the kernels whose occupancy is known
  std::tuple<uint32_t, uint32_t, uint64_t> first{UINT32_MAX, UINT32_MAX,
                                                 UINT64_MAX};  // plane, line, offset in the file

  void Add(Ps dur, double occupancy, std::tuple<uint32_t, uint32_t, uint64_t> order) {
    ++occurrences;
    total += dur, min = std::min(min, dur), max = std::max(max, dur);
    const int64_t ns = dur / kPsPerNs;
    total_ns += ns, min_ns = std::min(min_ns, ns), max_ns = std::max(max_ns, ns);
    if (occupancy >= 0)
      occupancy_time += occupancy * static_cast<double>(dur), occupancy_known += dur;
    if (order < first) first = order, first_occupancy = occupancy;
  }
  void Merge(const Totals& o) {
    occurrences += o.occurrences;
    total += o.total, min = std::min(min, o.min), max = std::max(max, o.max);
    total_ns += o.total_ns, min_ns = std::min(min_ns, o.min_ns),
                            max_ns = std::max(max_ns, o.max_ns);
    occupancy_time += o.occupancy_time, occupancy_known += o.occupancy_known;
    if (o.first < first) first = o.first, first_occupancy = o.first_occupancy;
  }
};
struct RawGroup {
  Totals totals;
  std::vector<EventRow> rows;
};
using RawGroups = std::unordered_map<RawKey, RawGroup, RawKeyHash>;

// Framework op of a Kineto kernel: the cpu_op with its External id, else the op around the call
// that launched it.
class LaunchingOps {
 public:
  LaunchingOps(const Trace& trace, const StatTable& stats) : trace_(trace) {
    if (!CapabilitiesOf(trace).event_categories) return;
    Index(stats.Int(IntStat::kExternalId), EventCategory::kCpuOp, &by_external_id_);
    Index(stats.Int(IntStat::kCorrelationId), EventCategory::kRuntimeCall, &by_correlation_);
  }
  std::string_view Find(int64_t external_id, int64_t correlation) const {
    if (const auto it = by_external_id_.find(external_id); it != by_external_id_.end())
      return trace_.set.Name(EventRow(it->second));
    const auto it = by_correlation_.find(correlation);
    if (it == by_correlation_.end()) return {};
    for (EventRow row = Parent(trace_.set, EventRow(it->second)); row.valid();
         row = Parent(trace_.set, row)) {
      if (Category(row) == EventCategory::kCpuOp) return trace_.set.Name(row);
    }
    return {};
  }

 private:
  EventCategory Category(EventRow row) const {
    return trace_.names().metas[trace_.set.Meta(row).value].category;
  }
  void Index(const SparseColumn<int64_t>& column, EventCategory category,
             std::unordered_map<int64_t, uint32_t>* out) const {
    column.ForAll([&](uint32_t row, int64_t id) {
      if (Category(EventRow(row)) == category) out->try_emplace(id, row);
    });
  }
  const Trace& trace_;
  std::unordered_map<int64_t, uint32_t> by_external_id_, by_correlation_;
};

// Reads what a kernel needs of the typed columns for ascending rows.
class KernelReader {
 public:
  KernelReader(const Trace& trace, const StatTable& stats, const LaunchingOps& ops,
               const GraphOps& graphs)
      : trace_(trace),
        stats_(stats),
        ops_(ops),
        graphs_(graphs),
        by_category_(CapabilitiesOf(trace).event_categories),
        details_(stats.Text(StringStat::kKernelDetails)),
        tf_op_(stats.Text(StringStat::kTfOp)),
        hlo_op_(stats.Text(StringStat::kHloOp)),
        equation_(stats.Text(StringStat::kEquation)),
        program_(stats.Int(IntStat::kProgramId)),
        external_(stats.Int(IntStat::kExternalId)),
        correlation_(stats.Int(IntStat::kCorrelationId)),
        occupancy_(stats.Real(RealStat::kOccupancyPct)) {}

  void Collect(const Track& track, uint32_t plane_order, GpuVendor vendor, const TimeScope& scope,
               RawGroups* out) {
    for (const Lane& lane : trace_.set.LanesOf(track)) {
      if (lane.kind == LaneKind::kInstant) continue;
      Seek(lane.first_row);
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (lane.dur[i] == 0 || !scope.Contains(lane.start[i])) continue;
        AddEvent(lane, i, {plane_order, track.file_order, lane.SourceOffset(i)}, vendor, out);
      }
    }
  }

  // Kineto's op names found so far; RawKey::tf_op counts down from kNone - 1 for them.
  const std::vector<std::string_view>& kineto_ops() const { return kineto_ops_; }

 private:
  void Seek(uint32_t row) {
    details_.Seek(row), tf_op_.Seek(row), hlo_op_.Seek(row), equation_.Seek(row),
        program_.Seek(row);
    external_.Seek(row), correlation_.Seek(row), occupancy_.Seek(row);
  }

  void AddEvent(const Lane& lane, uint32_t i, std::tuple<uint32_t, uint32_t, uint64_t> order,
                GpuVendor vendor, RawGroups* out) {
    const uint32_t row = lane.first_row + i;
    const EventMeta& meta = trace_.names().metas[lane.meta[i]];
    const StringId details = details_.Get(row, StringId());
    const bool has_details = details.valid() && details.value != 0;
    if (!has_details && !(by_category_ && meta.category == EventCategory::kKernel)) return;
    RawKey key{meta.name.value,
               has_details ? details.value : kNone,
               tf_op_.Get(row, StringId()).value,
               hlo_op_.Get(row, StringId()).value,
               equation_.Get(row, StringId()).value,
               vendor,
               program_.Get(row, -1),
               {}};
    double occupancy = 0;
    if (has_details) {
      occupancy = Occupancy(details.value);
    } else {
      key.launch = NumericLaunch(EventRow(row));
      // Kineto writes 0 where it could not tell: a kernel that runs occupies something.
      occupancy = occupancy_.Get(row, 0);
      if (occupancy <= 0) occupancy = kUnknownOccupancy;
      key.tf_op = KinetoOp(ops_.Find(external_.Get(row, -1), correlation_.Get(row, -1)));
    }
    if (const std::string_view op = GraphOpOf(row); !op.empty()) key.tf_op = KinetoOp(op);
    RawGroup& group = (*out)[key];
    group.totals.Add(lane.dur[i], occupancy, order);
    group.rows.emplace_back(row);
  }

  double Occupancy(uint32_t details) {
    const auto [it, added] = occupancy_of_details_.try_emplace(details, 0.0);
    if (added)
      it->second = ParseKernelDetails(stats_.strings->View(StringId(details))).occupancy_pct;
    return it->second;
  }

  KernelLaunch NumericLaunch(EventRow row) const {
    const auto get = [&](IntStat s, int64_t missing) {
      return stats_.Int(s).Find(row).value_or(missing);
    };
    return {get(IntStat::kRegisters, 0),
            get(IntStat::kStaticShared, 0),
            get(IntStat::kDynamicShared, 0),
            {get(IntStat::kGridX, 1), get(IntStat::kGridY, 1), get(IntStat::kGridZ, 1)},
            {get(IntStat::kBlockX, 1), get(IntStat::kBlockY, 1), get(IntStat::kBlockZ, 1)},
            0};
  }

  // Empty but for kernels of graphs: what their launch says is the same for all of them.
  std::string_view GraphOpOf(uint32_t row) const {
    const GraphKernel* kernel = graphs_.Find(row);
    return kernel != nullptr ? graphs_.NameOf(graphs_.ops[kernel->op]) : std::string_view();
  }

  uint32_t KinetoOp(std::string_view name) {
    if (name.empty()) return kNone;
    const auto [it, added] =
        kineto_ids_.try_emplace(name, kNone - 1 - static_cast<uint32_t>(kineto_ops_.size()));
    if (added) kineto_ops_.push_back(name);
    return it->second;
  }

  const Trace& trace_;
  const StatTable& stats_;
  const LaunchingOps& ops_;
  const GraphOps& graphs_;
  const bool by_category_;  // else kernel_details make a kernel
  ColumnCursor<StringId> details_, tf_op_, hlo_op_, equation_;
  ColumnCursor<int64_t> program_, external_, correlation_;
  ColumnCursor<double> occupancy_;
  std::unordered_map<uint32_t, double> occupancy_of_details_;
  std::unordered_map<std::string_view, uint32_t> kineto_ids_;
  std::vector<std::string_view> kineto_ops_;
};

// What a stream's kernels came to.
struct StreamKernels {
  const Track* track = nullptr;
  RawGroups groups;
};

// The streams of a plane, with its reader's own op names.
struct PlaneKernels {
  std::vector<StreamKernels> streams;
  std::vector<std::string_view> kineto_ops;
};

// The framework op of a group of ids: the HLO instruction's where the program is known, else
// tf_op's name.
std::string OpNameOf(const Trace& trace, const StatTable& stats, const RawKey& key,
                     const PlaneKernels& plane) {
  if (key.tf_op != kNone && kNone - 1 - key.tf_op < plane.kineto_ops.size()) {
    return std::string(plane.kineto_ops[kNone - 1 - key.tf_op]);
  }
  std::string_view hlo_op = stats.strings->View(StringId(key.hlo_op));
  if (!hlo_op.empty()) {
    const size_t inner = hlo_op.rfind("::");
    if (inner != std::string_view::npos) hlo_op.remove_prefix(inner + 2);
    const HloInstruction* hlo = trace.hlo.Find(static_cast<uint64_t>(key.program), hlo_op);
    if (hlo) return hlo->op_name;
  }
  const std::string_view tf_op = stats.strings->View(StringId(key.tf_op));
  return tf_op.empty() ? std::string() : std::string(ParseOpName(tf_op).name);
}

// Order and identity of the final groups, as XProf sorts them.
auto FinalKey(const KernelGroup& g) {
  const KernelLaunch& l = g.launch;
  return std::make_tuple(g.name.view(), l.grid, l.block, l.registers, l.static_shared,
                         l.dynamic_shared, g.xprof_uses_tensor_core, g.eligible, g.op_name.view());
}

KernelGroup Describe(const Trace& trace, const StatTable& stats, const RawKey& key,
                     const PlaneKernels& plane, const Quirks& quirks) {
  KernelGroup g;
  g.name = trace.names().strings.View(StringId(key.name));
  g.op_name = OpNameOf(trace, stats, key, plane);
  g.launch = key.details == kNone ? key.launch
                                  : ParseKernelDetails(stats.strings->View(StringId(key.details)));
  g.launch.occupancy_pct = 0;
  g.xprof_uses_tensor_core = XprofUsesTensorCore(g.name, key.vendor);
  g.uses_matrix_unit = UsesMatrixUnit(g.name, key.vendor);
  const bool has_tf_op = !stats.strings->View(StringId(key.tf_op)).empty();
  g.eligible = IsTensorCoreEligible(g.op_name, stats.strings->View(StringId(key.equation))) ||
               (g.xprof_uses_tensor_core && has_tf_op) ||
               (!quirks.kernel_columns_of_xprof && g.uses_matrix_unit);
  return g;
}

void Finish(const Totals& totals, KernelGroup* g) {
  g->occurrences = totals.occurrences;
  g->total = totals.total, g->min = totals.min, g->max = totals.max;
  g->total_ns = totals.total_ns, g->min_ns = totals.min_ns, g->max_ns = totals.max_ns;
  g->first_occupancy_pct = totals.first_occupancy;
  g->mean_occupancy_pct = totals.occupancy_known > 0
                              ? totals.occupancy_time / static_cast<double>(totals.occupancy_known)
                              : kUnknownOccupancy;
}

std::vector<PlaneKernels> CollectPlanes(const Trace& trace, const StatTable& stats,
                                        const Scope& scope, const GraphOps& graphs,
                                        std::stop_token stop) {
  const LaunchingOps ops(trace, stats);
  std::vector<PlaneKernels> planes(trace.planes.size());
  ParallelFor(trace.planes.size(), [&](size_t p) {
    const Plane& plane = trace.planes[p];
    if (plane.kind != PlaneKind::kGpu || stop.stop_requested()) return;
    if (!scope.HasHost(plane.host)) return;
    KernelReader reader(trace, stats, ops, graphs);
    std::vector<TrackId> tracks = plane.tracks;
    std::sort(tracks.begin(), tracks.end());  // the order of by_stream
    for (TrackId id : tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (track.derived_in_file) continue;
      StreamKernels stream{&track, {}};
      reader.Collect(track, plane.file_order, DeviceFactsOf(plane).vendor, scope.OfHost(plane.host),
                     &stream.groups);
      if (!stream.groups.empty()) planes[p].streams.push_back(std::move(stream));
    }
    planes[p].kineto_ops = reader.kineto_ops();
  });
  return planes;
}

// "GPU 0, Stream #14(Compute)", with the host in front where there are several.
std::string StreamLabel(const Trace& trace, const Track& track) {
  const Plane& plane = trace.planes[track.plane.value];
  std::string label =
      plane.display_name + ", " + std::string(trace.names().strings.View(track.name));
  if (trace.hosts.size() > 1) label = std::string(trace.HostName(plane.host)) + " " + label;
  return label;
}

// A kernel of all streams, and its sums so far.
struct Merged {
  KernelGroup group;
  Totals totals;
};

// Groups by what they are. Each stays where it is, because there may be a million.
class MergedGroups {
 public:
  // `group` has the sums of `totals`.
  void Add(KernelGroup group, const Totals& totals) {
    Merged& added = all_.emplace_back();
    added.group = std::move(group);
    const auto [same, fresh] = index_.insert(&added);
    Merged& into = **same;
    into.totals.Merge(totals);
    if (fresh) return;
    into.group.rows.Append(std::move(added.group.rows));
    all_.pop_back();
  }

  // Largest first; ties by what they are.
  std::vector<KernelGroup> Take(bool whole_ns) {
    index_.clear();
    std::vector<Merged*> order;
    order.reserve(all_.size());
    for (Merged& m : all_) order.push_back(&m);
    std::sort(order.begin(), order.end(), [whole_ns](const Merged* a, const Merged* b) {
      const int64_t of_a = whole_ns ? a->totals.total_ns : a->totals.total;
      const int64_t of_b = whole_ns ? b->totals.total_ns : b->totals.total;
      return of_a != of_b ? of_a > of_b : FinalKey(a->group) < FinalKey(b->group);
    });
    std::vector<KernelGroup> groups;
    groups.reserve(order.size());
    for (Merged* m : order) {
      Finish(m->totals, &m->group);
      groups.push_back(std::move(m->group));
    }
    all_.clear();
    return groups;
  }

 private:
  struct Hash {
    size_t operator()(const Merged* m) const {
      const KernelLaunch& l = m->group.launch;
      uint64_t h = std::hash<std::string_view>{}(m->group.name.view());
      for (const int64_t v : {l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.registers,
                              l.dynamic_shared}) {
        h = (h ^ static_cast<uint64_t>(v)) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
      }
      return h ^ std::hash<std::string_view>{}(m->group.op_name.view());
    }
  };
  struct Same {
    bool operator()(const Merged* a, const Merged* b) const {
      return FinalKey(a->group) == FinalKey(b->group);
    }
  };
  std::deque<Merged> all_;
  std::unordered_set<Merged*, Hash, Same> index_;
};

}  // namespace

KernelGroups ComputeKernels(AnalysisContext& context, const AnalysisParams& params,
                            std::stop_token stop) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats(stop);
  const GraphOps graphs = ComputeGraphOps(context, stop);
  std::vector<PlaneKernels> planes =
      CollectPlanes(trace, stats, ScopeOf(context, params, stop), graphs, stop);
  MergedGroups merged;
  std::map<std::string, KernelSum> streams;
  // Of each form only a part is in memory: nodes go from one to the next.
  for (PlaneKernels& plane : planes) {
    for (StreamKernels& stream : plane.streams) {
      KernelSum& of_stream = streams[StreamLabel(trace, *stream.track)];
      while (!stream.groups.empty() && !stop.stop_requested()) {
        auto raw = stream.groups.extract(stream.groups.begin());
        KernelGroup group = Describe(trace, stats, raw.key(), plane, context.quirks());
        Finish(raw.mapped().totals, &group);
        group.rows = EventRows(std::move(raw.mapped().rows));
        of_stream.Add(group);
        merged.Add(std::move(group), raw.mapped().totals);
      }
    }
  }
  KernelGroups result;
  for (auto& [name, sum] : streams) {
    sum.name = name;
    result.by_stream.push_back(std::move(sum));
  }
  result.all = merged.Take(context.quirks().kernel_times_in_whole_ns);
  return result;
}

}  // namespace stepscope
