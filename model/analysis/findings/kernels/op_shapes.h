// The recorded shapes of the op that launched a kernel (PyTorch's `record_shapes`), and what they
// say about a matrix multiplication. Any thread; decoding an event's arguments reads the source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/sparse_column.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

using Dims = std::vector<int64_t>;

struct OpShapes {
  std::string text;           // as recorded: "[[128, 63], [63, 8]]"; empty: not recorded
  std::vector<Dims> tensors;  // innermost lists of numbers; scalars have none
  EventRow op;                // that recorded them; ShapesOf sets it
};

// Reads "[[128, 63], [], [63, 8]]". Broken text gives what was read until then. O(length).
OpShapes ParseShapes(std::string_view text);
// The shapes of the innermost op around the launch of `kernel` that has any.
OpShapes ShapesOf(const Trace& trace, const Grouping& grouping, EventRow kernel);

// LaunchShapes: the same for many kernels of one trace, from its typed stats, so that equal shapes
// are parsed once. Does not own its arguments, which must outlive it. Not thread-safe.
class LaunchShapes {
 public:
  LaunchShapes(const Trace& trace, const Grouping& grouping, const StatTable& stats);
  // Whether the trace has any shapes.
  bool any() const { return !shapes_.empty(); }
  // Without text if none are recorded. The reference holds as long as this. O(log events).
  const OpShapes& Of(EventRow kernel);
  // Whether rows of the kernel's matrix product are not aligned to 16 bytes, so that matrix units
  // cannot read them at once: by the recorded strides of its inputs, else by their last
  // dimensions. A gradient's inputs may be transposed: without strides only the result counts.
  // False if no product or no type is recorded.
  bool IsUnaligned(EventRow kernel);

 private:
  EventRow OpOf(EventRow kernel) const;
  OpShapes StridesOf(EventRow op);

  const Trace& trace_;
  const Grouping& grouping_;
  const StatTable& stats_;
  const SparseColumn<StringId>& shapes_;
  std::unordered_map<uint32_t, OpShapes> parsed_;  // by StringId
  size_t decoded_ = 0;
  const OpShapes none_;
};

// The operations of the product of the last two tensors of two or more dimensions, 2 b m n k, one
// for each multiplication and one for each addition; 0 if their shapes do not fit each other.
double ProductFlops(const OpShapes& shapes);
// The blocks of 128 rows of the result, of all its batches: what fused attention divides among the
// processors of a device. 0 if the shapes are of no product.
double RowBlocks(const OpShapes& shapes);
// The dimensions that a matrix unit goes along: the inner one and the columns of a product of
// matrices, the channels of one group of a convolution ([256, 1024] of [32, 256, 14, 14] and
// [1024, 256, 1, 1]). Empty where the op is neither, or its shapes do not say which dimension is
// which. O(length).
std::vector<int64_t> MultipliedDims(std::string_view op, const OpShapes& shapes);
// Whether the second product may take the result of the first: one of its matrices has as many
// elements, and a side as long as the result's last one. True if either is not recorded. O(1).
bool TakesProduct(const OpShapes& first, const OpShapes& second);

}  // namespace stepscope
