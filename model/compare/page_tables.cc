#include "model/compare/page_tables.h"

#include <algorithm>

#include "model/analysis/tables/cells.h"
#include "model/compare/contributions.h"

namespace stepscope::compare {
namespace {

constexpr Side kPageA = &Amounts::first, kPageB = &Amounts::second;

std::string CellText(const ResultTable& t, size_t row, std::string_view column) {
  const int c = t.Column(column);
  return c < 0 ? std::string() : RawValue(t.rows[row][static_cast<size_t>(c)]);
}

void KeepEvents(const ResultTable& t, size_t row, Amount* amount) {
  if (row < t.links.size()) KeepRows(t.links[row].rows, &amount->rows);
}

// The page's times are sums over the part of the profile; they are divided by its steps.
void ReadInput(const ComparedProfile& profile, BothSides<std::string>* both, Side side,
               const std::stop_token& stop) {
  const auto page = profile.context.Get("input_pipeline", profile.params, stop);
  const ResultTable* t = page->Table("host_ops");
  const auto steps = static_cast<double>(std::max<size_t>(1, profile.steps.db->steps.size()));
  for (size_t r = 0; t != nullptr && r < t->rows.size(); ++r) {
    Amount& amount = (*both)[CellText(*t, r, "opName")].*side;
    amount.value += NumberAt(*t, r, "selfTimeInMs") / steps;
    amount.count += NumberAt(*t, r, "count") / steps;
    KeepEvents(*t, r, &amount);
  }
}

using Region = std::pair<std::string, std::string>;  // allocator; region or kind of peak
using Allocation = std::vector<std::string>;         // op, region, type, shape

struct MemoryAmounts {
  BothSides<Region> regions;
  BothSides<Allocation> allocations;
};

void ReadMemory(const ComparedProfile& profile, MemoryAmounts* amounts, Side side,
                const std::stop_token& stop) {
  const auto page = profile.context.Get("memory", profile.params, stop);
  const ResultTable* summary = page->Table("summary");
  for (size_t r = 0; summary != nullptr && r < summary->rows.size(); ++r) {
    for (const auto& [what, column] : {std::pair("peak", "peak_bytes_in_use"),
                                       std::pair("peak reserved", "peak_reserved_bytes")}) {
      const double bytes = NumberAt(*summary, r, column);
      if (bytes <= 0) continue;
      Amount& amount = amounts->regions[{CellText(*summary, r, "memory_id"), what}].*side;
      amount.value = std::max(amount.value, bytes);  // the fullest of several hosts
      KeepEvents(*summary, r, &amount);
    }
  }
  const ResultTable* live = page->Table("active_allocations");
  for (size_t r = 0; live != nullptr && r < live->rows.size(); ++r) {
    const double count = NumberAt(*live, r, "occurrences");
    const double bytes = NumberAt(*live, r, "allocation_bytes") * count;
    const std::string region = CellText(*live, r, "region_type");
    const std::string what = region.empty() ? "live at the peak" : "region " + region;
    (amounts->regions[{CellText(*live, r, "memory_id"), what}].*side).value += bytes;
    Amount& amount =
        amounts->allocations[{CellText(*live, r, "tf_op"), region, CellText(*live, r, "data_type"),
                              CellText(*live, r, "tensor_shape")}].*
        side;
    amount.value += bytes;
    amount.count += count;
    KeepEvents(*live, r, &amount);
  }
}

const char* ValueChangeText(const Amount& a, const Amount& b) {
  if (a.value == b.value) return "";
  if (a.value == 0) return IdOf(Change::kAdded);
  if (b.value == 0) return IdOf(Change::kRemoved);
  return IdOf(b.value > a.value ? Change::kMore : Change::kFewer);
}

void AddRegions(const BothSides<Region>& regions, AnalysisResult* to) {
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

void AddAllocations(const BothSides<Allocation>& allocations, AnalysisResult* to) {
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

void AddInputTable(const ComparedProfile& a, const ComparedProfile& b, AnalysisResult* to,
                   std::stop_token stop) {
  BothSides<std::string> both;
  ReadInput(a, &both, kPageA, stop);
  ReadInput(b, &both, kPageB, stop);
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

void AddMemoryTables(const ComparedProfile& a, const ComparedProfile& b, AnalysisResult* to,
                     std::stop_token stop) {
  MemoryAmounts amounts;
  ReadMemory(a, &amounts, kPageA, stop);
  ReadMemory(b, &amounts, kPageB, stop);
  if (amounts.regions.empty()) return;
  AddRegions(amounts.regions, to);
  AddAllocations(amounts.allocations, to);
  for (const bool is_b : {false, true}) {
    double peak = 0;
    for (const auto& [key, sides] : amounts.regions) {
      if (key.second == "peak") peak = std::max(peak, (sides.*(is_b ? kPageB : kPageA)).value);
    }
    if (peak <= 0) continue;  // this side has no record of its memory
    to->properties.push_back({is_b ? "memory_peak_bytes_b" : "memory_peak_bytes_a",
                              is_b ? "Memory peak of B" : "Memory peak of A", peak, Unit::kBytes,
                              "of the fullest allocator"});
  }
}

}  // namespace stepscope::compare
