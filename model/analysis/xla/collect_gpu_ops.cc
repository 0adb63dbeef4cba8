// The HLO ops of GPUs: events with the stat hlo_op (docs/rules.md#hlo-ops).
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/graphs/graph_ops.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/xla/hlo_op_builder.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

constexpr size_t kMostKernels = 64;  // names of kernels of one op that are told apart

struct OpKey {
  int64_t program = 0;
  uint32_t op = 0, module = 0;  // StringIds
  bool operator==(const OpKey&) const = default;
};
struct OpKeyHash {
  size_t operator()(const OpKey& k) const {
    return (static_cast<uint64_t>(k.program) * 0x9e3779b97f4a7c15ull ^ k.op) *
           0xff51afd7ed558ccdull;
  }
};

class GpuCollector {
  struct Known {
    HloOpDraft* draft = nullptr;
    bool asked = false;   // for the draft
    bool buffer = false;  // it is no instruction but a command buffer of several
  };

 public:
  GpuCollector(AnalysisContext& context, HloOpBuilder* builder)
      : context_(context),
        stats_(context.stats()),
        op_(stats_.Text(StringStat::kHloOp)),
        module_(stats_.Text(StringStat::kHloModule)),
        program_(stats_.Int(IntStat::kProgramId)),
        graphs_(context.Get<GraphOps>()),
        named_(context.xprof().unknown_programs_left_out || !graphs_.kernels.empty() ||
               !stats_.Text(StringStat::kHloOp).empty()),
        builder_(*builder) {}

  void Plane(const stepscope::Plane& plane, const TimeScope& scope) {
    first_ = kMaxPs, last_ = kMinPs, busy_ = 0;
    for (const Lane* lane : PlaneLanes(context_.trace(), plane)) {
      CheckStop();
      ReadLane(*lane, scope);
    }
    builder_.AddDevice(last_ > first_ ? last_ - first_ : 0, busy_);
  }

 private:
  void ReadLane(const Lane& lane, const TimeScope& scope) {
    const Track& track = context_.trace().set.tracks[lane.track.value];
    // XProf takes the offset within the line for the time.
    const Ps base = context_.xprof().op_times_without_line_start ? track.line_start : 0;
    if (!named_ && scope.whole() && lane.size() > 0) {  // its events are in order, without overlap
      first_ = std::min(first_, lane.start.front() - base);
      last_ = std::max(last_, lane.end(lane.size() - 1) - base);
      return;
    }
    op_.Seek(lane.first_row);
    module_.Seek(lane.first_row);
    program_.Seek(lane.first_row);
    const HloOpDraft* before = nullptr;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (!scope.Contains(lane.start[i])) continue;
      first_ = std::min(first_, lane.start[i] - base);
      last_ = std::max(last_, lane.end(i) - base);
      HloOpDraft* draft = named_ ? DraftOf(lane, i) : nullptr;
      if (draft != nullptr) Add(lane, i, draft != before, draft);
      before = draft;
    }
  }

  void Add(const Lane& lane, uint32_t i, bool begins, HloOpDraft* draft) {
    if (begins) ++draft->op.occurrences;
    busy_ += lane.dur[i];
    builder_.AddEvent(draft, EventRow(lane.first_row + i), lane.dur[i], lane.dur[i]);
    std::vector<uint32_t>& kernels = draft->kernels;
    if (kernels.size() < kMostKernels &&
        std::find(kernels.begin(), kernels.end(), lane.meta[i]) == kernels.end())
      kernels.push_back(lane.meta[i]);
  }

  // Null for an event that is no HLO op.
  HloOpDraft* DraftOf(const Lane& lane, uint32_t i) {
    const uint32_t row = lane.first_row + i;
    const OpKey key = {program_.Get(row, 0), op_.Get(row, StringId(0)).value,
                       module_.Get(row, StringId(0)).value};
    if (key.op == 0) {
      return context_.xprof().unknown_programs_left_out ? FrameworkOp(lane, i) : GraphOpOf(row);
    }
    const auto [it, added] = known_.try_emplace(key);
    Known& known = it->second;
    if (added) known.buffer = IsNoInstruction(key);
    if (known.buffer) {
      if (HloOpDraft* draft = GraphOpOf(row)) return draft;
    }
    if (!std::exchange(known.asked, true)) {
      known.draft = builder_.Find(static_cast<uint64_t>(key.program), NameOf(key),
                                  stats_.strings->View(StringId(key.module)));
    }
    if (known.draft == nullptr) builder_.CountDropped();
    return known.draft;
  }

  std::string_view NameOf(const OpKey& key) const {
    const std::string_view text = stats_.strings->View(StringId(key.op));
    const size_t colons = text.rfind("::");
    return colons == text.npos ? text : text.substr(colons + 2);
  }

  // Whether the file has the program, and the op is none of its instructions: XLA makes command
  // buffers when it emits code.
  bool IsNoInstruction(const OpKey& key) const {
    const auto& programs = context_.trace().hlo.programs;
    const auto program = programs.find(static_cast<uint64_t>(key.program));
    return program != programs.end() &&
           !program->second.instructions.contains(std::string(NameOf(key)));
  }

  // A kernel of a CUDA or HIP graph names no op, or the command buffer that XLA put it into, but is
  // called as its instruction.
  HloOpDraft* GraphOpOf(uint32_t row) {
    const GraphKernel* kernel = graphs_.Find(row);
    if (kernel == nullptr) return nullptr;
    const GraphOp& op = graphs_.ops[kernel->op];
    if (graphs_.sources[op.source].kind != GraphSourceKind::kHlo) return nullptr;
    HloOpDraft* draft = builder_.Find(static_cast<uint64_t>(op.program), op.instruction, {});
    if (draft != nullptr) ++draft->op.events_by_kernel;
    return draft;
  }

  // XProf counts a kernel with only a framework's op as an op of program 0.
  HloOpDraft* FrameworkOp(const Lane& lane, uint32_t i) {
    const uint32_t row = lane.first_row + i;
    const auto tf_op = stats_.Text(StringStat::kTfOp).Find(EventRow(row));
    if (!tf_op || tf_op->value == 0) return nullptr;
    const OpName parsed = ParseOpName(stats_.strings->View(*tf_op));
    std::string name(parsed.name);
    name += "/";
    name += context_.trace().names().Name(MetaId(lane.meta[i]));
    HloOpDraft* draft = builder_.FindFramework(name);
    draft->op.category = parsed.type;
    draft->op.provenance = stats_.strings->View(*tf_op);
    return draft;
  }

  AnalysisContext& context_;
  const StatTable& stats_;
  ColumnCursor<StringId> op_, module_;
  ColumnCursor<int64_t> program_;
  const GraphOps& graphs_;  // empty with XProf's definitions
  const bool named_;        // whether any event may name its op
  HloOpBuilder& builder_;
  std::unordered_map<OpKey, Known, OpKeyHash> known_;
  Ps first_ = 0, last_ = 0, busy_ = 0;
};

}  // namespace

void CollectGpuOps(AnalysisContext& context, const AnalysisParams& params, HloOpBuilder* builder) {
  const Scope scope = ScopeOf(context, params);
  GpuCollector collector(context, builder);
  for (const Plane& plane : context.trace().planes) {
    if (plane.kind == PlaneKind::kGpu && scope.HasHost(plane.host))
      collector.Plane(plane, scope.OfHost(plane.host));
  }
}

}  // namespace stepscope
