// The ops of GPUs: a pass over the events of each device plane.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/analysis/grouping.h"
#include "model/analysis/op_collect.h"
#include "model/analysis/op_name.h"
#include "model/analysis/quirks.h"
#include "model/analysis/steps.h"
#include "model/base/task.h"
#include "model/capabilities.h"
#include "model/lookup.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

// What makes two device events the same op; resolved to text once each.
struct DeviceKey {
  uint32_t tf_op = 0, hlo_op = 0, meta = 0;
  int64_t program = 0;
  bool operator==(const DeviceKey&) const = default;
};
struct DeviceKeyHash {
  size_t operator()(const DeviceKey& k) const {
    uint64_t h = (uint64_t{k.tf_op} << 32 | k.hlo_op) * 0x9e3779b97f4a7c15ull;
    h ^= (static_cast<uint64_t>(k.program) + k.meta) * 0xff51afd7ed558ccdull;
    return static_cast<size_t>(h ^ h >> 29);
  }
};
struct PlaneOps {
  std::unordered_map<DeviceKey, OpSum, DeviceKeyHash> sums;
  Ps total = 0;
};

class DeviceCollector {
 public:
  DeviceCollector(AnalysisContext& context, const std::stop_token& stop)
      : trace_(context.trace()),
        stats_(context.stats(stop)),
        grouping_(context.grouping(stop)),
        quirks_(context.quirks()),
        traits_(CapabilitiesOf(trace_)) {}

  PlaneOps CollectPlane(const Plane& plane, const TimeScope& scope) const;
  void Merge(std::vector<PlaneOps> planes, OpSide* side) const;

 private:
  struct Named {
    std::string key, provenance, fallback;  // key empty: left out
    bool is_kernel = false;                 // not an op: launched by none
  };
  using NamedOps = std::map<std::string, std::pair<Named, OpRow>>;  // by Named::key

  Named NameOf(const DeviceKey& key) const;
  NamedOps NameSums(std::vector<PlaneOps>&& planes, OpSide* side) const;
  uint32_t LaunchingOp(uint32_t row) const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const Quirks& quirks_;
  const Capabilities traits_;
};

// The metadata of the innermost cpu_op around the call that launched the event; kNone if unknown.
uint32_t DeviceCollector::LaunchingOp(uint32_t device_row) const {
  for (EventRow row = grouping_.LaunchOf(device_row); row.valid(); row = Parent(trace_.set, row)) {
    uint32_t meta = trace_.set.Meta(row).value;
    if (trace_.names().metas[meta].category == EventCategory::kCpuOp) return meta;
  }
  return kNone;
}

PlaneOps DeviceCollector::CollectPlane(const Plane& plane, const TimeScope& scope) const {
  PlaneOps out;
  ColumnCursor<StringId> tf_op(stats_.Text(StringStat::kTfOp)),
      hlo(stats_.Text(StringStat::kHloOp));
  ColumnCursor<int64_t> program(stats_.Int(IntStat::kProgramId));
  Extent extent;
  for (const Lane* lane : PlaneLanes(trace_, plane)) {
    // XProf takes the offset within the line for the time: the line's own begin is left out.
    Ps base =
        quirks_.op_times_without_line_start ? trace_.set.tracks[lane->track.value].line_start : 0;
    tf_op.Seek(lane->first_row);
    hlo.Seek(lane->first_row);
    program.Seek(lane->first_row);
    OpSum* sum = nullptr;
    DeviceKey sum_key;
    for (uint32_t i = 0; i < lane->size(); ++i) {
      if (!scope.Contains(lane->start[i])) continue;
      uint32_t row = lane->first_row + i;
      extent.Add(lane->start[i] - base, lane->end(i) - base);
      DeviceKey key;
      key.hlo_op = hlo.Get(row, StringId(0)).value;
      if (key.hlo_op) {
        key.program = program.Get(row, 0);
      } else {
        key.tf_op = tf_op.Get(row, StringId(0)).value;
      }
      if (traits_.pytorch_events) {
        uint32_t op = LaunchingOp(row);
        key.meta = (op == kNone ? lane->meta[i] : op) + 1;
      }
      if (!key.hlo_op && !key.tf_op && !key.meta) continue;
      if (!sum || !(key == sum_key)) {
        sum = &out.sums[key];
        sum_key = key;
      }
      sum->Add(lane->dur[i], lane->dur[i], grouping_.IsEager(row), EventRow(row));
    }
  }
  const bool any = !quirks_.op_times_without_line_start || extent.last > 0;
  out.total = any ? extent.length() : 0;
  return out;
}

