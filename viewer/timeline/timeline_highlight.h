// TimelineHighlight: the events that are drawn bright, by the rows that are drawn: what a table
// shows on the timeline, else what the search found. Made again when one of them changes:
// O(n log n) of a table's events, of hits nothing unless Python frames are hidden, then O(n).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "viewer/core/highlight.h"
#include "viewer/core/search.h"
#include "viewer/core/shown_events.h"
#include "viewer/timeline/python_hider.h"

namespace stepscope {

class TimelineHighlight {
 public:
  // `stale`: the drawn rows have changed, because other Python frames are hidden.
  void Update(std::span<const Run> runs, const ShownEvents& shown, const SearchHits& hits,
              const PythonHider& python, bool stale);
  const Highlight& highlight() const { return highlight_; }

 private:
  void AddRowsWithoutPython(std::span<const Run> runs, const PythonHider& python);

  Highlight highlight_;
  bool first_ = true;
  uint64_t shown_ = 0;  // ShownEvents::version
  std::string query_;
  uint64_t count_ = 0, versions_ = 0;
};

}  // namespace stepscope
