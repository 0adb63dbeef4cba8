#include "model/compare/page_tables.h"

#include <algorithm>

#include "model/analysis/memory/live_allocations.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/pages/input_pipeline.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/compare/contributions.h"
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
  amount.rows.Append(std::move(live.rows));
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

const char* ChangeOfBytes(const Amount& a, const Amount& b) {
  if (a.value == b.value) return "";
  if (a.value == 0) return IdOf(Change::kAdded);
  if (b.value == 0) return IdOf(Change::kRemoved);
  return IdOf(b.value > a.value ? Change::kMore : Change::kFewer);
}

const char* ChangeOfTime(const Amount& a, const Amount& b) {
  if (a.value == b.value && a.count == b.count) return "";
  if (a.count == 0) return IdOf(Change::kAdded);
  if (b.count == 0) return IdOf(Change::kRemoved);
  return IdOf(ChangeOfCalls(a.value, a.count, b.value, b.count));
}

using Row = AmountChange;
using Field = Schema<Row>::Field;

std::vector<SharedText> KeyOfText(const std::string& text) { return {SharedText(text)}; }

ResultTable InputTable(const PageAmounts& a, const PageAmounts& b) {
  static const Schema<Row> schema(
      "input_ops", "Input operations",
      Concat<Field>({{KeyField(0, "opName", "Operation"), ChangeField()},
                     ValueFields<Row>("ms_per_step", "per step", Unit::kMs,
                                      "self time on all threads / steps"),
                     CountFields<Row>("per step")}));
  return MakeCompared(schema,
                      LargestFirst(Joined(a.input_ops, b.input_ops, KeyOfText, ChangeOfTime)));
}

ResultTable RegionTable(const PageAmounts& a, const PageAmounts& b) {
  static const Schema<Row> schema(
      "memory", "Memory",
      Concat<Field>({{KeyField(0, "memory_id", "Allocator"),
                      KeyField(1, "what", "What", "peak: most in use; regions: live at the peak",
                               kKeyColumn)},
                     ValueFields<Row>("bytes", "bytes", Unit::kBytes)}));
  const auto key = [](const MemoryRegion& region) {
    return std::vector<SharedText>{SharedText(region.first), SharedText(region.second)};
  };
  return MakeCompared(schema, Joined(a.regions, b.regions, key, ChangeOfBytes));
}

ResultTable AllocationTable(const AmountChanges& allocations) {
  static const Schema<Row> schema(
      "allocations", "Allocations that appeared, vanished or changed",
      Concat<Field>(
          {{KeyField(0, "tf_op", "Op"), KeyField(1, "region_type", "Region"),
            KeyField(2, "data_type", "Type"), KeyField(3, "tensor_shape", "Shape"), ChangeField()},
           ValueFields<Row>("bytes", "bytes", Unit::kBytes, "live at the peaks, all devices"),
           CountFields<Row>()}));
  return MakeCompared(schema, allocations);
}

ResultTable HloOpChanges(const PageAmounts& a, const PageAmounts& b) {
  static const Schema<Row> schema(
      "hlo_ops", "HLO ops",
      Concat<Field>(
          {{KeyField(0, "program", "Program"),
            KeyField(1, "hlo_op_name", "HLO op", "ops of one program and name are compared",
                     kKeyColumn),
            KeyField(2, "category", "Category"), KeyField(3, "tf_op_name", "Framework op"),
            ChangeField()},
           ValueFields<Row>("ms_per_step", "per step", Unit::kMs, "self time / steps / devices"),
           CountFields<Row>("executions per step and device")}));
  const auto texts = [&](const HloOpKey& key) {
    // The words for an op: those of B, and those of A where B lacks the op.
    const auto of_b = b.hlo_texts.find(key);
    const HloOpText& text = of_b != b.hlo_texts.end() ? of_b->second : a.hlo_texts.at(key);
    return std::vector<SharedText>{SharedText(key.module), SharedText(key.name),
                                   SharedText(text.category), SharedText(text.framework_op)};
  };
  return MakeCompared(schema, LargestFirst(Joined(a.hlo_ops, b.hlo_ops, texts, ChangeOfTime)));
}

ResultTable HloCategoryChanges(const PageAmounts& a, const PageAmounts& b) {
  static const Schema<Row> schema(
      "hlo_categories", "HLO ops by category",
      Concat<Field>(
          {{KeyField(0, "category", "Category", "", kKeyColumn), ChangeField()},
           ValueFields<Row>("ms_per_step", "per step", Unit::kMs, "self time / steps / devices"),
           CountFields<Row>("executions per step and device")}));
  return MakeCompared(
      schema, LargestFirst(Joined(a.hlo_categories, b.hlo_categories, KeyOfText, ChangeOfTime)));
}

}  // namespace

PageAmounts ReadPages(const ComparedProfile& profile) {
  PageAmounts pages;
  ReadInput(profile, &pages);
  ReadMemory(profile, &pages);
  ReadHlo(profile, &pages);
  return pages;
}

std::optional<double> MemoryPeakOf(const PageAmounts& pages) {
  double peak = 0;
  for (const auto& [key, amount] : pages.regions) {
    if (key.second == "peak") peak = std::max(peak, amount.value);
  }
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

AmountChanges ChangedAllocations(const PageAmounts& a, const PageAmounts& b) {
  const auto texts = [](const AllocationKey& key) {
    return std::vector<SharedText>(key.begin(), key.end());
  };
  AmountChanges rows = LargestFirst(Joined(a.allocations, b.allocations, texts, ChangeOfBytes));
  std::erase_if(rows, [](const AmountChange& row) { return row.a.value == row.b.value; });
  return rows;
}

void AddPageTables(const PageAmounts& a, const PageAmounts& b, const AmountChanges& allocations,
                   AnalysisResult* to) {
  std::vector<ResultTable>& tables = to->tables;
  if (!a.input_ops.empty() || !b.input_ops.empty()) tables.push_back(InputTable(a, b));
  if (!a.regions.empty() || !b.regions.empty()) {
    tables.push_back(RegionTable(a, b));
    tables.push_back(AllocationTable(allocations));
  }
  if (a.hlo_ops.empty() && b.hlo_ops.empty()) return;
  tables.push_back(HloOpChanges(a, b));
  tables.push_back(HloCategoryChanges(a, b));
}

}  // namespace stepscope::compare
