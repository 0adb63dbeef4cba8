// The HLO ops of TPUs: events of XLA Ops lines, by the clock of their core (docs/rules.md#tpu).
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "model/analysis/steps/scope.h"
#include "model/analysis/tpu/core_events.h"
#include "model/analysis/xla/hlo_op_builder.h"

namespace stepscope {
namespace {

// Reads "operation memory bytes" of a breakdown into sums.
void AddAccess(std::string_view access, HloSums* sums) {
  int64_t v[3] = {};
  const char* p = access.data();
  const char* end = p + access.size();
  for (int64_t& value : v) {
    p = std::from_chars(p, end, value).ptr;
    if (p < end) ++p;
  }
  const double bytes = static_cast<double>(std::max<int64_t>(0, v[2]));
  const bool read = v[0] == 1;
  sums->split = true;
  if (v[1] == 1) sums->hbm += bytes;
  if (v[1] != 1) (read ? sums->on_chip_read : sums->on_chip_written) += bytes;
  if (v[1] == 2) (read ? sums->cmem_read : sums->cmem_written) += bytes;
  if (v[1] == 3) (read ? sums->vmem_read : sums->vmem_written) += bytes;
}

HloSums ParseBreakdown(std::string_view text) {
  HloSums sums;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    AddAccess(text.substr(0, end), &sums);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return sums;
}

class TpuCollector {
 public:
  TpuCollector(AnalysisContext& context, HloOpBuilder* builder)
      : trace_(context.trace()), stats_(context.stats()), builder_(*builder) {}

  void Core(const Plane& plane, const TimeScope& scope) {
    first_ = kMaxPs, last_ = kMinPs, busy_ = 0;
    for (const TrackId t : plane.tracks) {
      const Track& track = trace_.set.tracks[t.value];
      CheckStop();
      if (track.kind != TrackKind::kXlaOps && track.kind != TrackKind::kSteps) continue;
      for (const CoreEvent& e : CoreEventsOf(trace_, stats_, track, scope)) {
        first_ = std::min(first_, e.begin);
        last_ = std::max(last_, e.end());
        if (track.kind == TrackKind::kXlaOps) Add(e);
      }
    }
    builder_.AddDevice(last_ > first_ ? last_ - first_ : 0, busy_);
  }

 private:
  std::string_view TextOf(StringStat stat, EventRow row) const {
    return stats_.strings->View(stats_.Text(stat).Find(row).value_or(StringId(0)));
  }

  HloOpDraft* DraftOf(const CoreEvent& e) {
    const EventRow row = e.row;
    const auto program = stats_.Int(IntStat::kProgramId).Find(row);
    if (!program || stats_.Int(IntStat::kSymbolId).Find(row).value_or(0) == 0) return nullptr;
    const MetaId meta(e.meta);
    const auto [it, added] = by_meta_.try_emplace(meta.value, nullptr);
    if (!added) return it->second;
    HloOpDraft* draft =
        builder_.Find(static_cast<uint64_t>(*program), trace_.names().DisplayName(meta), {});
    it->second = draft;
    HloOp& op = draft->op;
    if (!op.expression.empty()) return draft;
    op.expression = trace_.names().Name(meta);
    op.category = TextOf(StringStat::kHloCategory, row);
    op.provenance = TextOf(StringStat::kTfOp, row);
    op.source = TextOf(StringStat::kSource, row);
    op.stack = TextOf(StringStat::kSourceStack, row);
    op.deduplicated_name = TextOf(StringStat::kDeduplicatedName, row);
    draft->breakdown = ParseBreakdown(TextOf(StringStat::kMemoryBreakdown, row));
    return draft;
  }

  void Add(const CoreEvent& e) {
    HloOpDraft* draft = DraftOf(e);
    if (draft == nullptr) return;
    HloOp& op = draft->op;
    const auto scale = stats_.Real(RealStat::kTimeScale).Find(e.row);
    const double scaled = static_cast<double>(e.duration) * scale.value_or(1);
    op.normalized +=
        scaled > 0 && scaled < static_cast<double>(kMaxPs) ? static_cast<Ps>(scaled) : e.duration;
    op.stall += stats_.Int(IntStat::kDmaStall).Find(e.row).value_or(0);
    op += draft->breakdown;
    ++op.occurrences;
    busy_ += e.self;
    builder_.AddEvent(draft, e.row, e.duration, e.self);
  }

  const Trace& trace_;
  const StatTable& stats_;
  HloOpBuilder& builder_;
  std::unordered_map<uint32_t, HloOpDraft*> by_meta_;
  Ps first_ = 0, last_ = 0, busy_ = 0;
};

}  // namespace

void CollectTpuOps(AnalysisContext& context, const AnalysisParams& params, HloOpBuilder* builder) {
  const Scope scope = ScopeOf(context, params);
  TpuCollector collector(context, builder);
  for (const Plane& plane : context.trace().planes) {
    if (plane.kind == PlaneKind::kTpu && scope.HasHost(plane.host))
      collector.Core(plane, scope.OfHost(plane.host));
  }
}

}  // namespace stepscope
