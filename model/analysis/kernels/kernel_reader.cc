#include "model/analysis/kernels/kernel_reader.h"

#include <array>
#include <utility>

#include "model/capabilities.h"

namespace stepscope {

namespace {

constexpr size_t kLatest = 1024;

// The columns of a KernelLaunch, and the value of a kernel without one.
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

PartKernels KernelReader::Read(const LanePart& part, const Stream& stream) {
  ++part_;
  groups_.clear();
  const Lane& lane = *part.lane;
  out_.lane = &lane;
  Seek(lane.first_row + part.begin);
  for (uint32_t i = part.begin; i < part.end; ++i) {
    // A file with whole microseconds has kernels of length 0; XProf leaves those of an XSpace out.
    const bool counts = lane.dur[i] > 0 || by_category_;
    if (counts && stream.scope.Contains(lane.start[i])) AddEvent(lane, i, stream);
  }
  std::vector<EventRows> rows = rows_.Take(static_cast<uint32_t>(out_.groups.size()));
  for (size_t g = 0; g < rows.size(); ++g) out_.groups[g].rows = std::move(rows[g]);
  out_.kineto_ops = kineto_ops_.Take();
  return std::exchange(out_, {});
}

void KernelReader::Seek(uint32_t row) {
  details_.Seek(row), tf_op_.Seek(row), hlo_op_.Seek(row), equation_.Seek(row), program_.Seek(row);
  external_.Seek(row), correlation_.Seek(row), occupancy_.Seek(row);
  for (ColumnCursor<int64_t>& column : launch_) column.Seek(row);
}

void KernelReader::AddEvent(const Lane& lane, uint32_t i, const Stream& stream) {
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
             stream.vendor,
             program_.Get(row, -1),
             {}};
  double occupancy = 0;
  if (!has_details) {
    key.launch = NumericLaunch(row);
    // Kineto writes 0 for an unknown occupancy: no kernel that runs has 0.
    occupancy = occupancy_.Get(row, 0);
    if (occupancy <= 0) occupancy = kUnknownOccupancy;
    key.tf_op =
        NumberOf(ops_.NameOf(external_.Get(row, -1), correlation_.Get(row, -1), &ancestors_));
  }
  if (const std::string_view op = GraphOpOf(row); !op.empty()) key.tf_op = NumberOf(op);
  const uint32_t number = GroupOf(key);
  Group& group = out_.groups[number];
  group.totals.Add(lane.dur[i], has_details ? group.occupancy : occupancy,
                   {stream.plane_order, stream.line_order, lane.SourceOffset(i)});
  if (!has_details && (occupancy >= 0 || !group.occupancies.empty())) {
    group.occupancies.resize(group.totals.occurrences - 1, kUnknownOccupancy);
    group.occupancies.push_back(occupancy);
  }
  rows_.Add(number, EventRow(row));
}

uint32_t KernelReader::GroupOf(const RawKey& key) {
  KnownGroup& known = latest_[RawKeyHash::Quick(key) % kLatest];
  if (known.part == part_ && known.key == key) return known.group;
  const auto [it, added] = groups_.try_emplace(key, static_cast<uint32_t>(out_.groups.size()));
  if (added) out_.groups.push_back({key, {}, {}});
  if (added && key.details != kNoKernelText) out_.groups.back().occupancy = Occupancy(key.details);
  known = {key, part_, it->second};
  return known.group;
}

uint32_t KernelReader::NumberOf(std::string_view op) {
  if (op.empty()) return kNoKernelText;
  const auto place = reinterpret_cast<uintptr_t>(op.data());
  KnownOp& known = latest_ops_[(place >> 3 ^ place >> 9) % latest_ops_.size()];
  const bool same = known.name.data() == op.data() && known.name.size() == op.size();
  if (known.part != part_ || !same) known = {op, part_, kineto_ops_.Number(op)};
  return known.number;
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

// The op of a kernel of a graph; empty for other kernels. The kernel's launch does not tell the op:
// it launched the whole graph.
std::string_view KernelReader::GraphOpOf(uint32_t row) const {
  const GraphKernel* kernel = graphs_.Find(row);
  return kernel != nullptr ? graphs_.NameOf(graphs_.ops[kernel->op]) : std::string_view();
}

uint32_t KinetoOps::Number(std::string_view name) {
  if (name.empty()) return kNoKernelText;
  const auto [it, added] =
      numbers_.try_emplace(name, kNoKernelText - 1 - static_cast<uint32_t>(names_.size()));
  if (added) names_.push_back(name);
  return it->second;
}

std::vector<std::string_view> KinetoOps::Take() {
  numbers_.clear();
  return std::exchange(names_, {});
}

namespace {

// Adds the products of occupancy and duration to the sum.
double OccupancyTime(double sum, const Lane& lane, const PartKernels::Group& group) {
  const bool of_all = group.occupancy >= 0;
  if (!of_all && group.occupancies.empty()) return sum;
  size_t next = 0;
  for (const EventRow row : group.rows) {
    const double occupancy = of_all ? group.occupancy : group.occupancies[next++];
    if (occupancy >= 0)
      sum += occupancy * static_cast<double>(lane.dur[row.value - lane.first_row]);
  }
  return sum;
}

}  // namespace

void AddPart(PartKernels part, KinetoOps* ops, RawGroups* groups) {
  std::vector<uint32_t> numbers;  // in `ops`, by the part's index
  for (const std::string_view name : part.kineto_ops) numbers.push_back(ops->Number(name));
  for (PartKernels::Group& from : part.groups) {
    RawKey key = from.key;
    const uint32_t op = KinetoOps::IndexOf(key.tf_op);
    if (key.tf_op != kNoKernelText && op < numbers.size()) key.tf_op = numbers[op];
    RawGroup& into = (*groups)[key];
    into.totals.Merge(from.totals);
    into.totals.occupancy_time = OccupancyTime(into.totals.occupancy_time, *part.lane, from);
    into.rows.Append(std::move(from.rows));
  }
}

}  // namespace stepscope
