// The graph of a memory snapshot: what a device had allocated over time, each allocation a band on
// those made before it (model/analysis/memory/allocation_layout.h), in the colour of who made it.
// Zooms with the timeline; Ctrl and the wheel zoom the bytes. What is drawn is laid out by a job
// for the part in view and the pixels there are; until it is done the last one is shown. O(bands) a
// frame. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/memory/allocation_groups.h"
#include "model/analysis/memory/allocation_layout.h"
#include "model/analysis/memory/allocator_parts.h"
#include "model/jobs/latest_job.h"
#include "viewer/panels/time_plot.h"
#include "viewer/widgets/chart.h"

namespace stepscope {

// The data that a graph shows. Jobs share it, so it keeps what it points into alive.
struct SnapshotData {
  // The trace has to be a memory snapshot. O(frames of all stacks)
  explicit SnapshotData(std::shared_ptr<const Trace> of)
      : trace(std::move(of)), history(HistoryOf(*trace)), frames(*history), categories(*history) {}
  std::shared_ptr<const Trace> trace;
  const AllocatorHistory* history = nullptr;  // of the trace
  UserFrames frames;
  AllocatorCategories categories;
  const AllocatorDevice& Device(size_t i) const { return history->devices[i]; }
};

enum class SnapshotColors : uint8_t { kFrame, kStream, kSize, kCategory };

class SnapshotGraph {
 public:
  struct Clicked {
    bool any = false;
    Ps time = 0;
    int64_t allocation = -1;  // of the device; -1: none was there
  };
  // `marked`: drawn as a line; `selected`: allocation that is outlined, or -1. `key` changes with
  // data and device.
  Clicked Draw(const PanelContext& context, const std::shared_ptr<const SnapshotData>& data,
               size_t device, uint64_t key, Ps marked, int64_t selected, ImVec2 size);

  // The colour of the bands that a frame with this label made.
  Rgba ColorOf(const PanelContext& context, const std::string& frame) const;
  // A text for people that says who made an allocation.
  static std::string MakerOf(const SnapshotData& data, const Allocation& allocation);
  bool busy() const { return job_.busy(); }
  const AllocationLayout* layout() const { return layout_.get(); }
  SnapshotColors colors = SnapshotColors::kFrame;

 private:
  void Prepare(const PanelContext& context, const SnapshotData& data, const AllocatorDevice& device,
               uint64_t key);
  void Request(const PanelContext& context, const std::shared_ptr<const SnapshotData>& data,
               size_t device, ImVec2 pixels);
  void ZoomBytes(const AllocatorDevice& device);
  void DrawBands(const PanelContext& context, const SnapshotData& data,
                 const AllocatorDevice& device, int64_t selected) const;
  void DrawMarks(const PanelContext& context, const SnapshotData& data,
                 const AllocatorDevice& device, Ps marked) const;
  struct Hit {
    const AllocationBand* band = nullptr;
    const SmallBand* small = nullptr;
  };
  Hit HitAt() const;
  void DrawTooltip(const PanelContext& context, const SnapshotData& data,
                   const AllocatorDevice& device, const Hit& hit) const;

  TimePlot plot_;
  NumberFormat format_;
  ChartState state_;                 // a bit for each entry of the legend
  std::vector<ChartSeries> legend_;  // the classes that hold most at the peak, and "others"
  std::vector<uint32_t> entry_;      // of the legend, by class
  std::vector<Rgba> color_;          // by class
  std::vector<std::string> labels_;  // by class
  SnapshotColors prepared_ = SnapshotColors::kFrame;
  uint64_t key_ = 0;
  Rgba panel_ = 0;             // of the theme the colours are for
  double low_ = 0, high_ = 0;  // bytes that are shown; equal: all
  LatestJob<std::shared_ptr<const AllocationLayout>> job_;
  std::shared_ptr<const AllocationLayout> layout_;
  LayoutRequest requested_;
};

}  // namespace stepscope
