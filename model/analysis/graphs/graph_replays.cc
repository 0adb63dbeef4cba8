#include "model/analysis/graphs/graph_replays.h"

#include <algorithm>
#include <tuple>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/event_order.h"
#include "model/base/sort_runs.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

class Collector {
 public:
  Collector(const Trace& trace)
      : trace_(trace), by_category_(CapabilitiesOf(trace).event_categories), reader_(trace.set) {}

  void Add(uint32_t row, uint64_t launch) {
    if (!IsWork(row)) return;
    kernels_.push_back({launch, reader_.TrackOf(row), reader_.Start(row), row});
  }
  std::vector<ReplayedKernel> Take() {
    // A kernel that has a launch and a graph's id counts once: its launch sorts first.
    SortRuns(kernels_.begin(), kernels_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.row, a.launch) < std::tie(b.row, b.launch);
    });
    const auto last = std::unique(kernels_.begin(), kernels_.end(),
                                  [](const auto& a, const auto& b) { return a.row == b.row; });
    kernels_.erase(last, kernels_.end());
    SortRuns(kernels_.begin(), kernels_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.launch, a.track, a.begin, a.row) <
             std::tie(b.launch, b.track, b.begin, b.row);
    });
    return std::move(kernels_);
  }

 private:
  bool IsWork(uint32_t row) {
    const Track& track = trace_.set.tracks[reader_.TrackOf(row)];
    if (trace_.planes[track.plane.value].kind != PlaneKind::kGpu || track.derived_in_file)
      return false;
    if (!by_category_) return true;
    const EventCategory category = trace_.names().metas[reader_.Meta(row)].category;
    return category == EventCategory::kKernel || category == EventCategory::kMemcpy ||
           category == EventCategory::kMemset;
  }

  const Trace& trace_;
  const bool by_category_;
  RowReader reader_;
  std::vector<ReplayedKernel> kernels_;
};

}  // namespace

std::vector<ReplayedKernel> ReplayedKernels(AnalysisContext& context,
                                            const std::vector<bool>& graph_launches) {
  const Trace& trace = context.trace();
  Collector collector(trace);
  RowReader calls(trace.set);
  for (const LaunchLink& link : context.Get<Grouping>().launches) {
    if (graph_launches[calls.Meta(link.launch_row)])
      collector.Add(link.device_row, link.launch_row);
  }
  context.stats().Int(IntStat::kCudaGraphExecId).ForAll([&](uint32_t row, int64_t id) {
    if (id != 0) collector.Add(row, kUnknownLaunch | static_cast<uint64_t>(id));
  });
  return collector.Take();
}

}  // namespace stepscope
