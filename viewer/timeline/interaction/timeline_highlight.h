// TimelineHighlight: the events that are drawn bright, by drawn row. A table's events come first,
// else the hits of the search. It is made again when they change, in O(n log n) for a table's
// events. Hits cost nothing, unless Python frames are hidden; then O(n).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "viewer/core/search/highlight.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/highlighted_events.h"
#include "viewer/timeline/layout/python_hider.h"

namespace stepscope {

class TimelineHighlight {
 public:
  // `stale`: the drawn rows changed, because other Python frames are hidden now.
  void Update(std::span<const Profile> profiles, const HighlightedEvents& shown,
              const SearchHits& hits, const PythonHider& python, bool stale);
  const Highlight& highlight() const { return highlight_; }

 private:
  void AddRowsWithoutPython(std::span<const Profile> profiles, const PythonHider& python);

  Highlight highlight_;
  bool first_ = true;
  uint64_t shown_ = 0;  // HighlightedEvents::version
  std::string query_;
  uint64_t count_ = 0, versions_ = 0;
};

}  // namespace stepscope
