#include "model/compare/page_amounts.h"

#include <algorithm>

#include "model/analysis/memory/live_allocations.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/pages/input_pipeline.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/jobs/job.h"

namespace stepscope::compare {
namespace {

double StepsOf(const ComparedProfile& profile) {
  return static_cast<double>(std::max<size_t>(1, profile.steps.db->steps.size()));
}

void ReadInput(const ComparedProfile& profile, PageAmounts* pages) {
  const double steps = StepsOf(profile);
  const OpDatabase all = BuildHostOps(profile.context, profile.params);
  const HostOps ops = all.Of(profile.context.trace(), profile.params);
  for (const OpRow& op : ops.host_side.ops) {
    if (CategoryOfInput(op.name, op.type) == InputCategory::kNotInput) continue;
    Amount& amount = pages->input_ops[op.name];
    amount.value += MsOf(static_cast<double>(op.self)) / steps;
    amount.count += static_cast<double>(op.occurrences) / steps;
    amount.rows.Append(op.rows);
  }
}

// The fullest of several hosts counts.
void AddPeak(const AllocatorProfile& allocator, const char* what, int64_t bytes,
             PageAmounts* pages) {
  if (bytes <= 0) return;
  Amount& amount = pages->regions[{allocator.id, what}];
  amount.value = std::max(amount.value, static_cast<double>(bytes));
  amount.rows.Append(EventRows({EventRow(allocator.snapshots[allocator.peak].row)}));
}

void AddLive(const AllocatorProfile& allocator, LiveAllocation live, PageAmounts* pages) {
  const auto count = static_cast<double>(live.count);
  const double bytes = static_cast<double>(live.allocated) * count;
  const std::string what = live.region.empty() ? "live at the peak" : "region " + live.region;
  pages->regions[{allocator.id, what}].value += bytes;
  Amount& amount = pages->allocations[{live.op, live.region, live.type, live.shape}];
  amount.value += bytes;
  amount.count += count;
  amount.rows.Append(EventRows(std::move(live.rows)));
}

void ReadMemory(const ComparedProfile& profile, PageAmounts* pages) {
  AnalysisContext& context = profile.context;
  const auto memory = context.Get<MemoryProfile>(profile.params);
  CheckStop();  // it may be incomplete
  std::vector<std::vector<LiveAllocation>> live(memory->allocators.size());
  ParallelFor(live.size(), [&](size_t i) {
    const AllocatorProfile& allocator = memory->allocators[i];
    live[i] = ActiveAt(context, allocator, allocator.peak);
  });
  for (const AllocatorProfile& allocator : memory->allocators) {
    AddPeak(allocator, "peak", allocator.snapshots[allocator.peak].in_use, pages);
    AddPeak(allocator, "peak reserved", allocator.reserved_peak, pages);
  }
  for (size_t i = 0; i < live.size(); ++i) {
    for (LiveAllocation& one : live[i]) AddLive(memory->allocators[i], std::move(one), pages);
  }
}

bool MayHaveHloOps(AnalysisContext& context) {
  return !context.Get<HloPrograms>().list().empty() || KindOf(context.trace()) == DeviceKind::kTpu;
}

void ReadHlo(const ComparedProfile& profile, PageAmounts* pages) {
  if (!MayHaveHloOps(profile.context)) return;
  const auto ops = profile.context.Get<HloOpTable>(profile.params);
  const double steps = StepsOf(profile) * std::max(1u, ops->devices);
  for (const HloOp& op : ops->ops) {
    const HloOpKey key{op.module, op.name};
    pages->hlo_texts[key] = {op.category, op.provenance};
    for (Amount* amount : {&pages->hlo_ops[key], &pages->hlo_categories[op.category]}) {
      amount->value += MsOf(static_cast<double>(op.self)) / steps;
      amount->count += static_cast<double>(op.occurrences) / steps;
      amount->rows.Append(op.rows);
    }
  }
}

}  // namespace

PageAmounts ReadPages(const ComparedProfile& profile) {
  PageAmounts pages;
  ReadInput(profile, &pages);
  ReadMemory(profile, &pages);
  ReadHlo(profile, &pages);
  return pages;
}

}  // namespace stepscope::compare
