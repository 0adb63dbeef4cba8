// GraphSums: the kernels of CUDA and HIP graphs by the source of their ops, by op, and one by one,
// for the page `kernel_stats` (docs/graphs.md). Values; any thread. Times are ps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

// Launches whose ops were found in one place.
struct GraphSourceSum {
  std::optional<SharedText> source, mode;  // where; what the capture says of itself. None: unknown
  std::optional<int64_t> batch_size;
  int64_t launches = 0;
  uint64_t kernels = 0,
           matched = 0;  // matched: kernels that lie in the recording by name and order
  uint32_t alike = 0;    // the most recordings that fit a launch equally well
  EventRows calls;
};

// The sums of the kernels of one row.
struct GraphSum {
  SharedText name, readable;  // readable: empty if the name is
  Ps total = 0;
  uint64_t matched = 0, of = 0;  // summed over their launches: kernels matched, kernels
  EventRows rows;

  std::string_view shown() const { return readable.empty() ? name : readable; }
  std::optional<double> confidence() const {
    if (of == 0) return std::nullopt;
    return static_cast<double>(matched) / static_cast<double>(of);
  }
};

struct GraphOpSum : GraphSum {
  SharedText parent_module;  // class of the innermost module around the op
};

struct GraphKernelSum : GraphSum {
  SharedText op, layer, module, shapes, source;  // empty: unknown
};

struct GraphSums {
  bool any = false;        // whether the trace launches graphs
  bool any_found = false;  // whether the op of any of their kernels was found
  std::vector<GraphSourceSum> sources;
  std::vector<GraphOpSum> ops;          // by falling total
  std::vector<GraphKernelSum> kernels;  // in the graphs' order, at most 5000

  static constexpr bool kLarge = true;
  static AnalysisParams KeyOf(AnalysisParams params);
  // O(kernels log kernels), and one read of the file for each of `kernels`.
  static GraphSums Compute(AnalysisContext& context, const AnalysisParams& params);
};

// Appends `graphs`, `graph_ops` and `graph_kernels`, or nothing where the trace launches no graphs.
void AddGraphTables(const GraphSums& sums, AnalysisResult* result);

}  // namespace stepscope
