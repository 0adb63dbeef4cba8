// TrackRules: how the tracks of a profile are arranged, by the paths of planes and tracks
// (PlanePath, TrackPath). Plain data; a setting keeps its text. Paths that a trace does not have do
// nothing, so rules outlive the trace that they were made for. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct TrackRules {
  using Paths = std::set<std::string, std::less<>>;
  Paths folded;                     // a plane shows its heading only, a track its first row
  Paths unfolded;                   // open, though they would begin folded
  Paths hidden;                     // planes and tracks
  std::vector<std::string> pinned;  // above all others of the profile, in this order
  std::vector<std::string> order;   // before their neighbours, in this order: planes of a host,
                                    // tracks of a plane
  std::map<std::string, uint32_t, std::less<>> rows;      // a track is no higher than so many rows
  std::map<std::string, std::string, std::less<>> names;  // what the user calls planes and tracks
  std::map<std::string, uint32_t, std::less<>> colors;    // 1 to kMarkerColors
  std::string filter;  // words; a track stays whose name, or whose plane's, has all of them
  Paths only;          // the only tracks that stay; empty: all. Not kept as text
  bool empty() const;
  bool operator==(const TrackRules&) const = default;
};

// "hide host|GPU 1; rows 3 host|Threads|main#7; filter stream": a rule is a verb (fold, unfold,
// hide, pin, order, rows, name, color, filter) and a path. A name stands before its path, with a
// tab between them. One line; rules in the order of the struct.
std::string ToText(const TrackRules& rules);
// Leaves out what is no rule: a newer version may have written the text.
TrackRules ParseTrackRules(std::string_view text);

}  // namespace stepscope
