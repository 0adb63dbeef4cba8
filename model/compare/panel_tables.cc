#include "model/compare/panel_tables.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/compare/contributions.h"

namespace stepscope {
namespace {

struct Amount {
  double value = 0, count = 0;
  std::vector<EventRow> rows;
};
template <typename Key>
using Both = std::map<Key, std::pair<Amount, Amount>>;  // a, b

double NumberAt(const ResultTable& t, size_t row, std::string_view column) {
  const int c = t.Column(column);
  if (c < 0) return 0;
  const Value& value = t.rows[row][static_cast<size_t>(c)];
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const auto* whole = std::get_if<int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : 0;
}

std::string TextAt(const ResultTable& t, size_t row, std::string_view column) {
  const int c = t.Column(column);
  return c < 0 ? std::string() : RawValue(t.rows[row][static_cast<size_t>(c)]);
}

void KeepRows(const ResultTable& t, size_t row, Amount* amount) {
  if (row >= t.links.size()) return;
  for (const EventRow event : t.links[row].rows) {
    if (amount->rows.size() >= kItemRows) return;
    amount->rows.push_back(event);
  }
}

template <typename Key>
std::vector<const typename Both<Key>::value_type*> BySize(const Both<Key>& both) {
  std::vector<const typename Both<Key>::value_type*> order;
  for (const auto& entry : both) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* x, const auto* y) {
    const auto size = [](const auto* e) {
      return std::abs(e->second.second.value - e->second.first.value);
    };
    return size(x) > size(y);
  });
  return order;
}

// Per step of all steps of the part: the panel's times are of all of it.
void ReadInput(const ComparedRun& run, Both<std::string>* both, bool second,
               const std::stop_token& stop) {
  const auto panel = run.context.Get("input_pipeline", run.params, stop);
  const ResultTable* t = panel->Table("host_ops");
  const auto steps = static_cast<double>(std::max<size_t>(1, run.steps.db->steps.size()));
  for (size_t r = 0; t != nullptr && r < t->rows.size(); ++r) {
    auto& pair = (*both)[TextAt(*t, r, "opName")];
    Amount& amount = second ? pair.second : pair.first;
    amount.value += NumberAt(*t, r, "selfTimeInMs") / steps;
    amount.count += NumberAt(*t, r, "count") / steps;
    KeepRows(*t, r, &amount);
  }
}

using Region = std::pair<std::string, std::string>;  // allocator, region or peak
using Allocation = std::vector<std::string>;         // op, region, type, shape

struct MemorySides {
  Both<Region> regions;
  Both<Allocation> allocations;
};

void ReadMemory(const ComparedRun& run, MemorySides* sides, bool second,
                const std::stop_token& stop) {
  const auto panel = run.context.Get("memory", run.params, stop);
  const auto of = [second](auto& pair) -> Amount& { return second ? pair.second : pair.first; };
  const ResultTable* summary = panel->Table("summary");
  for (size_t r = 0; summary != nullptr && r < summary->rows.size(); ++r) {
    for (const auto& [what, column] : {std::pair("peak", "peak_bytes_in_use"),
                                       std::pair("peak reserved", "peak_reserved_bytes")}) {
      const double bytes = NumberAt(*summary, r, column);
      if (bytes <= 0) continue;
      Amount& amount = of(sides->regions[{TextAt(*summary, r, "memory_id"), what}]);
      amount.value = std::max(amount.value, bytes);  // of several hosts the fullest
      KeepRows(*summary, r, &amount);
    }
  }
  const ResultTable* live = panel->Table("active_allocations");
  for (size_t r = 0; live != nullptr && r < live->rows.size(); ++r) {
    const double count = NumberAt(*live, r, "occurrences");
    const double bytes = NumberAt(*live, r, "allocation_bytes") * count;
    const std::string region = TextAt(*live, r, "region_type");
    const std::string what = region.empty() ? "live at the peak" : "region " + region;
    of(sides->regions[{TextAt(*live, r, "memory_id"), what}]).value += bytes;
    Amount& amount =
        of(sides->allocations[{TextAt(*live, r, "tf_op"), region, TextAt(*live, r, "data_type"),
                               TextAt(*live, r, "tensor_shape")}]);
    amount.value += bytes;
    amount.count += count;
    KeepRows(*live, r, &amount);
  }
}

