// CallTree: the nested events of a selection, merged by their stacks: events with the same names
// above them are one frame. A flame graph draws it, CallTreeTable() lists it. Times are in ps.
// Immutable once built; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

struct CallFrame {
  StringId name = {};   // in the trace's names
  uint32_t parent = 0;  // index in CallTree::frames; the first frame is its own parent
  uint32_t end = 0;     // the frames below this one are those behind it up to here
  uint32_t depth = 0;   // 0: the first frame, which stands for the whole selection
  uint64_t count = 0;   // selected events
  Ps total = 0;         // kMaxPs if the sum is larger
  Ps self = 0;          // without the events one level below, selected or not
};

struct CallTree {
  // A frame stands before the frames below it, and among frames of one parent the one with the
  // largest total first. The first frame has no name; there is always one.
  std::vector<CallFrame> frames = {CallFrame{.end = 1}};
  // The selected events of frame f: rows[first_row[f]] up to rows[first_row[f + 1]]. Empty if there
  // are more than kMostCallRows of them.
  std::vector<EventRow> rows;
  std::vector<uint32_t> first_row;
  uint64_t cut = 0;      // events below the deepest frames, whose time is in these
  bool devices = false;  // the selection has events of devices and none of hosts

  std::span<const EventRow> RowsOf(uint32_t frame) const {
    if (first_row.empty()) return {};
    return std::span(rows).subspan(first_row[frame], first_row[frame + 1] - first_row[frame]);
  }
};

inline constexpr uint32_t kDeepestFrame = 512;
inline constexpr size_t kMostFrames = size_t{1} << 20;
inline constexpr uint64_t kMostCallRows = 2'000'000;

// The frame's name; empty for the first one.
inline std::string_view NameOf(const CallFrame& frame, const NameTable& names) {
  return frame.depth == 0 ? std::string_view() : names.strings.View(frame.name);
}

inline constexpr size_t kMostListedFrames = 20'000;

// The frames, each with those below it behind it, down to the kMostListedFrames with the most time.
// Rows link to the selected events of their frame. For people names are indented. `turned`: the
// tree goes from callees to callers. O(frames).
ResultTable CallTreeTable(const Trace& trace, const CallTree& tree, bool turned);

}  // namespace stepscope
