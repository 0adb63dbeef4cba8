// TrackRules: how the user arranged the tracks of profiles, by the paths of planes and tracks.
// Plain data, one of the settings. A rule whose path a trace does not have does nothing, so rules
// outlive the trace that they were made for. Pure; O(length of the path) unless said otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace stepscope {

struct TrackRules {
  using Paths = std::set<std::string, std::less<>>;
  using Names = std::map<std::string, std::string, std::less<>>;
  using Numbers = std::map<std::string, uint32_t, std::less<>>;
  static constexpr uint32_t kMostRows = 10'000, kMostColors = 99;

  Paths folded;                     // a plane shows its heading only, a track its first row
  Paths unfolded;                   // open, though they would begin folded
  Paths hidden;                     // planes and tracks
  std::vector<std::string> pinned;  // above all others of the profile, in this order
  std::vector<std::string> order;   // before their neighbours, in this order: planes of a host,
                                    // tracks of a plane
  Numbers rows;                     // the most rows that a track is drawn with
  Names names;                      // what the user calls planes and tracks
  Numbers colors;                   // 1 to kMarkerColors
  std::string filter;  // words; a track stays whose name, or whose plane's, has all of them
  Paths only;          // the only tracks that stay; empty: all. No setting keeps it.
  bool operator==(const TrackRules&) const = default;
};

// The paths that name the same plane and track in every profile: "host|plane" ("derived" for tracks
// without a plane) and "host|plane|track#id".
std::string PlanePath(const Trace& trace, PlaneId plane);
std::string TrackPath(const Trace& trace, const TrackSet& set, TrackId track);
// The paths of two things that fold and are no track: the derived tracks of a plane, and the outer
// frames of a thread (OuterFrames).
std::string DerivedTracksPath(const Trace& trace, PlaneId plane);
std::string OuterFramesPath(const Trace& trace, const TrackSet& set, TrackId track);
// The plane's or track's own name in a path, without host, plane and id.
std::string NameInPath(const std::string& path);

// The name that the user gave a plane or track (TrackRules::names), else the recorded one.
std::string PlaneName(const TrackRules::Names& given, const Trace& trace, PlaneId plane);
std::string TrackName(const TrackRules::Names& given, const Trace& trace, const TrackSet& set,
                      TrackId track);

// The functions below lead from the rules to the planes and tracks of a trace that are folded, and
// back. O(tracks) unless said otherwise.

// How many leading rows of the track hold nothing but one Python frame that is open for at least
// half of the trace, such as the main module and what starts the program; 0 if it is only one. They
// would fill the first rows of the thread, so the timeline shows them as one row. O(result)
uint32_t OuterFrames(const Trace& trace, const Track& track);

// Whether a plane has next to no events beside others, by plane. GPUs always count.
std::vector<bool> PlanesOfFewEvents(const Trace& trace);

// What begins folded where no rule names it: planes with next to no events beside others (PyTorch's
// "Spans" and "Traces" have one event each), threads that wait in one call, the derived tracks of
// devices, and the outer frames of threads.
TrackRules::Paths FoldedAtFirst(const Trace& trace);

// The busiest tracks of the busiest device, or of the busiest plane in a trace without devices.
// Only these are shown while profiles are compared in one list, so that each profile is in sight.
// At most 4 paths.
TrackRules::Paths BusiestTracks(const Trace& trace);

// The planes and tracks that are folded when the trace is opened. Paths of other traces
// are left out.
TrackRules::Paths FoldedBy(const TrackRules& rules, const Trace& trace);

// Changes the rules so that FoldedBy gives `folded` back. Rules for planes that the trace does not
// have stay, unless there are thousands.
void KeepFolds(const Trace& trace, const TrackRules::Paths& folded, TrackRules* rules);

}  // namespace stepscope
