#include "model/analysis/kernels/kernel_reader.h"

#include <array>
#include <utility>

#include "model/capabilities.h"

namespace stepscope {

namespace {

constexpr size_t kLatest = 1024;

// The columns of a KernelLaunch, and what a kernel has that does not say.
constexpr std::array<std::pair<IntStat, int64_t>, 9> kLaunchStats = {{{IntStat::kRegisters, 0},
                                                                      {IntStat::kStaticShared, 0},
                                                                      {IntStat::kDynamicShared, 0},
                                                                      {IntStat::kGridX, 1},
                                                                      {IntStat::kGridY, 1},
                                                                      {IntStat::kGridZ, 1},
                                                                      {IntStat::kBlockX, 1},
                                                                      {IntStat::kBlockY, 1},
                                                                      {IntStat::kBlockZ, 1}}};

}  // namespace

KernelReader::KernelReader(const Trace& trace, const StatTable& stats, const LaunchingOps& ops,
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
      occupancy_(stats.Real(RealStat::kOccupancyPct)),
      ancestors_(trace.set),
      latest_(kLatest) {
  for (const auto& [stat, missing] : kLaunchStats) launch_.emplace_back(stats.Int(stat));
}

void KernelReader::Collect(const Track& track, uint32_t plane_order, GpuVendor vendor,
                           const TimeScope& scope, RawGroups* out) {
  ++stream_;
  for (const Lane& lane : trace_.set.LanesOf(track)) {
    if (lane.kind == LaneKind::kInstant) continue;
    Seek(lane.first_row);
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (lane.dur[i] == 0 || !scope.Contains(lane.start[i])) continue;
      AddEvent(lane, i, {plane_order, track.file_order, lane.SourceOffset(i)}, vendor, out);
    }
  }
}

void KernelReader::Seek(uint32_t row) {
  details_.Seek(row), tf_op_.Seek(row), hlo_op_.Seek(row), equation_.Seek(row), program_.Seek(row);
  external_.Seek(row), correlation_.Seek(row), occupancy_.Seek(row);
  for (ColumnCursor<int64_t>& column : launch_) column.Seek(row);
}

void KernelReader::AddEvent(const Lane& lane, uint32_t i, FileOrder order, GpuVendor vendor,
                            RawGroups* out) {
  const uint32_t row = lane.first_row + i;
  const EventMeta& meta = trace_.names().metas[lane.meta[i]];
  const StringId details = details_.Get(row, StringId());
  const bool has_details = details.valid() && details.value != 0;
  if (!has_details && !(by_category_ && meta.category == EventCategory::kKernel)) return;
  RawKey key{meta.name.value,
             has_details ? details.value : kNoKernelText,
             tf_op_.Get(row, StringId()).value,
             hlo_op_.Get(row, StringId()).value,
             equation_.Get(row, StringId()).value,
             vendor,
             program_.Get(row, -1),
             {}};
  double occupancy = 0;
  if (!has_details) {
    key.launch = NumericLaunch(row);
    // Kineto writes 0 where it does not know: a kernel that runs occupies something.
    occupancy = occupancy_.Get(row, 0);
    if (occupancy <= 0) occupancy = kUnknownOccupancy;
    key.tf_op =
        KinetoOp(ops_.NameOf(external_.Get(row, -1), correlation_.Get(row, -1), &ancestors_));
  }
  if (const std::string_view op = GraphOpOf(row); !op.empty()) key.tf_op = KinetoOp(op);
  const Known& known = Find(key, out);
  known.group->totals.Add(lane.dur[i], has_details ? known.occupancy : occupancy, order);
  known.group->rows.emplace_back(row);
}

KernelReader::Known& KernelReader::Find(const RawKey& key, RawGroups* out) {
  Known& known = latest_[RawKeyHash::Quick(key) % kLatest];
  if (known.stream == stream_ && known.key == key) return known;
  const double occupancy = key.details == kNoKernelText ? 0 : Occupancy(key.details);
  return known = {key, stream_, &(*out)[key], occupancy};
}

double KernelReader::Occupancy(uint32_t details) {
  const auto [it, added] = occupancy_of_details_.try_emplace(details, 0.0);
  if (added) it->second = ParseKernelDetails(stats_.strings->View(StringId(details))).occupancy_pct;
  return it->second;
}

KernelLaunch KernelReader::NumericLaunch(uint32_t row) {
  std::array<int64_t, kLaunchStats.size()> v;
  for (size_t i = 0; i < v.size(); ++i) v[i] = launch_[i].Get(row, kLaunchStats[i].second);
  return {v[0], v[1], v[2], {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, 0};
}

// The op of a kernel of a graph, else empty. The launch cannot name it, because it is the launch
// of all kernels of the graph.
std::string_view KernelReader::GraphOpOf(uint32_t row) const {
  const GraphKernel* kernel = graphs_.Find(row);
  return kernel != nullptr ? graphs_.NameOf(graphs_.ops[kernel->op]) : std::string_view();
}

uint32_t KernelReader::KinetoOp(std::string_view name) {
  if (name.empty()) return kNoKernelText;
  const auto [it, added] =
      kineto_ids_.try_emplace(name, kNoKernelText - 1 - static_cast<uint32_t>(kineto_ops_.size()));
  if (added) kineto_ops_.push_back(name);
  return it->second;
}

}  // namespace stepscope
