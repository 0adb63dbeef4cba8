// Collects the ops of GPUs in one pass over the events of each device plane, part by part.
#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/analysis/definitions.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/grouping/lane_parts.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/device_op_names.h"
#include "model/analysis/ops/op_collect.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/steps.h"
#include "model/capabilities.h"
#include "model/event_rows.h"

namespace stepscope {
namespace {

// The sums in the part asked for, and the number of runs in the whole trace.
struct DeviceOpSum : OpTotals {
  EventRows rows;
  uint64_t everywhere = 0;
  void Append(DeviceOpSum more) {
    OpTotals::Add(more);
    rows.Append(std::move(more.rows));
    everywhere += more.everywhere;
  }
};

// The ops of a part of a lane, by first use.
struct PartOps {
  std::vector<std::pair<DeviceOpKey, DeviceOpSum>> sums;
  Extent extent;
};

struct PlaneOps {
  std::unordered_map<DeviceOpKey, DeviceOpSum, DeviceOpKeyHash> sums;
  Ps total = 0;
};

// The places of ops in the part that is read. A thread uses one object for one part after the
// other.
class PartPlaces {
 public:
  void BeginPart() { ++part_, places_.clear(); }
  // The op's place; `next` if it has none yet.
  uint32_t Of(const DeviceOpKey& key, uint32_t next) {
    Known& known = latest_[DeviceOpKeyHash()(key) % kLatest];
    if (known.part != part_ || known.key != key)
      known = {key, part_, places_.try_emplace(key, next).first->second};
    return known.place;
  }

 private:
  // A program repeats its ops, so most are found without a search: the latest key of each hash.
  static constexpr size_t kLatest = 1024;
  struct Known {
    DeviceOpKey key;
    uint32_t part = 0, place = 0;
  };
  uint32_t part_ = 0;
  std::vector<Known> latest_ = std::vector<Known>(kLatest);
  std::unordered_map<DeviceOpKey, uint32_t, DeviceOpKeyHash> places_;
};

struct PartReader {
  explicit PartReader(const DeviceOpNames& names) : keys(names) {}
  DeviceOpNames::Reader keys;
  PartPlaces places;
  GroupedRows rows;
};

class DeviceCollector {
 public:
  DeviceCollector(AnalysisContext& context)
      : trace_(context.trace()),
        grouping_(context.Get<Grouping>()),
        xprof_(context.xprof()),
        names_(context),
        work_(DeviceWork(trace_, context.Get<DeviceClasses>().of_meta)),
        traits_(CapabilitiesOf(trace_)) {}

  // The ops of each plane.
  std::vector<PlaneOps> Collect(const Scope& scope) const;
  void Merge(std::vector<PlaneOps> planes, OpSide* side) const;

 private:
  using Named = DeviceOpNames::Named;
  struct NamedOp {
    Named name;
    OpRow row;
    uint64_t everywhere = 0;
  };
  using NamedOps = std::map<std::string, NamedOp>;  // by Named::key

  std::vector<LanePart> PartsOf(const Plane& plane) const;
  PartOps ReadPart(const LanePart& part, const TimeScope& scope, PartReader* reader) const;
  // Puts the parts of a plane together, in order.
  PlaneOps Join(std::span<PartOps> parts) const;
  NamedOps NameSums(std::vector<PlaneOps>&& planes, OpSide* side) const;

