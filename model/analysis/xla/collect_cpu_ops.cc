// The HLO ops that XLA ran on the host's own threads (docs/rules.md#hlo-ops). XProf has none.
#include <algorithm>
#include <map>

#include "model/analysis/steps/scope.h"
#include "model/analysis/xla/hlo_op_builder.h"

namespace stepscope {
namespace {

struct OpenOp {
  HloOpDraft* draft = nullptr;
  EventRow row;
  Ps begin = 0, end = 0, inner = 0;
  int64_t program = 0, device = 0;
};

// XLA counts its devices on a host from 0, real or not; each is a device of its own here.
struct CpuDevice {
  Ps first = kMaxPs, last = kMinPs, busy = 0;
};

class CpuCollector {
 public:
  CpuCollector(AnalysisContext& context, HloOpBuilder* builder)
      : context_(context), stats_(context.stats()), builder_(*builder) {}

  void AddTrack(const Track& track, const TimeScope& scope) {
    std::vector<OpenOp> ops = OpsOf(track, scope);
    std::stable_sort(ops.begin(), ops.end(), [](const OpenOp& a, const OpenOp& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<size_t> open;
    for (size_t i = 0; i < ops.size(); ++i) {
      while (!open.empty() && ops[open.back()].end <= ops[i].begin) open.pop_back();
      SubtractFromParent(ops, open, i);
      open.push_back(i);
    }
    for (const OpenOp& op : ops) Add(op);
  }

  void Finish() {
    for (const auto& [key, device] : devices_)
      builder_.AddDevice(device.last > device.first ? device.last - device.first : 0, device.busy);
  }

 private:
  std::vector<OpenOp> OpsOf(const Track& track, const TimeScope& scope) {
    std::vector<OpenOp> ops;
    const auto& names = stats_.Text(StringStat::kHloOp);
    for (const Lane& lane : context_.trace().set.LanesOf(track)) {
      CheckStop();
      names.ForRange(lane.first_row, lane.first_row + lane.size(), [&](uint32_t row, StringId op) {
        const uint32_t i = row - lane.first_row;
        if (op.value != 0 && scope.Contains(lane.start[i]) && !IsLaunch(EventRow(row)))
          ops.push_back(OpOf(lane, i, op));
      });
    }
    return ops;
  }

  // A call that starts work on a device names the op, but is not the op.
  bool IsLaunch(EventRow row) const {
    return stats_.Int(IntStat::kCorrelationId).Find(row).has_value();
  }

  OpenOp OpOf(const Lane& lane, uint32_t i, StringId name) {
    OpenOp op;
    op.row = EventRow(lane.first_row + i);
    op.begin = lane.start[i], op.end = lane.end(i);
    op.program = stats_.Int(IntStat::kProgramId).Find(op.row).value_or(0);
    op.device = stats_.Int(IntStat::kDeviceOrdinal).Find(op.row).value_or(0);
    const StringId module = stats_.Text(StringStat::kHloModule).Find(op.row).value_or(StringId(0));
    op.draft = builder_.Find(static_cast<uint64_t>(op.program), stats_.strings->View(name),
                             stats_.strings->View(module));
    return op;
  }

  // Takes the op's time from the innermost op of the same program around it, which waits meanwhile.
  static void SubtractFromParent(std::vector<OpenOp>& ops, const std::vector<size_t>& open,
                                 size_t i) {
    for (size_t k = open.size(); k-- > 0;) {
      OpenOp& parent = ops[open[k]];
      if (parent.program != ops[i].program || parent.end < ops[i].end) continue;
      parent.inner += ops[i].end - ops[i].begin;
      return;
    }
  }

  void Add(const OpenOp& op) {
    if (op.draft == nullptr) return;
    const Ps self = std::max<Ps>(0, op.end - op.begin - op.inner);
    builder_.AddEvent(op.draft, op.row, op.end - op.begin, self);
    CpuDevice& device = devices_[op.device];
    device.first = std::min(device.first, op.begin);
    device.last = std::max(device.last, op.end);
    device.busy += self;
  }

  AnalysisContext& context_;
  const StatTable& stats_;
  HloOpBuilder& builder_;
  std::map<int64_t, CpuDevice> devices_;  // by ordinal
};

}  // namespace

void CollectCpuOps(AnalysisContext& context, const AnalysisParams& params, HloOpBuilder* builder) {
  const Trace& trace = context.trace();
  const Scope scope = ScopeOf(context, params);
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    if (!scope.HasHost(HostId(h))) continue;
    CpuCollector collector(context, builder);
    for (const Plane& plane : trace.planes) {
      if (plane.host != HostId(h) || plane.kind != PlaneKind::kHostThreads) continue;
      for (const TrackId t : plane.tracks)
        collector.AddTrack(trace.set.tracks[t.value], scope.OfHost(plane.host));
    }
    collector.Finish();
  }
}

}  // namespace stepscope
