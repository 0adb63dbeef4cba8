// CallTree as a table.
#pragma once

#include "model/analysis/tables/result_table.h"
#include "model/query/call_tree.h"

namespace stepscope {

inline constexpr size_t kMostListedFrames = 20'000;

// The frames, each with those below it behind it, down to the kMostListedFrames with the most time.
// Rows link to the selected events of their frame. For people names are indented. `turned`: the
// tree goes from callees to callers. O(frames).
ResultTable CallTreeTable(const Trace& trace, const CallTree& tree, bool turned);

}  // namespace stepscope
