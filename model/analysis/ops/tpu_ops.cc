#include "model/analysis/ops/op_collect.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "model/analysis/naming/op_name.h"
#include "model/analysis/tpu/core_events.h"

namespace stepscope {
namespace {

// Programs and instructions of a host's cores, and the framework op of each.
struct TpuInstruction {
  OpSum sum;
  StringId tf_op{0};
  uint64_t everywhere = 0;  // runs in the whole trace
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
      if (track.kind == TrackKind::kXlaOps) CountRuns(track);
      for (const CoreEvent& e : CoreEventsOf(trace_, stats_, track, scope)) {
        extent.Add(e.begin, e.end());
        if (track.kind == TrackKind::kXlaOps && Add(e)) busy += e.self;
      }
    }
    side_.busy += busy;
    side_.total += std::max(busy, extent.length());
  }

  // Joins the instructions of a framework op. Each of them runs when the op runs, so the op ran as
  // often as the one that runs most in the whole trace. Counts of adjoining parts then add up.
  void Finish() {
    std::map<std::pair<std::string, std::string>, OpRow> ops;  // by name and type
    std::map<const OpRow*, uint64_t> most;                     // runs in the whole trace
    for (auto& [key, instruction] : instructions_) {
      const OpName parsed = ParseOpName(stats_.strings->View(instruction.tf_op));
      const bool named = instruction.tf_op.value != 0;
      OpRow& op = ops[{std::string(named ? parsed.name : key.second),
                       std::string(named ? parsed.type : std::string_view("Unknown"))}];
      const bool leads = instruction.everywhere > most[&op];
      if (leads) most[&op] = instruction.everywhere;
      const uint64_t runs = leads ? instruction.sum.occurrences : op.occurrences;
      AddSum(std::move(instruction.sum), &op);
      op.occurrences = runs;
    }
    for (auto& [key, op] : ops) {
      if (op.time == 0 && op.occurrences == 0) continue;
      std::tie(op.name, op.type) = key;
      side_.ops.push_back(std::move(op));
    }
  }

 private:
  // Null if the event is no run of an instruction.
  TpuInstruction* InstructionOf(EventRow row, uint32_t meta) {
    const auto program = stats_.Int(IntStat::kProgramId).Find(row);
    if (!program || stats_.Int(IntStat::kSymbolId).Find(row).value_or(0) == 0) return nullptr;
    TpuInstruction& instruction =
        instructions_[{*program, trace_.names().DisplayName(MetaId(meta))}];
    if (instruction.tf_op.value == 0)
      instruction.tf_op = stats_.Text(StringStat::kTfOp).Find(row).value_or(StringId(0));
    return &instruction;
  }
  void CountRuns(const Track& track) {
    for (const Lane& lane : trace_.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        TpuInstruction* run = InstructionOf(EventRow(lane.first_row + i), lane.meta[i]);
        if (run != nullptr) ++run->everywhere;
      }
    }
  }
  bool Add(const CoreEvent& e) {
    TpuInstruction* instruction = InstructionOf(e.row, e.meta);
    if (instruction == nullptr) return false;
    instruction->sum.Add(e.duration, e.self, false, e.row);
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
