// ViewState: what the user looks at. This folder holds the state that only commands change, and the
// settings and track rules that outlive a session; start here. Plain data, comparable. UI thread.
// Times are on the axis that all open profiles share; ProfileViewState::map
// leads from there to the time of a trace and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/time.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {

// HighlightedEvents: the events that "show on timeline" draws bright while the rest is dimmed. A
// row of a table may have a million of them, so they are sorted only when the user steps through
// them. UI thread only.
// Whoever shows events cuts off more than this and says so: a click must not be felt.
inline constexpr size_t kMaxHighlightedEvents = 1'000'000;

class HighlightedEvents {
 public:
  using StartOf = std::function<Ps(const EventRef&)>;

  void Set(std::vector<EventRef> events);
  void Drop(const std::function<bool(const EventRef&)>& gone);
  // The earliest event, the first in the list among those that begin together. There must
  // be one. O(n)
  EventRef Earliest(const StartOf& start) const;
  // Goes to the next event by start, or with direction -1 to the previous one. There must be one.
  // O(1); the first call after Set takes O(n log n).
  EventRef Step(int direction, const StartOf& start);

  const std::vector<EventRef>& events() const { return events_; }
  bool empty() const { return events_.empty(); }
  size_t size() const { return events_.size(); }
  // Number of recorded events. Derived rows stand for these and do not count.
  size_t recorded() const { return recorded_; }
  size_t at() const { return at_; }              // the event that Step went to, from 0
  uint64_t version() const { return version_; }  // another number whenever the events change
  bool operator==(const HighlightedEvents&) const = default;

 private:
  std::vector<EventRef> events_;
  size_t at_ = 0, recorded_ = 0;
  bool ordered_ = false;
  uint64_t version_ = 0;
};

// TimeMap: leads from the time of one trace to the axis that all open profiles share, and back. A
// value; whole picoseconds in and out. Without a stretch it is exact. With one, times are rounded
// to the nearest picosecond, and ToTrace(ToShared(t)) is t unless the map shrinks. Times beyond the
// range of Ps saturate. O(1).
struct TimeMap {
  Ps offset = 0;                   // the shared time at the trace's time 0
  int64_t shared = 1, of_own = 1;  // this much shared time for this much of its own; above 0

  Ps ToShared(Ps t) const;
  Ps ToTrace(Ps t) const;
  // An empty range ("none") stays empty, and no other one becomes empty.
  TimeRange ToShared(TimeRange range) const;
  TimeRange ToTrace(TimeRange range) const;
  bool operator==(const TimeMap&) const = default;
};

enum class Tool { kSelect, kPan, kZoom, kTiming };

// A time that the user wants to find again, or a range that stays measured.
struct Marker {
  TimeRange range;     // in the time of its profile; empty: the moment at its begin
  std::string name;    // one line
  uint32_t color = 0;  // below kMarkerColors
  bool operator==(const Marker&) const = default;
};
inline constexpr uint32_t kMarkerColors = 6;

// Where the tracks of a job's ranks are drawn: with their hosts and devices, or at the top, the
// latest rank first, a row for each track or a stripe of one lane.
enum class RankLayout : uint8_t { kApart, kRows, kLane };

// The part of an open profile that the user looks at.
struct ProfileViewState {
  ProfileId profile;
  TimeMap map;
  std::string host;                  // the only one shown; empty: all
  TrackRules::Paths collapsed;       // planes and tracks
  std::vector<Marker> markers = {};  // by begin
  std::string track_filter = {};     // words that the names of shown tracks contain; empty: all
  TrackRules::Paths only = {};       // the only tracks that are shown; empty: all
  bool aligned = false;              // `map` was chosen and is not chosen again
  bool recorded_clocks = false;      // the clocks of ranks are not aligned
  RankLayout ranks = RankLayout::kApart;
  double scroll_y = 0;  // pixels, where each profile has rows of its own
  bool operator==(const ProfileViewState&) const = default;
};

// The scope that panels are limited to, and the words for it: "step 3", "12 ms".
struct RangeFilter {
  TimeRange range;  // on the shared axis, not empty
  std::string label;
  bool operator==(const RangeFilter&) const = default;
};

struct ViewState {
  std::vector<ProfileViewState> profiles;  // one for each open profile, in the session's order
  TimeRange visible;    // where animations go; the timeline keeps the range on the screen
  double scroll_y = 0;  // pixels, where all profiles lie in one list
  std::vector<RangeFilter> filters;  // each lies inside the one before it
  TimeRange measured;                // timing tool; empty: none
  Tool tool = Tool::kPan;
  EventRef selected;
  HighlightedEvents shown;
  uint64_t reveals = 0;      // counts up when the selection is to be scrolled into sight
  ProfileId active;          // the one that panels show, and that commands mean without another
  ProfileId baseline;        // the one that others are compared with; invalid: none
  std::string panel;         // panel shown last, perhaps with a page: "memory/lifetimes"
  ProfileId panel_profile;   // the one that this panel is pinned to; invalid: it follows `active`
  uint64_t panel_asked = 0;  // counts up when a panel, or a page of it, is asked for
  bool operator==(const ViewState&) const = default;

  const ProfileViewState* Find(ProfileId profile) const {
    for (const ProfileViewState& state : profiles) {
      if (state.profile == profile) return &state;
    }
    return nullptr;
  }
  ProfileViewState* Find(ProfileId profile) {
    return const_cast<ProfileViewState*>(static_cast<const ViewState*>(this)->Find(profile));
  }
  // The range that analyses and tables are limited to; empty: none.
  TimeRange Filter() const { return filters.empty() ? TimeRange{} : filters.back().range; }
  // The ranges in the time of a profile; empty if it is not open.
  TimeRange VisibleIn(ProfileId profile) const { return In(profile, visible); }
  TimeRange MeasuredIn(ProfileId profile) const { return In(profile, measured); }
  TimeRange FilterIn(ProfileId profile) const { return In(profile, Filter()); }
  // A time of one profile in the time of another; unchanged where one of them is not open.
  Ps Translate(ProfileId from, ProfileId to, Ps t) const {
    const ProfileViewState *a = Find(from), *b = Find(to);
    return a == b || a == nullptr || b == nullptr ? t : b->map.ToTrace(a->map.ToShared(t));
  }

 private:
  TimeRange In(ProfileId profile, TimeRange range) const {
    const ProfileViewState* state = Find(profile);
    return state != nullptr ? state->map.ToTrace(range) : TimeRange{};
  }
};

// View tokens: a view as a short text that people paste into a message or a command line. It says
// what is in sight, measured and selected, what panels are limited to, and which panel is open. It
// holds no profile: whoever opens it needs the same one. Pure.

// The content of a token. Times are those of the profile.
struct ViewPlace {
  TimeRange visible, measured, filter;
  EventRef selected;  // its profile is left invalid
  double scroll_y = 0;
  bool recorded_clocks = false;
  RankLayout ranks = RankLayout::kApart;
  std::string host, panel;
  bool operator==(const ViewPlace&) const = default;
};

// "v1:r0-2500:e0.17": letters, digits and . : - _ % only, so that no shell reads it another way.
std::string TokenOf(const ViewState& view, const ProfileViewState& profile);
std::string ToToken(const ViewPlace& place);
// Leaves out parts that this version does not know. nullopt if the text is no token.
std::optional<ViewPlace> ParseViewToken(std::string_view text);

}  // namespace stepscope
