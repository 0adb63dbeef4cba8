#include "model/analysis/ops/tpu_ops.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/op_collect.h"
#include "model/analysis/steps/tpu_steps.h"
#include "model/lookup.h"

namespace stepscope {

void AddTpuOps(const Trace& trace, const StatTable& stats, HostId host, const Scope& scope,
               OpSide* side) {
  const TimeScope& time = scope.OfHost(host);
  std::map<std::pair<std::string, std::string>, OpSum> ops;  // by name and type of the op
  const auto& symbols = stats.Int(IntStat::kSymbolId);
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kTpu || plane.host != host) continue;
    Ps busy = 0;
    Extent extent;
    const auto span = [&](const Lane& lane, uint32_t i) {
      if (time.Contains(lane.start[i])) extent.Add(lane.start[i], lane.end(i));
    };
    ForTpuLine(trace, plane, TrackKind::kSteps, span);
    ForTpuLine(trace, plane, TrackKind::kXlaOps, [&](const Lane& lane, uint32_t i) {
      span(lane, i);
      if (!time.Contains(lane.start[i])) return;
      EventRow row(lane.first_row + i);
      if (symbols.Find(row).value_or(0) == 0 || !stats.Int(IntStat::kProgramId).Find(row)) return;
      StringId tf_op = stats.Text(StringStat::kTfOp).Find(row).value_or(StringId(0));
      OpName parsed = ParseOpName(stats.strings->View(tf_op));
      std::string name(tf_op.value ? parsed.name : trace.names().DisplayName(MetaId(lane.meta[i])));
      std::string type(tf_op.value ? parsed.type : std::string_view("Unknown"));
      Ps self = SelfTime(trace.set, row);
      ops[{std::move(name), std::move(type)}].Add(lane.dur[i], self, false, row);
      busy += self;
    });
    side->busy += busy;
    side->total += std::max(busy, extent.length());
  }
  for (auto& [key, sum] : ops) {
    OpRow& op = side->ops.emplace_back();
    std::tie(op.name, op.type) = key;
    AddSum(std::move(sum), &op);
  }
}

}  // namespace stepscope
