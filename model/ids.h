// Strong 32-bit ids. All but ProfileId are valid within one trace only. Code that deals with
// several profiles keeps an EventRef.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace stepscope {

template <typename Tag>
struct Id {
  static constexpr uint32_t kInvalid = 0xffffffffu;
  uint32_t value = kInvalid;
  constexpr Id() = default;
  constexpr explicit Id(uint32_t v) : value(v) {}
  constexpr bool valid() const { return value != kInvalid; }
  constexpr auto operator<=>(const Id&) const = default;
};

using ProfileId = Id<struct TraceTag>;  // which open profile of the session
using HostId = Id<struct HostTag>;      // index into Trace::hosts
using PlaneId = Id<struct PlaneTag>;    // index into Trace::planes
using TrackId = Id<struct TrackTag>;    // index into TrackSet::tracks
using LaneId = Id<struct LaneTag>;      // index into TrackSet::lanes
using StringId = Id<struct StringTag>;  // index into a StringPool; 0 is the empty string
using MetaId =
    Id<struct MetaTag>;  // index into NameTable::metas: what all events of one name share

// An event of a TrackSet: rows are numbered from 0 through the set's lanes in order.
using EventRow = Id<struct EventTag>;

// An event of any open profile. Set 0 is the trace's own TrackSet; 1 and above are derived sets.
struct EventRef {
  ProfileId trace;
  uint32_t set = 0;
  EventRow row;
  bool valid() const { return row.valid(); }
  bool operator==(const EventRef&) const = default;
};

}  // namespace stepscope

template <typename Tag>
struct std::hash<stepscope::Id<Tag>> {
  size_t operator()(const stepscope::Id<Tag>& id) const noexcept {
    return id.value * 0x9e3779b97f4a7c15ull;
  }
};
