#include "viewer/timeline/event_flows.h"

#include <algorithm>
#include <optional>

#include "viewer/timeline/timeline_model.h"

namespace stepscope {
namespace {

bool InSight(const TimelineModel& model, const std::optional<EventPlace>& place) {
  if (!place) return false;
  const Box clip = model.ClipOf(*place);
  return place->x < clip.right() && place->right() > clip.x && place->y < clip.bottom() &&
         place->bottom() > clip.y;
}

}  // namespace

void EventFlows::LookUp(const Run* run) {
  arrows_.clear();
  const EventRow row = run != nullptr ? run->OwnRow(event_) : EventRow();
  if (index_ == nullptr || !row.valid()) return;
  for (const auto arrows : {index_->To(row), index_->From(row)}) {
    const size_t room = kMost - arrows_.size();
    arrows_.insert(arrows_.end(), arrows.begin(),
                   arrows.begin() + static_cast<ptrdiff_t>(std::min(room, arrows.size())));
  }
}

void EventFlows::Update(std::span<const Run> runs, const EventRef& event, uint64_t content,
                        const TimelineModel& model) {
  const Run* run = event.valid() ? FindRun(runs, event.trace) : nullptr;
  const FlowIndex* index = run != nullptr ? run->flows.get() : nullptr;
  if (!(event == event_) || index != index_ || content != content_) {
    event_ = event;
    index_ = index;
    content_ = content;
    LookUp(run);
  }
  lines_.clear();
  stubs_.clear();
  for (const FlowArrow& arrow : arrows_) {
    const auto from = model.Place(runs, {event.trace, 0, EventRow(arrow.from)});
    const auto to = model.Place(runs, {event.trace, 0, EventRow(arrow.to)});
    const bool from_there = InSight(model, from), to_there = InSight(model, to);
    if (from_there && to_there) lines_.push_back({*from, *to, arrow.kind});
    const bool forward = arrow.from == run->OwnRow(event).value;
    const bool own_there = forward ? from_there : to_there;
    if (own_there && !(from_there && to_there))
      AddStub(runs, forward ? *from : *to, arrow, forward, model);
  }
}

// To the side where the others are out of the view's time, else up or down to their track. What is
// folded away counts as above: its plane's heading is.
void EventFlows::AddStub(std::span<const Run> runs, const EventPlace& own, const FlowArrow& arrow,
                         bool forward, const TimelineModel& model) {
  constexpr float kOut = 18, kSize = 15, kBeside = 9;
  FlowStub stub;
  stub.forward = forward;
  stub.kind = arrow.kind;
  stub.of = event_;
  stub.to = {event_.trace, 0, EventRow(forward ? arrow.to : arrow.from)};
  const TrackSet& set = FindRun(runs, event_.trace)->trace->set;
  const TimeRange view = model.ViewOf(event_.trace);
  const Ps begin = set.Start(stub.to.row);
  if (begin >= view.end) stub.dx = 1;
  if (SaturatingAdd(begin, set.Duration(stub.to.row)) <= view.begin) stub.dx = -1;
  stub.dy = model.Below(runs, stub.to, own.y) ? 1 : -1;
  const auto same = std::find_if(stubs_.begin(), stubs_.end(), [&](const FlowStub& s) {
    return s.forward == forward && s.dx == stub.dx && s.dy == stub.dy;
  });
  if (same != stubs_.end()) {
    ++same->others;
    return;
  }
  const Box clip = model.ClipOf(own);
  const float unit = model.geometry().unit, size = kSize * unit;
  const float at = forward ? own.x + own.w / 2 : own.x + std::min(own.w / 2, 6 * unit);
  stub.x = std::clamp(at, clip.x + 2, std::max(clip.x + 2, clip.right() - 2));
  stub.y = stub.dy > 0 ? own.bottom() : own.y;
  const float beside = forward ? kBeside : -kBeside;
  const float cx = stub.x + unit * (stub.dx != 0 ? kOut * static_cast<float>(stub.dx) : beside);
  const float cy = stub.y + unit * kOut * static_cast<float>(stub.dy);
  const Box& rows = model.geometry().rows;
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
