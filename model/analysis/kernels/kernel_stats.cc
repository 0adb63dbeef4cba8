#include "model/analysis/kernels/kernel_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/kernels/graph_tables.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/ops/category_tables.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/demangle.h"
#include "model/base/task.h"

namespace stepscope {
namespace {

constexpr size_t kXprofMaxRows = 1000;
double WholeNsAsUs(int64_t ns) { return static_cast<double>(ns) / 1000.0; }

std::vector<ColumnDesc> KernelColumns(const XprofDefinitions& xprof) {
  std::vector<ColumnDesc> c = {
      {"rank", "#", Unit::kCount, ValueType::kInt, ""},
      {"kernel_name", "Kernel", Unit::kNone, ValueType::kString, "", true},
      {"registers_per_thread", "Registers", Unit::kCount, ValueType::kInt,
       "registers per thread, from kernel_details"},
      {"shmem_bytes", "Shared memory", Unit::kBytes, ValueType::kInt,
       "static and dynamic shared memory of a block"},
      {"block_dim", "Block", Unit::kNone, ValueType::kString, "threads of a block"},
      {"grid_dim", "Grid", Unit::kNone, ValueType::kString, "blocks of the grid"},
      {"occupancy_pct", "Occupancy", Unit::kPercent, ValueType::kReal,
       xprof.occupancy_of_first_kernel
           ? "occ_pct of the first such kernel in the file"
           : "mean weighted by duration; empty where the recording does not tell"},
      {"is_op_tensor_core_eligible", "TC eligible", Unit::kNone, ValueType::kBool,
       "by the name of the framework op or its einsum equation"},
      {"is_kernel_using_tensor_core", "TC used (XProf)", Unit::kNone, ValueType::kBool,
       "by XProf's list of kernel names"},
      {"op_name", "Op", Unit::kNone, ValueType::kString, "framework op that launched it"},
      {"occurrences", "Count", Unit::kCount, ValueType::kInt, "", true},
      {"total_duration_us", "Total", Unit::kUs, ValueType::kReal,
       xprof.kernel_times_in_whole_ns ? "each kernel floored to whole ns" : "sum of durations",
       true},
      {"avg_duration_us", "Average", Unit::kUs, ValueType::kReal, ""},
      {"min_duration_us", "Min", Unit::kUs, ValueType::kReal, ""},
      {"max_duration_us", "Max", Unit::kUs, ValueType::kReal, ""}};
  if (!xprof.kernel_columns_of_xprof) {
    c.push_back({"uses_matrix_unit", "Tensor Core", Unit::kNone, ValueType::kBool,
                 "by kernel name: XProf's list and what it misses, from nvjet to attention"});
    c.push_back({"share", "Share of time", Unit::kFraction, ValueType::kReal,
                 "of the time of all kernels", true});
  }
  return c;
}

// Holds texts that many rows have once each.
class TextTable {
 public:
  SharedText Of(const std::string& text) { return texts_.try_emplace(text, text).first->second; }

