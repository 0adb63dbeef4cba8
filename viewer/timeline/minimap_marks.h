// MinimapMarks: where on the minimap the bright events lie, hits of a search or what was selected.
// Made when they or the minimap change. UI thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "viewer/core/highlight.h"
#include "viewer/core/run.h"

namespace stepscope {

class MinimapMarks {
 public:
  // When something changed: for each lane with bright events, one binary search for each column
  // that has no mark yet.
  void Update(const Run& run, const Highlight& highlight, TimeRange span, uint32_t width);
  // By pixel column: whether an event begins there.
  const std::vector<uint8_t>& columns() const { return columns_; }

 private:
  TraceId run_;
  uint64_t version_ = 0;
  TimeRange span_;
  std::vector<uint8_t> columns_;
};

}  // namespace stepscope
