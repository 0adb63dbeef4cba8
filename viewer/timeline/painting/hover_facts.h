// HoverFacts: what the tooltip of a device event says beside its time: the op that launched it, its
// grid, and how long it waited. It keeps the answer of the event asked about last, because reading
// arguments costs more than a frame should. UI thread only.
#pragma once

#include <string>
#include <vector>

#include "viewer/core/profiles/profile.h"

namespace stepscope {

class HoverFacts {
 public:
  // Lines, none for an event whose launch and arguments say nothing. O(log n) for a new event.
  const std::vector<std::string>& Of(const Profile& profile, const EventRef& event);

 private:
  EventRef event_;
  const Trace* trace_ = nullptr;
  const FlowIndex* flows_ = nullptr;
  std::vector<std::string> lines_;
};

}  // namespace stepscope
