// ComputeKernels: one pass over the streams of each device plane groups events by ids, part by part
// (kernel_reader.h); then the text of each distinct kernel is read once, not once per event.
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/analysis/definitions.h"
#include "model/analysis/grouping/lane_parts.h"
#include "model/analysis/kernels/kernel_reader.h"
#include "model/analysis/kernels/launching_ops.h"
#include "model/analysis/naming/op_name.h"

namespace stepscope {
namespace {

// The kernels of one stream.
struct StreamKernels {
  const Track* track = nullptr;
  RawGroups groups;
};

// The streams of a plane, with the op names that their keys count.
struct PlaneKernels {
  std::vector<StreamKernels> streams;
  KinetoOps kineto_ops;
};

// The framework op of a key: that of its HLO instruction where the program is known, else the
// name in tf_op.
std::string OpNameOf(const Trace& trace, const StatTable& stats, const RawKey& key,
                     const PlaneKernels& plane) {
  if (plane.kineto_ops.Has(key.tf_op)) return std::string(plane.kineto_ops.Name(key.tf_op));
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

// Identity of the final groups, and their order among equal totals, as in XProf.
auto FinalKey(const KernelGroup& g) {
  const KernelLaunch& l = g.launch;
  return std::make_tuple(g.name.view(), l.grid, l.block, l.registers, l.static_shared,
                         l.dynamic_shared, g.xprof_uses_tensor_core, g.eligible, g.op_name.view());
}

KernelGroup Describe(const Trace& trace, const StatTable& stats, const RawKey& key,
                     const PlaneKernels& plane, const XprofDefinitions& xprof,
                     KernelCategories* categories) {
  KernelGroup g;
  const std::string_view name = trace.names().strings.View(StringId(key.name));
  g.name = name;
  g.op_name = OpNameOf(trace, stats, key, plane);
  g.launch = key.details == kNoKernelText
                 ? key.launch
                 : ParseKernelDetails(stats.strings->View(StringId(key.details)));
  g.launch.occupancy_pct = 0;
  g.xprof_uses_tensor_core = XprofUsesTensorCore(g.name, key.vendor);
  g.uses_matrix_unit = UsesMatrixUnit(g.name, key.vendor);
  const bool has_tf_op = !stats.strings->View(StringId(key.tf_op)).empty();
  g.eligible = IsTensorCoreEligible(g.op_name, stats.strings->View(StringId(key.equation))) ||
               (g.xprof_uses_tensor_core && has_tf_op) ||
               (!xprof.kernel_columns_of_xprof && g.uses_matrix_unit);
  g.unit = MatrixUnitOf(name, g.uses_matrix_unit, g.eligible, categories);
  return g;
}

void Finish(const KernelTotals& totals, KernelGroup* g) {
  g->occurrences = totals.occurrences;
  g->total = totals.total, g->min = totals.min, g->max = totals.max;
  g->total_ns = totals.total_ns, g->min_ns = totals.min_ns, g->max_ns = totals.max_ns;
  g->first_occupancy_pct = totals.first_occupancy;
  g->mean_occupancy_pct = totals.occupancy_known > 0
                              ? totals.occupancy_time / static_cast<double>(totals.occupancy_known)
                              : kUnknownOccupancy;
}

// The parts of the plane's streams, stream by stream.
std::vector<LanePart> PartsOf(const Trace& trace, const Plane& plane) {
  std::vector<TrackId> tracks = plane.tracks;
  std::sort(tracks.begin(), tracks.end());  // the order of by_stream
  const uint32_t most = EventsOfKeptPart(trace.set.rows);
  std::vector<LanePart> parts;
  for (TrackId id : tracks) {
    const Track& track = trace.set.tracks[id.value];
    if (!track.derived_in_file) AppendParts(trace.set.LanesOf(track), &parts, most);
  }
  std::erase_if(parts, [](const LanePart& p) { return p.lane->kind == LaneKind::kInstant; });
  return parts;
}

// Puts the kernels of a plane's parts together, stream by stream.
PlaneKernels JoinParts(const Trace& trace, std::span<PartKernels> parts) {
  PlaneKernels plane;
  for (PartKernels& part : parts) {
    if (part.groups.empty()) continue;
    const Track* track = &trace.set.tracks[part.lane->track.value];
    if (plane.streams.empty() || plane.streams.back().track != track)
      plane.streams.push_back({track, {}});
    AddPart(std::exchange(part, {}), &plane.kineto_ops, &plane.streams.back().groups);
  }
  return plane;
}

std::vector<PlaneKernels> CollectPlanes(const Trace& trace, const StatTable& stats,
                                        const LaunchingOps& ops, const Scope& scope,
                                        const GraphOps& graphs) {
  PlaneParts parts;
  std::vector<GpuVendor> vendors;
  for (const Plane& plane : trace.planes) {
    const bool read = plane.kind == PlaneKind::kGpu && scope.HasHost(plane.host);
    parts.AddPlane(read ? PartsOf(trace, plane) : std::vector<LanePart>());
    vendors.push_back(DeviceFactsOf(plane).vendor);
  }
  std::vector<PartKernels> found = ReadParts(
      parts.all(), [&] { return KernelReader(trace, stats, ops, graphs); },
      [&](const LanePart& part, KernelReader& reader) {
        const Track& track = trace.set.tracks[part.lane->track.value];
        const Plane& plane = trace.planes[track.plane.value];
        return reader.Read(part, {plane.file_order, track.file_order, vendors[track.plane.value],
                                  scope.OfHost(plane.host)});
      });
  return parts.Joined(std::span(found),
                      [&](std::span<PartKernels> of_plane) { return JoinParts(trace, of_plane); });
}

// "GPU 0, Stream #14(Compute)"; the host stands in front if the trace has several.
std::string StreamLabel(const Trace& trace, const Track& track) {
  const Plane& plane = trace.planes[track.plane.value];
  std::string label =
      plane.display_name + ", " + std::string(trace.names().strings.View(track.name));
  if (trace.hosts.size() > 1) label = std::string(trace.HostName(plane.host)) + " " + label;
  return label;
}

// A kernel of all streams and its sums so far.
struct Merged {
  KernelGroup group;
  KernelTotals totals;
};

// Joins groups with equal FinalKey. A group is never moved, because there may be a million.
class MergedGroups {
 public:
  // `totals` are the sums of `group`.
  void Add(KernelGroup group, const KernelTotals& totals) {
    Merged& added = all_.emplace_back();
    added.group = std::move(group);
    const auto [same, fresh] = index_.insert(&added);
    Merged& into = **same;
    into.totals.Merge(totals);
    if (fresh) return;
    into.group.rows.Append(std::move(added.group.rows));
    all_.pop_back();
  }

  // The groups, largest total first, ties by FinalKey.
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

constexpr size_t kXprofMaxRows = 1000;

void AddSums(KernelStats* stats) {
  for (const KernelGroup& g : stats->kernels) {
    stats->total += g.total, stats->count += g.occurrences;
    if (g.uses_matrix_unit) stats->matrix += g.total;
    if (g.unit == MatrixUnit::kWithout) stats->without_matrix += g.total;
    // The average stands for the group: kernels of one name and launch take about equal time.
    if (g.total < kShortKernel * static_cast<Ps>(g.occurrences))
      stats->short_count += g.occurrences, stats->short_total += g.total;
  }
}

}  // namespace

AnalysisParams KernelStats::KeyOf(AnalysisParams params) {
  params.hlo = {};
  params.peaks.clear();
  return params;
}

KernelStats KernelStats::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats();
  const GraphOps& graphs = context.Get<GraphOps>();
  std::vector<PlaneKernels> planes =
      CollectPlanes(trace, stats, context.Get<LaunchingOps>(), ScopeOf(context, params), graphs);
  MergedGroups merged;
  KernelCategories categories;
  std::map<std::string, KernelSum> streams;
  // Nodes move from one form to the next, so that the two never lie in memory as a whole.
  for (PlaneKernels& plane : planes) {
    for (StreamKernels& stream : plane.streams) {
      KernelSum& of_stream = streams[StreamLabel(trace, *stream.track)];
      while (!stream.groups.empty()) {
        CheckStop();
        auto raw = stream.groups.extract(stream.groups.begin());
        KernelGroup group = Describe(trace, stats, raw.key(), plane, context.xprof(), &categories);
        Finish(raw.mapped().totals, &group);
        group.rows = std::move(raw.mapped().rows);
        of_stream.Add(group);
        merged.Add(std::move(group), raw.mapped().totals);
      }
    }
  }
  KernelStats result;
  for (auto& [name, sum] : streams) {
    sum.name = name;
    result.by_stream.push_back(std::move(sum));
  }
  result.kernels = merged.Take(context.xprof().kernel_times_in_whole_ns);
  AddSums(&result);
  if (context.xprof().kernel_rows_limited && result.kernels.size() > kXprofMaxRows)
    result.kernels.resize(kXprofMaxRows);
  if (!context.xprof().kernel_columns_of_xprof) {
    for (KernelGroup& group : result.kernels)
      group.readable = ReadableName(trace.set, group.name, group.rows);
  }
  return result;
}

}  // namespace stepscope
