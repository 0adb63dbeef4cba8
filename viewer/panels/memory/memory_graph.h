// The memory graph: stack, heap and free memory of one allocator over time, stacked, with its
// fragmentation on the right axis. The x axis is the timeline's visible range and moves it. What is
// drawn is one snapshot per pixel, the fullest: O(snapshots) when the range or the data changes,
// O(pixels) otherwise. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/pages/memory.h"
#include "viewer/core/panel.h"
#include "viewer/panels/time_plot.h"

namespace stepscope {

// Snapshots of one allocator by time; a value holds until the next.
struct MemorySeries {
  std::vector<Ps> time;
  std::vector<double> stack, heap, free, fragmentation;  // bytes; fraction
  std::vector<uint32_t> rows;                            // the events
  std::vector<uint8_t> allocation;                       // 1: allocation, 0: deallocation
  size_t size() const { return time.size(); }
  double in_use(size_t i) const { return stack[i] + heap[i]; }
  size_t Peak() const;    // the last of the fullest; 0 if empty
  size_t At(Ps t) const;  // last snapshot at or before t; the first if none
};
// At most a thousand snapshots, the fullest of each time interval.
MemorySeries SeriesOf(const AllocatorUse& use);

// Every snapshot as a line.
std::string ToCsv(const MemorySeries& series);

class MemoryGraph {
 public:
  // Time the user clicked in *clicked; true if they did. `marked` is drawn as a line (the time
  // shown in the table).
  bool Draw(const PanelContext& context, const MemorySeries& series, uint64_t key, Ps marked,
            ImVec2 size, Ps* clicked);

 private:
  void Bin(const MemorySeries& series, uint64_t key, double first, double last, int pixels);
  void DrawAreas(const PanelContext& context, const MemorySeries& series, float left, double scale);
  void DrawTooltip(const PanelContext& context, const MemorySeries& series, size_t snapshot);
  bool Legend(const PanelContext& context);

  std::vector<uint32_t> bins_;  // snapshot per pixel; ~0: before the first
  double bin_first_ = 0, bin_last_ = 0;
  uint64_t key_ = 0;
  TimePlot plot_;
  uint64_t hidden_ = 0;  // bit: stack, heap, free, fragmentation
  bool first_look_ = true;
  uint32_t described_ = ~0u;  // event of description_
  std::string description_;
};

}  // namespace stepscope
