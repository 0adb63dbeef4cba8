#include "model/compare/page_tables.h"

#include <algorithm>
#include <string>

#include "model/compare/contributions.h"

namespace stepscope::compare {
namespace {

const char* ValueChangeText(const Amount& a, const Amount& b) {
  if (a.value == b.value) return "";
  if (a.value == 0) return IdOf(Change::kAdded);
  if (b.value == 0) return IdOf(Change::kRemoved);
  return IdOf(b.value > a.value ? Change::kMore : Change::kFewer);
}

void AddRegions(const BothSides<MemoryRegion>& regions, AnalysisResult* to) {
  CompareTable t("memory", "Memory");
  t.AddText("memory_id", "Allocator");
  t.AddText("what", "What", "peak: most in use; regions: live at the peak", true);
  t.AddValues("bytes", "bytes", Unit::kBytes);
  for (const auto& [key, pair] : regions) {
    std::vector<Value> row{CompareTable::Text(key.first), CompareTable::Text(key.second)};
    CompareTable::Append(pair.first.value, pair.second.value, &row);
    t.AddRow(std::move(row), pair.first.rows, pair.second.rows);
  }
  t.Finish(to);
}

void AddAllocations(const BothSides<AllocationKey>& allocations, AnalysisResult* to) {
  CompareTable t("allocations", "Allocations that appeared, vanished or changed");
  t.AddText("tf_op", "Op");
  t.AddText("region_type", "Region");
  t.AddText("data_type", "Type");
  t.AddText("tensor_shape", "Shape");
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("bytes", "bytes", Unit::kBytes, "live at the peaks, all devices");
  t.AddCounts();
  for (const auto* entry : LargestChangeFirst(allocations, ChangeOfValue)) {
    const auto& [x, y] = entry->second;
    if (x.value == y.value) continue;
    std::vector<Value> row;
    for (const std::string& text : entry->first) row.push_back(CompareTable::Text(text));
    row.emplace_back(SharedText(ValueChangeText(x, y)));
    t.AddAmounts(std::move(row), x, y);
  }
  t.Finish(to);
}

}  // namespace

void AddInputTable(const PageAmounts& a, const PageAmounts& b, AnalysisResult* to) {
  const BothSides<std::string> both = Join(a.input_ops, b.input_ops);
  if (both.empty()) return;
  CompareTable t("input_ops", "Input operations");
  t.AddText("opName", "Operation");
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "self time on all threads / steps");
  t.AddCounts("per step");
  for (const auto* entry : LargestChangeFirst(both, ChangeOfValue)) {
    const auto& [x, y] = entry->second;
    const bool same = x.value == y.value && x.count == y.count;
    const char* change = same           ? ""
                         : x.count == 0 ? IdOf(Change::kAdded)
                         : y.count == 0 ? IdOf(Change::kRemoved)
                                        : IdOf(ChangeOfCalls(x.value, x.count, y.value, y.count));
    t.AddAmounts({CompareTable::Text(entry->first), SharedText(change)}, x, y);
  }
  t.Finish(to);
}

void AddMemoryTables(const PageAmounts& a, const PageAmounts& b, AnalysisResult* to) {
  const BothSides<MemoryRegion> regions = Join(a.regions, b.regions);
  if (regions.empty()) return;
  AddRegions(regions, to);
  AddAllocations(Join(a.allocations, b.allocations), to);
  for (const bool is_b : {false, true}) {
    double peak = 0;
    for (const auto& [key, amount] : (is_b ? b : a).regions) {
      if (key.second == "peak") peak = std::max(peak, amount.value);
    }
    if (peak <= 0) continue;  // this side has no record of its memory
    to->properties.push_back({is_b ? "memory_peak_bytes_b" : "memory_peak_bytes_a",
                              is_b ? "Memory peak of B" : "Memory peak of A", peak, Unit::kBytes,
                              "of the fullest allocator"});
  }
}

}  // namespace stepscope::compare
