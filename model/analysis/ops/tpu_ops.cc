#include "model/analysis/ops/tpu_ops.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/op_collect.h"
#include "model/analysis/ops/tpu_core_events.h"

namespace stepscope {
namespace {

// Programs and instructions of a host's cores, and the framework op of each.
struct TpuInstruction {
  OpSum sum;
  StringId tf_op{0};
};
using Instructions = std::map<std::pair<int64_t, std::string_view>, TpuInstruction>;

class TpuOpCollector {
 public:
  TpuOpCollector(const Trace& trace, const StatTable& stats, OpSide* side)
      : trace_(trace), stats_(stats), side_(*side) {}

  void Core(const Plane& plane, const TimeScope& scope) {
    Ps busy = 0;
    Extent extent;
    for (const TrackId t : plane.tracks) {
      const Track& track = trace_.set.tracks[t.value];
      if (track.kind != TrackKind::kXlaOps && track.kind != TrackKind::kSteps) continue;
      for (const CoreEvent& e : CoreEventsOf(trace_, stats_, track, scope)) {
        extent.Add(e.begin, e.end());
        if (track.kind == TrackKind::kXlaOps && Add(e)) busy += e.self;
      }
    }
    side_.busy += busy;
    side_.total += std::max(busy, extent.length());
  }

  // Joins the instructions of a framework op. Each of them runs when the op runs, so the op ran as
  // often as the one that ran most.
  void Finish() {
    std::map<std::pair<std::string, std::string>, OpRow> ops;  // by name and type
    for (auto& [key, instruction] : instructions_) {
      const OpName parsed = ParseOpName(stats_.strings->View(instruction.tf_op));
      const bool named = instruction.tf_op.value != 0;
      OpRow& op = ops[{std::string(named ? parsed.name : key.second),
                       std::string(named ? parsed.type : std::string_view("Unknown"))}];
      const uint64_t most = std::max(op.occurrences, instruction.sum.occurrences);
      AddSum(std::move(instruction.sum), &op);
      op.occurrences = most;
    }
    for (auto& [key, op] : ops) {
      std::tie(op.name, op.type) = key;
      side_.ops.push_back(std::move(op));
    }
  }

 private:
  bool Add(const CoreEvent& e) {
    const auto program = stats_.Int(IntStat::kProgramId).Find(e.row);
    if (!program || stats_.Int(IntStat::kSymbolId).Find(e.row).value_or(0) == 0) return false;
    TpuInstruction& instruction =
        instructions_[{*program, trace_.names().DisplayName(MetaId(e.meta))}];
    if (instruction.tf_op.value == 0)
      instruction.tf_op = stats_.Text(StringStat::kTfOp).Find(e.row).value_or(StringId(0));
    instruction.sum.Add(e.duration, e.self, false, e.row);
    return true;
  }

  const Trace& trace_;
  const StatTable& stats_;
  OpSide& side_;
  Instructions instructions_;
};

}  // namespace

void AddTpuOps(const Trace& trace, const StatTable& stats, HostId host, const Scope& scope,
               OpSide* side) {
  TpuOpCollector collector(trace, stats, side);
  for (const Plane& plane : trace.planes) {
    if (plane.kind == PlaneKind::kTpu && plane.host == host)
      collector.Core(plane, scope.OfHost(host));
  }
  collector.Finish();
}

}  // namespace stepscope
