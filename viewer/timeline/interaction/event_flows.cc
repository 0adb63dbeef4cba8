#include "viewer/timeline/interaction/event_flows.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stepscope {
namespace {

bool InSight(const EventPlaces& places, const std::optional<EventPlace>& place) {
  if (!place) return false;
  const Box clip = places.ClipOf(*place);
  return place->x < clip.right() && place->right() > clip.x && place->y < clip.bottom() &&
         place->bottom() > clip.y;
}

}  // namespace

std::pair<float, float> ArrowEnds(const FlowLine& line, float inset) {
  const Box &from = line.from, &to = line.to;
  const auto within = [&](const Box& box) { return std::min(box.w / 2, inset); };
  if (line.kind == FlowKind::kAsync && std::abs(from.right() - to.right()) < 1)
    return {from.right() - within(from), to.right() - within(to)};
  return {from.x + from.w / 2, to.x + within(to)};
}

void EventFlows::LookUp(const Profile* profile) {
  arrows_.clear();
  const EventRow row = profile != nullptr ? profile->OwnRow(event_) : EventRow();
  if (index_ == nullptr || !row.valid()) return;
  for (const auto arrows : {index_->To(row), index_->From(row)}) {
    const size_t room = kMost - arrows_.size();
    arrows_.insert(arrows_.end(), arrows.begin(),
                   arrows.begin() + static_cast<ptrdiff_t>(std::min(room, arrows.size())));
  }
}

void EventFlows::Update(std::span<const Profile> profiles, const EventRef& event, uint64_t content,
                        const EventPlaces& places) {
  const Profile* profile = event.valid() ? FindProfile(profiles, event.trace) : nullptr;
  const FlowIndex* index = profile != nullptr ? profile->flows.get() : nullptr;
  if (!(event == event_) || index != index_ || content != content_) {
    event_ = event;
    index_ = index;
    content_ = content;
    LookUp(profile);
  }
  lines_.clear();
  stubs_.clear();
  if (profile == nullptr) return;
  for (const FlowArrow& arrow : arrows_) {
    const auto from = places.FindPlace(profiles, {event.trace, 0, EventRow(arrow.from)});
    const auto to = places.FindPlace(profiles, {event.trace, 0, EventRow(arrow.to)});
    const bool from_there = InSight(places, from), to_there = InSight(places, to);
    if (from_there && to_there) lines_.push_back({*from, *to, arrow.kind});
    const bool forward = arrow.from == profile->OwnRow(event).value;
    const bool own_there = forward ? from_there : to_there;
    if (own_there && !(from_there && to_there))
      AddStub(profiles, forward ? *from : *to, arrow, forward, places);
  }
}

// A stub points to the side if the others lie outside the view's time, else up or down to their
// track. A folded track counts as above, because its plane's heading is.
void EventFlows::AddStub(std::span<const Profile> profiles, const EventPlace& own,
                         const FlowArrow& arrow, bool forward, const EventPlaces& places) {
  constexpr float kOut = 18, kSize = 15, kBeside = 9;
  FlowStub stub;
  stub.forward = forward;
  stub.kind = arrow.kind;
  stub.of = event_;
  stub.to = {event_.trace, 0, EventRow(forward ? arrow.to : arrow.from)};
  const TrackSet& set = FindProfile(profiles, event_.trace)->trace->set;
  const TimeRange view = places.ViewOf(event_.trace);
  const Ps begin = set.Start(stub.to.row);
  if (begin >= view.end) stub.dx = 1;
  if (SaturatingAdd(begin, set.Duration(stub.to.row)) <= view.begin) stub.dx = -1;
  stub.dy = places.Below(profiles, stub.to, own.y) ? 1 : -1;
  const auto same = std::find_if(stubs_.begin(), stubs_.end(), [&](const FlowStub& s) {
    return s.forward == forward && s.dx == stub.dx && s.dy == stub.dy;
  });
  if (same != stubs_.end()) {
    ++same->others;
    return;
  }
  const Box clip = places.ClipOf(own);
  const float unit = places.geometry().unit, size = kSize * unit;
  const float at = forward ? own.x + own.w / 2 : own.x + std::min(own.w / 2, 6 * unit);
  stub.x = std::clamp(at, clip.x + 2, std::max(clip.x + 2, clip.right() - 2));
  stub.y = stub.dy > 0 ? own.bottom() : own.y;
  const float beside = forward ? kBeside : -kBeside;
  const float cx = stub.x + unit * (stub.dx != 0 ? kOut * static_cast<float>(stub.dx) : beside);
  const float cy = stub.y + unit * kOut * static_cast<float>(stub.dy);
  const Box& rows = places.geometry().rows;
  stub.box = {PlaceAround(cx, size, rows.x, rows.right()),
              PlaceAround(cy, size, rows.y, rows.bottom()), size, size};
  stubs_.push_back(stub);
}

const FlowStub* EventFlows::StubAt(float x, float y) const {
  const auto found = std::find_if(stubs_.begin(), stubs_.end(),
                                  [&](const FlowStub& stub) { return stub.box.Has(x, y); });
  return found != stubs_.end() ? &*found : nullptr;
}

}  // namespace stepscope