DeviceCollector::Named DeviceCollector::NameOf(const DeviceKey& key) const {
  Named n;
  if (key.meta) {
    const EventMeta& meta = trace_.names().metas[key.meta - 1];
    n.key = n.provenance = trace_.names().strings.View(meta.name);
    n.is_kernel = meta.category != EventCategory::kCpuOp;
    return n;
  }
  if (key.hlo_op) {
    std::string_view op = stats_.strings->View(StringId(key.hlo_op));
    if (size_t inner = op.rfind("::"); inner != std::string_view::npos) op.remove_prefix(inner + 2);
    const HloInstruction* hlo = trace_.hlo.Find(static_cast<uint64_t>(key.program), op);
    if (!hlo && quirks_.unknown_hlo_left_out) return n;
    n.key = std::to_string(key.program) + "/" + std::string(op);
    n.fallback = op;
    if (hlo && !hlo->op_name.empty()) n.provenance = hlo->op_name + ":" + hlo->op_type;
    return n;
  }
  n.provenance = stats_.strings->View(StringId(key.tf_op));
  // It may be a trace.json's long_name, which kernels have too.
  if (traits_.long_names_for_tf_op && ParseOpName(n.provenance).category == OpCategory::kUnknown)
    return n;
  n.key = ":" + n.provenance;
  return n;
}

// Ops of all planes by what makes them one; `side` gets the planes' times.
DeviceCollector::NamedOps DeviceCollector::NameSums(std::vector<PlaneOps>&& planes,
                                                    OpSide* side) const {
  NamedOps ops;
  for (PlaneOps& plane : planes) {
    Ps busy = 0;
    for (auto& [key, sum] : plane.sums) {
      Named named = NameOf(key);
      if (named.key.empty()) continue;
      busy += sum.self;
      auto& [first, op] = ops[named.key];
      first = std::move(named);
      AddSum(std::move(sum), &op);
    }
    side->busy += busy;
    side->total += std::max(busy, plane.total);
  }
  return ops;
}

void DeviceCollector::Merge(std::vector<PlaneOps> planes, OpSide* side) const {
  std::map<std::pair<std::string, std::string>, OpRow> by_op;
  NamedOps named_ops = NameSums(std::move(planes), side);
  while (!named_ops.empty()) {  // nodes go as they are used: both maps may be large
    const auto node = named_ops.extract(named_ops.begin());
    const auto& [named, one] = node.mapped();
    OpName op = ParseOpName(named.provenance);
    std::string name(named.provenance.empty() ? std::string_view(named.fallback) : op.name);
    std::string type(named.provenance.empty() ? std::string_view("Unknown") : op.type);
    if (traits_.pytorch_events && op.category == OpCategory::kUnknown)
      type = named.is_kernel ? TorchKernelType(name) : TorchOpType(name);
    OpRow& sum = by_op[{name, type}];
    // The instructions that an op became run once each time that it runs.
    const uint64_t occurrences = std::max(sum.occurrences, one.occurrences);
    sum.Add(one);
    sum.occurrences = occurrences;
  }
  for (auto& [key, op] : by_op) {
    std::tie(op.name, op.type) = key;
    side->ops.push_back(std::move(op));
  }
}

}  // namespace

void CollectDeviceOps(AnalysisContext& context, const Scope& scope, const std::stop_token& stop,
                      std::vector<HostOps>* hosts) {
  const Trace& trace = context.trace();
  const DeviceCollector devices(context, stop);
  std::vector<PlaneOps> planes(trace.planes.size());
  ParallelFor(planes.size(), [&](size_t p) {
    const Plane& plane = trace.planes[p];
    if (plane.kind == PlaneKind::kGpu && !stop.stop_requested())
      planes[p] = devices.CollectPlane(plane, scope.OfHost(plane.host));
  });
  for (uint32_t host = 0; host < hosts->size() && !stop.stop_requested(); ++host) {
    std::vector<PlaneOps> mine;
    for (size_t p = 0; p < planes.size(); ++p) {
      if (trace.planes[p].host.value == host) mine.push_back(std::move(planes[p]));
    }
    devices.Merge(std::move(mine), &(*hosts)[host].device_side);
  }
}

}  // namespace stepscope
