#include "model/analysis/kernels/kernel_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/devices/device_launches.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/kernels/graph_tables.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/recording/recording.h"
#include "model/analysis/tables/schema.h"
#include "model/base/demangle.h"
#include "model/base/digits.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

double WholeNsAsUs(int64_t ns) { return static_cast<double>(ns) / 1000.0; }
double ShareOf(Ps part, Ps whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}
template <typename T>
double Percent(T part, T whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// What the rows of the tables share. Texts that many rows have lie in memory once.
struct KernelTableFacts {
  const XprofDefinitions& xprof;
  Ps total = 0;  // of all kernels
  mutable std::unordered_map<std::string, SharedText> texts = {};

  SharedText Text(const std::string& text) const {
    return texts.try_emplace(text, text).first->second;
  }
};

using Group = KernelGroup;
using Facts = KernelTableFacts;
using KernelField = Schema<Group, Facts>::Field;

bool InWholeNs(const Facts& f) { return f.xprof.kernel_times_in_whole_ns; }
bool InPs(const Facts& f) { return !InWholeNs(f); }
bool WithOwnColumns(const Facts& f) { return !f.xprof.kernel_columns_of_xprof; }

const Schema<Group, Facts>& KernelSchema() {
  static const Schema<Group, Facts> schema =
      Schema<Group, Facts>(
          "kernels", "Kernels",
          {{"rank", "#", Unit::kCount, [](const Group&, const Facts&, size_t i) { return i + 1; }},
           {"kernel_name", "Kernel", Unit::kNone, &Group::name, "", kKeyColumn},
           {"registers_per_thread", "Registers", Unit::kCount,
            [](const Group& g) { return g.launch.registers; },
            "registers per thread, from kernel_details"},
           {"shmem_bytes", "Shared memory", Unit::kBytes,
            [](const Group& g) { return g.launch.static_shared + g.launch.dynamic_shared; },
            "static and dynamic shared memory of a block"},
           {"block_dim", "Block", Unit::kNone,
            [](const Group& g, const Facts& f) { return f.Text(DimText(g.launch.block)); },
            "threads of a block"},
           {"grid_dim", "Grid", Unit::kNone,
            [](const Group& g, const Facts& f) { return f.Text(DimText(g.launch.grid)); },
            "blocks of the grid"},
           KernelField{"occupancy_pct", "Occupancy", Unit::kPercent, &Group::mean_occupancy,
                       "mean weighted by duration; empty where the recording does not tell"}
               .When([](const Facts& f) { return !f.xprof.occupancy_of_first_kernel; }),
           KernelField{"occupancy_pct", "Occupancy", Unit::kPercent, &Group::first_occupancy,
                       "occ_pct of the first such kernel in the file"}
               .When([](const Facts& f) { return f.xprof.occupancy_of_first_kernel; }),
           {"is_op_tensor_core_eligible", "TC eligible", Unit::kNone, &Group::eligible,
            "by the name of the framework op or its einsum equation"},
           {"is_kernel_using_tensor_core", "TC used (XProf)", Unit::kNone,
            &Group::xprof_uses_tensor_core, "by XProf's list of kernel names"},
           {"op_name", "Op", Unit::kNone, &Group::op_name, "framework op that launched it"},
           {"occurrences", "Count", Unit::kCount, &Group::occurrences, "", kKeyColumn},
           KernelField{"total_duration_us", "Total", Unit::kUs, &Group::total, "sum of durations",
                       kKeyColumn}
               .When(InPs),
           KernelField{"avg_duration_us", "Average", Unit::kUs, &Group::average_us}.When(InPs),
           KernelField{"min_duration_us", "Min", Unit::kUs, &Group::min}.When(InPs),
           KernelField{"max_duration_us", "Max", Unit::kUs, &Group::max}.When(InPs),
           KernelField{"total_duration_us", "Total", Unit::kUs,
                       [](const Group& g) { return WholeNsAsUs(g.total_ns); },
                       "each kernel floored to whole ns", kKeyColumn}
               .When(InWholeNs),
           KernelField{"avg_duration_us", "Average", Unit::kUs,
                       [](const Group& g) {
                         return WholeNsAsUs(g.total_ns / static_cast<int64_t>(g.occurrences));
                       }}
               .When(InWholeNs),
           KernelField{"min_duration_us", "Min", Unit::kUs,
                       [](const Group& g) { return WholeNsAsUs(g.min_ns); }}
               .When(InWholeNs),
           KernelField{"max_duration_us", "Max", Unit::kUs,
                       [](const Group& g) { return WholeNsAsUs(g.max_ns); }}
               .When(InWholeNs),
           KernelField{"uses_matrix_unit", "Tensor Core", Unit::kNone, &Group::uses_matrix_unit,
                       "by kernel name: XProf's list and what it misses, from nvjet to "
                       "attention"}
               .When(WithOwnColumns),
           KernelField{"share", "Share of time", Unit::kFraction,
                       [](const Group& g, const Facts& f) { return ShareOf(g.total, f.total); },
                       "of the time of all kernels", kKeyColumn}
               .When(WithOwnColumns)},
          [](const Group& g, const Facts&) { return LinkTo(g.rows); })
          .WithReadable("kernel_name", [](const Group& g, const Facts&) { return g.readable; });
  return schema;
}

// The table of kernels that share a name, an op or a stream; its facts are the kernels' total.
Schema<KernelSum, Ps> SumSchema(const char* id, const char* title, const char* label) {
  using S = KernelSum;
  using F = Ps;
  return Schema<S, F>(
             id, title,
             {{"rank", "#", Unit::kCount, [](const S&, const F&, size_t i) { return i + 1; }},
              {"name", label, Unit::kNone,
               [](const S& s) { return s.name.empty() ? SharedText("(no op)") : s.name; }, "",
               kKeyColumn},
              {"occurrences", "Count", Unit::kCount, &S::count, "", kKeyColumn},
              {"total_duration_us", "Total", Unit::kUs, &S::total, "sum of durations", kKeyColumn},
              {"avg_duration_us", "Average", Unit::kUs,
               [](const S& s) { return InUs(s.total) / static_cast<double>(s.count); }},
              {"min_duration_us", "Min", Unit::kUs, &S::min},
              {"max_duration_us", "Max", Unit::kUs, &S::max},
              {"matrix_share", "Tensor Core time", Unit::kFraction,
               [](const S& s) { return ShareOf(s.matrix, s.total); },
               "time in kernels that use the matrix unit"},
              {"share", "Share of time", Unit::kFraction,
               [](const S& s, const F& total) { return ShareOf(s.total, total); },
               "of the time of all kernels", kKeyColumn}},
             [](const S& s, const F&) { return LinkTo(s.rows); })
      .WithReadable("name", [](const S& s, const F&) { return s.readable; });
}

const Schema<KernelStats>& PropertySchema() {
  using K = KernelStats;
  static const Schema<K> schema(
      "kernel_stats", "GPU kernels",
      {{"kernel_time_ms", "Kernel time", Unit::kMs, &K::total,
        "sum of the durations of all kernels, all devices"},
       {"kernel_count", "Kernels", Unit::kCount, &K::count, "kernels with a duration"},
       {"matrix_unit_percent", "Tensor Core time", Unit::kPercent, &K::matrix_percent,
        "time in kernels that use the matrix unit, of all kernel time"},
       {"eligible_unused_percent", "Eligible, not used", Unit::kPercent, &K::without_matrix_percent,
        "time in kernels that could use Tensor Cores and whose names say that they do not, of all "
        "kernel time"},
       {"short_kernel_percent", "Short kernels", Unit::kPercent, &K::short_percent,
        kShortKernelsHow},
       {"short_kernel_time_percent", "Time in short kernels", Unit::kPercent,
        &K::short_time_percent, kShortTimeHow}});
  return schema;
}

// The largest total first, ties by name.
std::vector<KernelSum> Sorted(std::vector<KernelSum> sums, const TrackSet& set) {
  for (KernelSum& sum : sums) sum.readable = ReadableName(set, sum.name, sum.rows);
  std::sort(sums.begin(), sums.end(), [](const KernelSum& a, const KernelSum& b) {
    return a.total != b.total ? a.total > b.total : a.name.view() < b.name.view();
  });
  return sums;
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

void AddFindings(const KernelStats& stats, const Program& program, AnalysisResult* result) {
  const double unused = stats.without_matrix_percent(), short_time = stats.short_time_percent();
  if (unused >= 10) {
    result->findings.push_back(
        {Finding::Grade::kWarning,
         PercentText(unused, 0) +
             " of kernel time is in kernels that could use Tensor Cores but do not.",
         RemedyFor("matrix-units.some", program), "kernel_stats"});
  }
  if (short_time >= 50) {
    result->findings.push_back(
        {Finding::Grade::kWarning,
         PercentText(short_time, 0) +
             " of kernel time is in kernels shorter than a launch (20 \u00b5s).",
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

void AddDeviceTables(AnalysisContext& context, const AnalysisParams& params,
                     AnalysisResult* result) {
  const DeviceEvents events(context, params);
  if (events.devices().empty()) return;
  const auto launch_delay = [&](AnalysisContext& c, const DeviceEvents&) {
    return LaunchDelayTable(*c.Get<LaunchDelays>(params));
  };
  using Make = std::function<ResultTable(AnalysisContext&, const DeviceEvents&)>;
  const std::array<Make, 4> kTables = {DeviceTable, launch_delay, CopyTable, AnnotationTable};
  std::array<ResultTable, 4> tables;
  // Each table reads the devices on all cores; where there is but one, the tables share the cores.
  const unsigned threads = events.devices().size() > 1 ? 1 : 0;
  ParallelFor(
      tables.size(), [&](size_t i) { tables[i] = kTables[i](context, events); }, threads);
  if (tables.back().empty()) tables.back() = {};  // no annotations
  for (ResultTable& table : tables) {
    if (!table.id.empty()) result->tables.push_back(std::move(table));
  }
}

std::string WhyNoKernels(AnalysisContext& context) {
  const Trace& trace = context.trace();
  const bool tpu = std::any_of(trace.planes.begin(), trace.planes.end(),
                               [](const Plane& plane) { return plane.kind == PlaneKind::kTpu; });
  if (tpu)
    return "TPUs run ops of XLA's programs and no kernels: HLO ops in the Window menu has them.";
  const Recording& recording = context.Get<Recording>();
  if (recording.devices.part_missing)
    return recording.MissingPartText() + " " + recording.HowToRecord(Layer::kDeviceWork);
  if (recording.devices.unknown())
    return recording.NoEventText() + " " + recording.HowToRecord(Layer::kDeviceWork);
  return "This profile has no GPU kernels. " + RemedyFor("record.kernels", ProgramOf(trace));
}

}  // namespace

SharedText ReadableName(const TrackSet& set, std::string_view name, const EventRows& rows) {
  if (!name.starts_with("_Z") || rows.empty()) return {};
  const std::string_view shown = set.Name(*rows.begin());
  if (shown == name) return {};
  return SharedText(WithoutParameters(shown));
}

void CategoryTable::Add(KernelCategory category, Ps time, Ps matrix, uint64_t count,
                        const EventRows& rows) {
  CategorySum& sum = sums_[static_cast<size_t>(category)];
  sum.category = category;
  sum.time += time, sum.matrix += matrix, sum.count += count;
  sum.rows.Append(rows);
}

ResultTable CategoryTable::Take(const char* time_how, bool with_matrix) {
  struct Facts {
    double all = 0;
    bool with_matrix = false;
  };
  using Sum = CategorySum;
  using Table = Schema<Sum, Facts>;
  const auto share = [](Ps part, double whole) {
    return whole > 0 ? static_cast<double>(part) / whole : 0;
  };
  const Table schema(
      "by_category", "By category",
      {{"category", "Category", Unit::kNone, [](const Sum& s) { return CategoryName(s.category); },
        "by the kernel's name, else by its op's"},
       {"count", "Count", Unit::kCount, &Sum::count},
       {"timeMs", "Time", Unit::kMs, &Sum::time, time_how},
       {"share", "Share of time", Unit::kFraction,
        [share](const Sum& s, const Facts& f) { return share(s.time, f.all); }, "of all of them"},
       Table::Field(
           "matrix_share", "Tensor Core time", Unit::kFraction,
           [share](const Sum& s) { return share(s.matrix, static_cast<double>(s.time)); },
           "time in kernels that use the matrix unit")
           .When([](const Facts& f) { return f.with_matrix; })},
      [](const Sum& s, const Facts&) {
        RowLink link = LinkTo(s.rows);
        link.total = s.count;
        return link;
      });
  Facts facts{.with_matrix = with_matrix};
  for (const CategorySum& s : sums_) facts.all += static_cast<double>(s.time);
  std::stable_sort(sums_.begin(), sums_.end(),
                   [](const CategorySum& a, const CategorySum& b) { return a.time > b.time; });
  const auto end =
      std::find_if(sums_.begin(), sums_.end(), [](const CategorySum& s) { return s.rows.empty(); });
  return schema.Make(std::span<const CategorySum>(sums_.begin(), end), facts);
}

double KernelGroup::total_us(const XprofDefinitions& xprof) const {
  return xprof.kernel_times_in_whole_ns ? WholeNsAsUs(total_ns) : InUs(total);
}

void KernelSum::Add(const KernelGroup& group) {
  total += group.total, count += group.occurrences;
  matrix += group.uses_matrix_unit ? group.total : 0;
  min = std::min(min, group.min), max = std::max(max, group.max);
  rows.Append(group.rows);
}

double KernelStats::matrix_percent() const { return Percent(matrix, total); }
double KernelStats::without_matrix_percent() const { return Percent(without_matrix, total); }
double KernelStats::short_time_percent() const { return Percent(short_total, total); }

double KernelStats::short_percent() const { return Percent(short_count, count); }

KernelPage KernelPage::Compute(AnalysisContext& context, const AnalysisParams& params) {
  KernelPage page;
  page.stats = context.Get<KernelStats>(params);
  page.in_whole_ns = context.xprof().kernel_times_in_whole_ns;
  if (context.xprof().kernel_columns_of_xprof) return page;
  const TrackSet& set = context.trace().set;
  page.by_kernel = Sorted(SumBy(page.stats->kernels, &KernelGroup::name), set);
  page.by_op = Sorted(SumBy(page.stats->kernels, &KernelGroup::op_name), set);
  page.by_stream = Sorted(page.stats->by_stream, set);
  page.graphs = context.Get<GraphSums>(params);
  return page;
}

AnalysisResult RunKernelStats(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "kernel_stats";
  const auto page = context.Make<KernelPage>(params);
  const KernelStats& stats = *page->stats;
  result.tables.push_back(
      KernelSchema().Make(stats.kernels, {.xprof = context.xprof(), .total = stats.total}));
  result.properties = PropertySchema().Properties(stats);
  if (!context.xprof().kernel_columns_of_xprof) {
    const auto add = [&](const char* id, const char* title, const char* label,
                         const std::vector<KernelSum>& sums) {
      result.tables.push_back(SumSchema(id, title, label).Make(sums, stats.total));
    };
    add("by_kernel", "By kernel", "Kernel", page->by_kernel);
    add("by_op", "By op", "Op", page->by_op);
    add("by_stream", "By stream", "Stream", page->by_stream);
    if (!stats.kernels.empty()) result.tables.push_back(KernelCategoryTable(stats.kernels));
    AddDeviceTables(context, params, &result);
    AddGraphTables(*page->graphs, &result);
    AddFindings(stats, ProgramOf(context.trace()), &result);
  }
  if (stats.kernels.empty()) result.empty_reason = WhyNoKernels(context);
  result.SetSource(page);
  return result;
}

}  // namespace stepscope
