#include "viewer/timeline/interaction/path_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "model/base/digits.h"

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

namespace {

// The time that the path spends on each device, longest first.
std::vector<std::pair<PlaneId, Ps>> DeviceTimes(const CriticalPath& path, const Trace& trace) {
  std::vector<std::pair<PlaneId, Ps>> times;
  for (const PathPart& part : path.parts) {
    if (part.kind != PathPart::Kind::kDevice) continue;
    const PlaneId plane = trace.set.tracks[trace.set.TrackOf(part.row).value].plane;
    auto found = std::find_if(times.begin(), times.end(),
                              [plane](const auto& time) { return time.first == plane; });
    if (found == times.end()) found = times.insert(found, {plane, 0});
    found->second += part.range.length();
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return times;
}

// "7.1 ms on GPU 1, 590 us on GPU 0", and how many others there are behind the first three.
std::string DeviceText(const CriticalPath& path, const Trace& trace) {
  constexpr size_t kNamed = 3;
  const auto times = DeviceTimes(path, trace);
  std::string text;
  Ps rest = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    if (i >= kNamed) {
      rest += times[i].second;
      continue;
    }
    text += (i > 0 ? ", " : "") + FormatDuration(times[i].second, 3) + " on " +
            trace.planes[times[i].first.value].display_name;
  }
  if (rest > 0)
    text +=
        ", " + FormatDuration(rest, 3) + " on " + Counted(times.size() - kNamed, "other devices");
  return text;
}

}  // namespace

std::string PathText(const CriticalPath& path, const Trace& trace) {
  if (!path.device.valid()) return "No critical path: no device works here";
  constexpr std::array kWhat = {"", " launches", " host", " blocking calls"};
  std::string text;
  for (size_t kind = 0; kind < PathPart::kKinds; ++kind) {
    if (path.times[kind] <= 0) continue;
    text += text.empty() ? "Critical path: " : ", ";
    text += kind == 0 ? DeviceText(path, trace) : FormatDuration(path.times[kind], 3) + kWhat[kind];
  }
  const Ps rest = path.span.length() - path.covered();
  if (rest > path.span.length() / 100)
    text += "; " + FormatDuration(rest, 3) + (path.whole ? " not recorded" : " too long to follow");
  return text + "; N goes along it";
}

std::vector<EventRow> PathEvents(const CriticalPath& path, const Trace& trace) {
  std::map<uint32_t, Ps> covered;  // by row
  for (const PathPart& part : path.parts) {
    const Ps begin = std::max(part.range.begin, trace.set.Start(part.row));
    const Ps end = std::min(part.range.end,
                            SaturatingAdd(trace.set.Start(part.row), trace.set.Duration(part.row)));
    covered[part.row.value] += std::max<Ps>(0, end - begin);
  }
  std::vector<EventRow> mostly, all;
  for (const auto& [row, time] : covered) {
    all.emplace_back(row);
    if (2 * time >= trace.set.Duration(EventRow(row))) mostly.emplace_back(row);
  }
  return mostly.empty() ? all : mostly;
}

void PathView::Tell(const Trace& trace, CommandQueue* commands) const {
  CommandArgs args;
  for (const EventRow row : PathEvents(path_, trace))
    args.events.push_back({asked_.profile, 0, row});
  commands->Push("select.events", std::move(args));
}

void PathView::Ask(const Profile& profile, TimeRange range, JobQueue& jobs,
                   CommandQueue* commands) {
  const Question question{profile.id, profile.flows, range};
  if (!(question == asked_)) {
    asked_ = question;
    path_ = {};
    job_.Start(jobs, [trace = profile.trace, question](Progress&) {
      return FindCriticalPath(*trace, *question.flows, question.range);
    });
  }
  std::optional<CriticalPath> found = job_.Take();
  if (!found) return;
  path_ = std::move(*found);
  if (path_.device.valid()) Tell(*profile.trace, commands);
  CommandArgs note;
  note.text = PathText(path_, *profile.trace);
  commands->Push("app.note", std::move(note));
}

// Parts that lie in the same pixels become one box.
void PathView::AddBox(const PathBox& box) {
  if (!boxes_.empty()) {
    PathBox& last = boxes_.back();
    if (last.y == box.y && box.x <= last.right() && box.kind == last.kind) {
      last.w = std::max(last.right(), box.right()) - last.x;
      return;
    }
    lines_.push_back(
        {last.right(), last.y + last.h / 2, box.x, box.y + box.h / 2, last.sticks || box.sticks});
  }
  boxes_.push_back(box);
}

void PathView::PlaceParts(std::span<const Profile> profiles, const Profile& profile,
                          const EventPlaces& places) {
  const TimeRange view = places.ViewOf(profile.id);
  const TimeAxis& axis = places.axis();
  const auto first =
      std::partition_point(path_.parts.begin(), path_.parts.end(),
                           [&](const PathPart& part) { return part.range.end <= view.begin; });
  for (auto part = first; part != path_.parts.end() && part->range.begin < view.end; ++part) {
    const std::optional<EventPlace> place = places.FindPlace(profiles, {profile.id, 0, part->row});
    if (!place) continue;  // folded away
    const float left = places.geometry().rows.x;
    PathBox box{*place, part->kind};
    const float begin = left + axis.ClippedX(part->range.begin);
    const float end = left + axis.ClippedX(part->range.end);
    // The part of a launch lasts until the launched work begins. The line to that work shows the
    // rest.
    box.x = std::max(place->x, begin);
    box.w = std::max(1.0f, std::min(place->right(), end) - box.x);
    AddBox(box);
    if (boxes_.size() >= kMostBoxes) return;
  }
}

void PathView::Update(std::span<const Profile> profiles, const Profile& profile, TimeRange range,
                      JobQueue& jobs, const EventPlaces& places, CommandQueue* commands) {
  boxes_.clear();
  lines_.clear();
  if (range.empty() || profile.flows == nullptr) {
    job_.Stop();
    asked_ = {};
    path_ = {};
    return;
  }
  Ask(profile, range, jobs, commands);
  PlaceParts(profiles, profile, places);
}

}  // namespace stepscope
