// Kernel statistics: every GPU kernel grouped by name, launch parameters and framework op
// (docs/rules.md#kernels). In: the events of GPU streams. Out: KernelStats, and the page
// `kernel_stats`. Start here; kernel_collect.cc computes the groups, graph_tables.h adds the
// kernels of graphs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/kernels/graph_tables.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/naming/kernel_rules.h"
#include "model/analysis/naming/matrix_unit.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {

inline constexpr double kUnknownOccupancy = -1;
// A shorter kernel ends before the next one is launched: a launch takes the host 20 to 40 us
// (TensorFlow's guide to GPU performance).
inline constexpr Ps kShortKernel = 20 * kPsPerUs;

struct KernelGroup {
  SharedText name, op_name;  // the tables share these texts
  SharedText readable;       // the name as it is written in C++; empty if `name` is readable
  KernelLaunch launch;       // without its occupancy, which differs between events
  bool xprof_uses_tensor_core = false;
  bool uses_matrix_unit = false;
  bool eligible = false;
  MatrixUnit unit = MatrixUnit::kNoWork;
  uint64_t occurrences = 0;
  Ps total = 0, min = kMaxPs, max = 0;
  int64_t total_ns = 0, min_ns = INT64_MAX,
          max_ns = 0;  // each event floored to whole ns, as in XProf
  // XProf's definition takes the first event in the file, ours the mean weighted by duration.
  // kUnknownOccupancy: the recording does not have it.
  double first_occupancy_pct = 0, mean_occupancy_pct = 0;
  EventRows rows;

  std::string_view shown() const { return readable.empty() ? name : readable; }
  double total_us(const XprofDefinitions& xprof) const;
  // The mean duration; the group must have a kernel.
  double average_us() const { return InUs(total) / static_cast<double>(occurrences); }
  std::optional<double> first_occupancy() const {
    return first_occupancy_pct < 0 ? std::nullopt : std::optional(first_occupancy_pct);
  }
  std::optional<double> mean_occupancy() const {
    return mean_occupancy_pct < 0 ? std::nullopt : std::optional(mean_occupancy_pct);
  }
};

// The name of a kernel as the timeline shows it, if the file has it mangled; else empty. `rows`:
// its events.
SharedText ReadableName(const TrackSet& set, std::string_view name, const EventRows& rows);

// Sums of kernels that share a name, an op or a stream.
struct KernelSum {
  SharedText name;                                  // of what they share
  SharedText readable;                              // as KernelGroup::readable
  Ps total = 0, min = kMaxPs, max = 0, matrix = 0;  // matrix: in kernels that use the matrix unit
  uint64_t count = 0;
  EventRows rows;
  void Add(const KernelGroup& group);
  std::string_view shown() const { return readable.empty() ? name : readable; }
};

struct KernelStats {
  // The largest total time first, ties by name, grid, block, registers, shared memory, Tensor Core
  // use and op. With XProf's definitions the first 1000.
  std::vector<KernelGroup> kernels;
  std::vector<KernelSum> by_stream;  // by name: "GPU 0, Stream #14(Compute)"
  // Sums over all kernels.
  uint64_t count = 0, short_count = 0;  // short: of groups whose average is under kShortKernel
  Ps total = 0, short_total = 0;
  Ps matrix = 0, without_matrix = 0;  // with the matrix unit; eligible, but without it
  double short_percent() const;       // of the count
  // Of the total.
  double matrix_percent() const;
  double without_matrix_percent() const;
  double short_time_percent() const;

  static constexpr size_t kKept = 4;
  static AnalysisParams KeyOf(AnalysisParams params);
  // O(kernels), parallel over device planes.
  static KernelStats Compute(AnalysisContext& context, const AnalysisParams& params);
};

// The page: the kernels, their sums, and the kernels of graphs. With XProf's definitions only the
// kernels.
struct KernelPage {
  std::shared_ptr<const KernelStats> stats;
  std::vector<KernelSum> by_kernel, by_op, by_stream;  // the largest total first, ties by name
  std::shared_ptr<const GraphSums> graphs;             // null with XProf's definitions
  bool in_whole_ns = false;                            // tables have KernelGroup::total_ns

  static KernelPage Compute(AnalysisContext& context, const AnalysisParams& params);
};

// --- Tables by category of kernel (docs/rules.md#devices)
struct CategorySum {
  KernelCategory category = KernelCategory::kOther;
  Ps time = 0, matrix = 0;  // matrix: in kernels that use the matrix unit
  uint64_t count = 0;
  EventRows rows;
};

// Sums up the rows of the table `by_category`.
class CategoryTable {
 public:
  // `matrix`: the part of the time that uses the matrix unit.
  void Add(KernelCategory category, Ps time, Ps matrix, uint64_t count, const EventRows& rows);
  // The rows, largest time first. `with_matrix`: with a column for the matrix unit's share.
  ResultTable Take(const char* time_how, bool with_matrix);

 private:
  std::array<CategorySum, static_cast<size_t>(KernelCategory::kCount)> sums_;
};

// How the numbers of short kernels are made.
inline constexpr const char* kShortKernelsHow =
    "kernels whose average is under 20 \u00b5s, the time the host needs to launch one (20 to 40 "
    "\u00b5s), of all kernels";
inline constexpr const char* kShortTimeHow = "their time, of all kernel time";

}  // namespace stepscope