const char* ChangeText(const Amount& a, const Amount& b) {
  if (a.value == b.value) return "";
  if (a.value == 0) return IdOf(Change::kAdded);
  if (b.value == 0) return IdOf(Change::kRemoved);
  return IdOf(b.value > a.value ? Change::kMore : Change::kFewer);
}

void AddRegions(const Both<Region>& regions, CompareResult* to) {
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

void AddAllocations(const Both<Allocation>& allocations, CompareResult* to) {
  CompareTable t("allocations", "Allocations that appeared, vanished or changed");
  t.AddText("tf_op", "Op");
  t.AddText("region_type", "Region");
  t.AddText("data_type", "Type");
  t.AddText("tensor_shape", "Shape");
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("bytes", "bytes", Unit::kBytes, "live at the peaks, all devices");
  t.AddReal("a_count", "A count", Unit::kCount);
  t.AddReal("b_count", "B count", Unit::kCount);
  for (const auto* entry : BySize<Allocation>(allocations)) {
    const auto& [x, y] = entry->second;
    if (x.value == y.value) continue;
    std::vector<Value> row;
    for (const std::string& text : entry->first) row.push_back(CompareTable::Text(text));
    row.emplace_back(SharedText(ChangeText(x, y)));
    CompareTable::Append(x.value, y.value, &row);
    row.emplace_back(x.count);
    row.emplace_back(y.count);
    t.AddRow(std::move(row), x.rows, y.rows);
  }
  t.Finish(to);
}

}  // namespace

void AddInputTable(const ComparedRun& a, const ComparedRun& b, CompareResult* to,
                   std::stop_token stop) {
  Both<std::string> both;
  ReadInput(a, &both, false, stop);
  ReadInput(b, &both, true, stop);
  if (both.empty()) return;
  CompareTable t("input_ops", "Input operations");
  t.AddText("opName", "Operation");
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "self time on all threads / steps");
  t.AddReal("a_count", "A count", Unit::kCount, "per step");
  t.AddReal("b_count", "B count", Unit::kCount, "per step");
  for (const auto* entry : BySize<std::string>(both)) {
    const auto& [x, y] = entry->second;
    const bool same = x.value == y.value && x.count == y.count;
    const char* change = same           ? ""
                         : x.count == 0 ? IdOf(Change::kAdded)
                         : y.count == 0 ? IdOf(Change::kRemoved)
                                        : IdOf(ChangeOfCalls(x.value, x.count, y.value, y.count));
    std::vector<Value> row{CompareTable::Text(entry->first), SharedText(change)};
    CompareTable::Append(x.value, y.value, &row);
    row.emplace_back(x.count);
    row.emplace_back(y.count);
    t.AddRow(std::move(row), x.rows, y.rows);
  }
  t.Finish(to);
}

void AddMemoryTables(const ComparedRun& a, const ComparedRun& b, CompareResult* to,
                     std::stop_token stop) {
  MemorySides sides;
  ReadMemory(a, &sides, false, stop);
  ReadMemory(b, &sides, true, stop);
  if (sides.regions.empty()) return;
  AddRegions(sides.regions, to);
  AddAllocations(sides.allocations, to);
  for (const bool second : {false, true}) {
    double peak = 0;
    for (const auto& [key, pair] : sides.regions) {
      if (key.second == "peak") peak = std::max(peak, (second ? pair.second : pair.first).value);
    }
    to->result.properties.push_back({second ? "memory_peak_bytes_b" : "memory_peak_bytes_a",
                                     second ? "Memory peak of B" : "Memory peak of A", peak,
                                     Unit::kBytes, "of the fullest allocator"});
  }
}

}  // namespace stepscope
