// The recorded shapes of the op that launched a kernel (PyTorch's `record_shapes`), and what they
// say about a matrix multiplication. Any thread; decoding an event's arguments reads the source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/trace.h"

namespace stepscope {

using Dims = std::vector<int64_t>;

struct OpShapes {
  std::string text;           // as recorded: "[[128, 63], [63, 8]]"; empty: not recorded
  std::vector<Dims> tensors;  // innermost lists of numbers; scalars have none
};

// Reads "[[128, 63], [], [63, 8]]". Broken text gives what was read until then. O(length).
OpShapes ParseShapes(std::string_view text);
// The shapes of the innermost op around the launch of `kernel` that has any.
OpShapes ShapesOf(const Trace& trace, const Grouping& grouping, EventRow kernel);

// The operations of the product of the last two tensors of two or more dimensions, 2 b m n k, one
// for each multiplication and one for each addition; 0 if their shapes do not fit each other.
double ProductFlops(const OpShapes& shapes);
// Whether the second product may take the result of the first: one of its matrices has as many
// elements, and a side as long as the result's last one. True if either is not recorded. O(1).
bool TakesProduct(const OpShapes& first, const OpShapes& second);

}  // namespace stepscope