 private:
  std::unordered_map<std::string, SharedText> texts_;
};

Value Occupancy(double percent) { return percent < 0 ? Value() : Value(percent); }

std::vector<Value> KernelRow(const KernelGroup& g, int64_t rank, const XprofDefinitions& xprof,
                             double all_ps, size_t columns, TextTable* texts) {
  const int64_t n = static_cast<int64_t>(g.occurrences);
  std::vector<Value> row;
  row.reserve(columns);
  row = {rank,
         g.name,
         g.launch.registers,
         g.launch.static_shared + g.launch.dynamic_shared,
         texts->Of(DimText(g.launch.block)),
         texts->Of(DimText(g.launch.grid)),
         Occupancy(xprof.occupancy_of_first_kernel ? g.first_occupancy_pct : g.mean_occupancy_pct),
         g.eligible,
         g.xprof_uses_tensor_core,
         g.op_name,
         n};
  if (xprof.kernel_times_in_whole_ns) {
    for (int64_t ns : {g.total_ns, g.total_ns / n, g.min_ns, g.max_ns})
      row.emplace_back(WholeNsAsUs(ns));
  } else {
    for (double us :
         {InUs(g.total), InUs(g.total) / static_cast<double>(n), InUs(g.min), InUs(g.max)})
      row.emplace_back(us);
  }
  if (xprof.kernel_columns_of_xprof) return row;
  row.emplace_back(g.uses_matrix_unit);
  row.emplace_back(all_ps > 0 ? static_cast<double>(g.total) / all_ps : 0.0);
  return row;
}

// The readable form of a mangled kernel name, as on the timeline.
Value ReadableName(const TrackSet& set, std::string_view name, const EventRows& rows) {
  if (!name.starts_with("_Z") || rows.empty()) return {};
  const std::string_view shown = set.Name(*rows.begin());
  if (shown == name) return {};
  return SharedText(WithoutParameters(shown));
}

// Sets the readable name of the table's newest row.
void AddReadable(const TrackSet& set, std::string_view name, const EventRows& rows,
                 ResultTable* table) {
  Value readable = ReadableName(set, name, rows);
  if (readable.index() == 0 && table->readable.empty()) return;
  table->readable.resize(table->rows.size());
  table->readable.back() = std::move(readable);
}

void FinishReadable(std::string_view column, ResultTable* table) {
  if (table->readable.empty()) return;
  table->readable.resize(table->rows.size());
  table->readable_column = table->Column(column);
}

ResultTable KernelTable(const TrackSet& set, const std::vector<KernelGroup>& groups,
                        const XprofDefinitions& xprof, double all_ps) {
  ResultTable table{"kernels", "Kernels", KernelColumns(xprof), {}, {}};
  const size_t n =
      xprof.kernel_rows_limited ? std::min(groups.size(), kXprofMaxRows) : groups.size();
  table.rows.reserve(n);
  table.links.reserve(n);
  TextTable texts;
  for (size_t i = 0; i < n; ++i) {
    table.rows.push_back(KernelRow(groups[i], static_cast<int64_t>(i + 1), xprof, all_ps,
                                   table.columns.size(), &texts));
    table.links.push_back(LinkTo(groups[i].rows));
    if (!xprof.kernel_columns_of_xprof) AddReadable(set, groups[i].name, groups[i].rows, &table);
  }
  FinishReadable("kernel_name", &table);
  return table;
}

// Sums up the kernels that share a name, or an op.
std::vector<KernelSum> SumBy(const std::vector<KernelGroup>& groups,
                             const SharedText KernelGroup::*key) {
  std::vector<KernelSum> sums;
  std::unordered_map<std::string_view, size_t> places;
  for (const KernelGroup& g : groups) {
    const auto [place, added] = places.try_emplace((g.*key).view(), sums.size());
    if (added) sums.emplace_back().name = g.*key;
    sums[place->second].Add(g);
  }
  return sums;
}

// The table of the sums, largest total first, ties by name.
ResultTable SumTable(const TrackSet& set, std::vector<KernelSum> sums, std::string id,
                     std::string title, std::string label, double all_ps) {
  std::sort(sums.begin(), sums.end(), [](const KernelSum& a, const KernelSum& b) {
    return a.total != b.total ? a.total > b.total : a.name.view() < b.name.view();
  });
  ResultTable table{
      std::move(id),
      std::move(title),
      {{"rank", "#", Unit::kCount, ValueType::kInt, ""},
       {"name", std::move(label), Unit::kNone, ValueType::kString, "", true},
       {"occurrences", "Count", Unit::kCount, ValueType::kInt, "", true},
       {"total_duration_us", "Total", Unit::kUs, ValueType::kReal, "sum of durations", true},
       {"avg_duration_us", "Average", Unit::kUs, ValueType::kReal, ""},
       {"min_duration_us", "Min", Unit::kUs, ValueType::kReal, ""},
       {"max_duration_us", "Max", Unit::kUs, ValueType::kReal, ""},
       {"matrix_share", "Tensor Core time", Unit::kFraction, ValueType::kReal,
        "time in kernels that use the matrix unit"},
       {"share", "Share of time", Unit::kFraction, ValueType::kReal, "of the time of all kernels",
        true}},
      {},
      {}};
  table.rows.reserve(sums.size());
  table.links.reserve(sums.size());
  for (KernelSum& s : sums) {
    const double total = static_cast<double>(s.total);
    table.rows.push_back({static_cast<int64_t>(table.rows.size() + 1),
                          s.name.empty() ? SharedText("(no op)") : s.name,
                          static_cast<int64_t>(s.count), InUs(s.total),
                          InUs(s.total) / static_cast<double>(s.count), InUs(s.min), InUs(s.max),
                          total > 0 ? static_cast<double>(s.matrix) / total : 0.0,
                          all_ps > 0 ? total / all_ps : 0.0});
    AddReadable(set, s.name, s.rows, &table);
    table.links.push_back(LinkTo(std::move(s.rows)));
  }
  FinishReadable("name", &table);
  return table;
}

struct Summary {
  double total = 0, matrix = 0, without = 0;  // matrix, without: with the matrix unit or not
  uint64_t count = 0, short_count = 0;
  double short_time = 0;
};

Summary Summarise(const std::vector<KernelGroup>& groups) {
  Summary s;
  for (const KernelGroup& g : groups) {
    const double t = static_cast<double>(g.total);
    s.total += t, s.count += g.occurrences;
    if (g.uses_matrix_unit) s.matrix += t;
    if (g.unit == MatrixUnit::kWithout) s.without += t;
    // The average stands for the group: kernels of one name and launch take about equal time.
    if (g.total < kShortKernel * static_cast<Ps>(g.occurrences))
      s.short_count += g.occurrences, s.short_time += t;
  }
  return s;
}

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

void AddProperties(const Summary& s, AnalysisResult* result) {
  result->properties = {
      {"kernel_time_ms", "Kernel time", InMs(s.total), Unit::kMs,
       "sum of the durations of all kernels, all devices"},
      {"kernel_count", "Kernels", static_cast<int64_t>(s.count), Unit::kCount,
       "kernels with a duration"},
      {"matrix_unit_percent", "Tensor Core time", Percent(s.matrix, s.total), Unit::kPercent,
       "time in kernels that use the matrix unit, of all kernel time"},
      {"eligible_unused_percent", "Eligible, not used", Percent(s.without, s.total), Unit::kPercent,
       "time in kernels that could use Tensor Cores and whose names say that they do not, of all "
       "kernel time"},
      {"short_kernel_percent", "Short kernels",
       Percent(static_cast<double>(s.short_count), static_cast<double>(s.count)), Unit::kPercent,
       "kernels whose average is under 20 \u00b5s, the time the host needs to launch one (20 to 40 "
       "\u00b5s), of all kernels"},
      {"short_kernel_time_percent", "Time in short kernels", Percent(s.short_time, s.total),
       Unit::kPercent, "their time, of all kernel time"}};
}

void AddFindings(const Summary& s, const Program& program, AnalysisResult* result) {
  const double unused = Percent(s.without, s.total);
  const double short_time = Percent(s.short_time, s.total);
  if (unused >= 10) {
    result->findings.push_back(
        {Finding::Grade::kWarning,
         fmt::format("{:.0f} % of kernel time is in kernels that could use Tensor Cores but do "
                     "not.",
                     unused),
         RemedyFor("matrix-units.some", program), "kernel_stats"});
  }
  if (short_time >= 50) {
    result->findings.push_back(
        {Finding::Grade::kWarning,
         fmt::format("{:.0f} % of kernel time is in kernels shorter than a launch (20 \u00b5s).",
                     short_time),
         RemedyFor("short-kernels", program), "kernel_stats"});
  }
}

ResultTable KernelCategoryTable(const std::vector<KernelGroup>& groups) {
  CategoryTable table;
  KernelCategories categories;
  for (const KernelGroup& g : groups) {
    table.Add(categories.Of(g.name.view(), g.op_name.view()), g.total,
              g.uses_matrix_unit ? g.total : 0, g.occurrences, g.rows);
  }
  return table.Take("sum of the kernels' durations", true);
}

void AddDeviceTables(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop,
                     AnalysisResult* result) {
  const DeviceEvents events(context, params, stop);
  if (events.devices().empty()) return;
  constexpr std::array kTables = {DeviceTable, LaunchDelayTable, CopyTable, AnnotationTable};
  std::array<ResultTable, kTables.size()> tables;
  // Each table reads the devices on all cores; where there is but one, the tables share the cores.
  const unsigned threads = events.devices().size() > 1 ? 1 : 0;
  ParallelFor(
      tables.size(),
      [&](size_t i) {
        if (!stop.stop_requested()) tables[i] = kTables[i](context, events);
      },
      threads);
  if (stop.stop_requested()) return;
  if (tables.back().rows.empty()) tables.back() = {};  // no annotations
  for (ResultTable& table : tables) {
    if (!table.id.empty()) result->tables.push_back(std::move(table));
  }
}

std::string WhyNoKernels(const Trace& trace) {
  const bool tpu = std::any_of(trace.planes.begin(), trace.planes.end(),
                               [](const Plane& plane) { return plane.kind == PlaneKind::kTpu; });
  if (tpu)
    return "TPUs run ops of XLA's programs and no kernels: HLO ops in the Window menu has them.";
  return "This profile has no GPU kernels. " + RemedyFor("record.kernels", ProgramOf(trace));
}

}  // namespace

void KernelSum::Add(const KernelGroup& group) {
  total += group.total, count += group.occurrences;
  matrix += group.uses_matrix_unit ? group.total : 0;
  min = std::min(min, group.min), max = std::max(max, group.max);
  rows.Append(group.rows);
}

AnalysisResult RunKernelStats(AnalysisContext& context, const AnalysisParams& params,
                              std::stop_token stop) {
  AnalysisResult result;
  result.panel = "kernel_stats";
  KernelGroups computed = ComputeKernels(context, params, stop);
  const std::vector<KernelGroup>& groups = computed.all;
  const bool none = groups.empty();
  if (stop.stop_requested()) return result;
  const Summary summary = Summarise(groups);
  const TrackSet& set = context.trace().set;
  result.tables.push_back(KernelTable(set, groups, context.xprof(), summary.total));
  AddProperties(summary, &result);
  if (!context.xprof().kernel_columns_of_xprof) {
    std::vector<KernelSum> by_kernel = SumBy(groups, &KernelGroup::name),
                           by_op = SumBy(groups, &KernelGroup::op_name);
    ResultTable by_category = KernelCategoryTable(groups);
    computed.all = {};  // frees them before two more tables as large are made
    result.tables.push_back(
        SumTable(set, std::move(by_kernel), "by_kernel", "By kernel", "Kernel", summary.total));
    result.tables.push_back(SumTable(set, std::move(by_op), "by_op", "By op", "Op", summary.total));
    result.tables.push_back(SumTable(set, std::move(computed.by_stream), "by_stream", "By stream",
                                     "Stream", summary.total));
    if (!none) result.tables.push_back(std::move(by_category));
    AddDeviceTables(context, params, stop, &result);
    AddGraphTables(context, params, stop, &result);
    AddFindings(summary, ProgramOf(context.trace()), &result);
  }
  if (none) result.empty_reason = WhyNoKernels(context.trace());
  return result;
}

AnalysisResult SharedKernelStats(AnalysisContext& context, const AnalysisParams& params,
                                 std::stop_token stop) {
  return *context.Get("kernel_stats", params, std::move(stop));
}

}  // namespace stepscope
