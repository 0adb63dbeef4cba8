// AllocationLayout: what a device had allocated over time, each allocation a band on top of those
// that were made before it, as high as it is large. When one is freed, those above it come down:
// the top of all is what was allocated. Made for a part of the time and a number of pixels, so that
// what is drawn is bounded whatever the number of allocations: allocations too small to be seen at
// that size are one band for each group on top of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {

struct LayoutRequest {
  TimeRange range;        // to lay out
  uint32_t columns = 0;   // parts of it that are told apart
  int64_t min_bytes = 0;  // smaller allocations are not told apart
};

// What an allocation is counted as where it is too small to be told apart: below kMostGroups.
using AllocationGroup = std::function<uint32_t(const Allocation&)>;
inline constexpr uint32_t kMostGroups = 16;

// An allocation, for as long as it stays at one height.
struct AllocationBand {
  TimeRange range;
  int64_t offset = 0, size = 0;  // bytes
  uint32_t allocation = 0;       // of AllocatorDevice::allocations
};

// What is too small of one group, on top of what is told apart.
struct SmallBand {
  TimeRange range;
  int64_t offset = 0, size = 0;
  uint32_t group = 0;
};

struct AllocationLayout {
  LayoutRequest request;
  std::vector<AllocationBand> bands;  // by begin
  std::vector<SmallBand> small;       // of a group by time
  int64_t top = 0;                    // most that is allocated in the range
  int64_t min_bytes = 0;              // as used: more than asked for where there were too many
};

// More bands than this are never made: the least size that is told apart grows until they fit.
inline constexpr size_t kMostBands = 30'000;

// O(events + allocations), and of allocations that are told apart and last longer than a column
// O(n log n + n · those that are there at once). Where the range
// has fewer events than columns every change is shown at its time; else each column shows the
// moment at which most was allocated in it.
AllocationLayout LayOut(const AllocatorHistory& history, const AllocatorDevice& device,
                        const LayoutRequest& request, const AllocationGroup& group,
                        const std::stop_token& stop);

}  // namespace stepscope