  const Trace& trace_;
  const Grouping& grouping_;
  const XprofDefinitions& xprof_;
  const DeviceOpNames names_;
  const std::vector<bool> work_;  // by MetaId
  const Capabilities traits_;
};

std::vector<LanePart> DeviceCollector::PartsOf(const Plane& plane) const {
  std::vector<LanePart> parts;
  const uint32_t most = EventsOfKeptPart(trace_.set.rows);
  for (const Lane* lane : PlaneLanes(trace_, plane)) AppendParts(std::span(lane, 1), &parts, most);
  return parts;
}

PartOps DeviceCollector::ReadPart(const LanePart& part, const TimeScope& scope,
                                  PartReader* reader) const {
  PartOps out;
  const Lane& lane = *part.lane;
  // XProf takes the offset within the line for the time and leaves out the line's own begin.
  const Ps base =
      xprof_.op_times_without_line_start ? trace_.set.tracks[lane.track.value].line_start : 0;
  reader->keys.Seek(lane.first_row + part.begin);
  reader->places.BeginPart();
  for (uint32_t i = part.begin; i < part.end; ++i) {
    if (!work_[lane.meta[i]]) continue;
    const bool counts = scope.Contains(lane.start[i]);
    const uint32_t row = lane.first_row + i;
    if (counts) out.extent.Add(lane.start[i] - base, lane.end(i) - base);
    const DeviceOpKey key = reader->keys.KeyOf(row, lane.meta[i]);
    if (key.empty()) continue;
    const auto next = static_cast<uint32_t>(out.sums.size());
    const uint32_t place = reader->places.Of(key, next);
    if (place == next) out.sums.emplace_back(key, DeviceOpSum());
    DeviceOpSum& sum = out.sums[place].second;
    ++sum.everywhere;
    if (!counts) continue;
    sum.Add({1, lane.dur[i], lane.dur[i], grouping_.IsEager(row)});
    reader->rows.Add(place, EventRow(row));
  }
  std::vector<EventRows> rows = reader->rows.Take(static_cast<uint32_t>(out.sums.size()));
  for (size_t i = 0; i < rows.size(); ++i) out.sums[i].second.rows = std::move(rows[i]);
  return out;
}

PlaneOps DeviceCollector::Join(std::span<PartOps> parts) const {
  PlaneOps out;
  Extent extent;
  for (PartOps& part : parts) {
    extent.Add(part.extent.first, part.extent.last);
    for (auto& [key, sum] : part.sums) out.sums[key].Append(std::move(sum));
    part = {};
  }
  const bool any = !xprof_.op_times_without_line_start || extent.last > 0;
  out.total = any ? extent.length() : 0;
  return out;
}

std::vector<PlaneOps> DeviceCollector::Collect(const Scope& scope) const {
  PlaneParts parts;
  for (const Plane& plane : trace_.planes)
    parts.AddPlane(plane.kind == PlaneKind::kGpu ? PartsOf(plane) : std::vector<LanePart>());
  std::vector<PartOps> found = ReadParts(
      parts.all(), [&] { return PartReader(names_); },
      [&](const LanePart& part, PartReader& reader) {
        const Track& track = trace_.set.tracks[part.lane->track.value];
        return ReadPart(part, scope.OfHost(trace_.planes[track.plane.value].host), &reader);
      });
  return parts.Joined(std::span(found),
                      [&](std::span<PartOps> of_plane) { return Join(of_plane); });
}

// Joins the ops of all planes by Named::key; `side` gets the planes' times.
DeviceCollector::NamedOps DeviceCollector::NameSums(std::vector<PlaneOps>&& planes,
                                                    OpSide* side) const {
  NamedOps ops;
  for (PlaneOps& plane : planes) {
    Ps busy = 0;
    for (auto& [key, sum] : plane.sums) {
      Named named = names_.NameOf(key);
      if (named.key.empty()) continue;
      busy += sum.self;
      NamedOp& op = ops[named.key];
      op.name = std::move(named);
      op.everywhere += sum.everywhere;
      op.row.OpTotals::Add(sum);
      op.row.rows.Append(std::move(sum.rows));
    }
    side->busy += busy;
    side->total += std::max(busy, plane.total);
  }
  return ops;
}

void DeviceCollector::Merge(std::vector<PlaneOps> planes, OpSide* side) const {
  struct Op {
    OpRow row;
    uint64_t everywhere = 0;  // runs of the instruction that runs most often
  };
  std::map<std::pair<std::string, std::string>, Op> by_op;
  NamedOps named_ops = NameSums(std::move(planes), side);
  while (!named_ops.empty()) {  // nodes are freed as they are used: both maps may be large
    const auto node = named_ops.extract(named_ops.begin());
    const auto& [named, one, everywhere] = node.mapped();
    OpName op = ParseOpName(named.provenance);
    std::string name(named.provenance.empty() ? std::string_view(named.fallback) : op.name);
    std::string type(named.provenance.empty() ? std::string_view("Unknown") : op.type);
    if (traits_.pytorch_events && op.category == OpCategory::kUnknown)
      type = named.is_kernel ? TorchKernelType(name) : TorchOpType(name);
    Op& sum = by_op[{name, type}];
    // Each instruction of an op runs once when the op runs. The op runs where the instruction
    // begins that runs most often in the whole trace, so that parts of a trace add up.
    const bool leads = everywhere > sum.everywhere;
    const uint64_t occurrences = leads ? one.occurrences : sum.row.occurrences;
    if (leads) sum.everywhere = everywhere;
    sum.row.Add(one);
    sum.row.occurrences = occurrences;
  }
  for (auto& [key, op] : by_op) {
    if (op.row.rows.empty()) continue;  // it runs in another part of the trace
    std::tie(op.row.name, op.row.type) = key;
    side->ops.push_back(std::move(op.row));
  }
}

}  // namespace

void CollectDeviceOps(AnalysisContext& context, const Scope& scope, std::vector<HostOps>* hosts) {
  const Trace& trace = context.trace();
  const DeviceCollector devices(context);
  std::vector<PlaneOps> planes = devices.Collect(scope);
  for (uint32_t host = 0; host < hosts->size(); ++host) {
    CheckStop();
    std::vector<PlaneOps> mine;
    for (size_t p = 0; p < planes.size(); ++p) {
      if (trace.planes[p].host.value == host) mine.push_back(std::move(planes[p]));
    }
    devices.Merge(std::move(mine), &(*hosts)[host].device_side);
  }
}

}  // namespace stepscope
