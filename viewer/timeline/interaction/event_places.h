// EventPlaces: where events are drawn in this frame. TimelineModel answers; arrows and the critical
// path ask. Places are on the screen, in pixels. UI thread only.
#pragma once

#include <optional>
#include <span>

#include "model/ids.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/timeline/layout/geometry.h"

namespace stepscope {

// Where an event is drawn.
struct EventPlace : Box {
  bool sticks = false;  // in a row that stays at the top
};

class EventPlaces {
 public:
  virtual ~EventPlaces() = default;
  virtual const TimelineGeometry& geometry() const = 0;
  virtual const TimeAxis& axis() const = 0;               // of the active profile
  virtual TimeRange ViewOf(ProfileId profile) const = 0;  // displayed, in the profile's time
  virtual Box ClipOf(
      const EventPlace& place) const = 0;  // the part of the screen that shows its row
  // Null if the event's row is not laid out. O(log n)
  virtual std::optional<EventPlace> Place(std::span<const Profile> profiles,
                                          const EventRef& event) const = 0;
  // Whether an event's track lies below a height of the screen. A folded track lies where its plane
  // does.
  virtual bool Below(std::span<const Profile> profiles, const EventRef& event, float y) const = 0;
};

}  // namespace stepscope
