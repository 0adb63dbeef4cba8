// AllocationLayout: what a device had allocated over time. Each allocation is a band as high as
// it is large, on top of those that were made before it. When one is freed, those above it come
// down, so that the top of all bands is what was allocated. A layout is made for a range of time
// and a number of columns, which bounds what is drawn: the allocations that are too small to be
// seen are one band a group, on top of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {

struct LayoutRequest {
  TimeRange range;        // the range to lay out, ps
  uint32_t columns = 0;   // parts of the range that are told apart
  int64_t min_bytes = 0;  // smaller allocations are not told apart
};

// The group of an allocation that is too small to be told apart: a number below kMostGroups.
using AllocationGroup = std::function<uint32_t(const Allocation&)>;
inline constexpr uint32_t kMostGroups = 16;

// An allocation for as long as it stays at one height.
struct AllocationBand {
  TimeRange range;
  int64_t offset = 0, size = 0;  // bytes
  uint32_t allocation = 0;       // index into AllocatorDevice::allocations
};

// The small allocations of one group, on top of what is told apart.
struct SmallBand {
  TimeRange range;
  int64_t offset = 0, size = 0;
  uint32_t group = 0;
};

struct AllocationLayout {
  LayoutRequest request;
  std::vector<AllocationBand> bands;  // by begin
  std::vector<SmallBand> small;       // by group, then time
  int64_t top = 0;                    // the most bytes allocated in the range
  int64_t min_bytes = 0;  // the size used, which is more than asked for if there were too many
};

// The largest number of bands: the least size that is told apart grows until they fit.
inline constexpr size_t kMostBands = 30'000;

// If the range has fewer events than columns, every change is shown at its time; else each column
// shows its moment with the most bytes allocated. Pure; any thread. O(events + allocations + n
// log n + n * m) for n allocations that are told apart and last longer than a column, m of them
// live at once.
AllocationLayout LayOut(const AllocatorHistory& history, const AllocatorDevice& device,
                        const LayoutRequest& request, const AllocationGroup& group);

}  // namespace stepscope
