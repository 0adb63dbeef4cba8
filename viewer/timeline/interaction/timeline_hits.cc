// The part of TimelineModel that finds what lies at a place on the screen.
#include <algorithm>
#include <cmath>

#include "model/lookup.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/timeline/interaction/timeline_model.h"

namespace stepscope {
namespace {

constexpr float kSnapDistance = 10;    // pixels within which the timing tool catches an edge
constexpr uint32_t kMaxEdges = 64;     // more events so close together are folded; no edge is meant
constexpr uint32_t kMaxFolded = 4096;  // events of a pixel among which the longest is searched

// Finds the lane's events in the pixel column that begins at `column`, or the nearest event
// within two pixels.
bool FindInLane(const Lane& lane, const TimeAxis& axis, double column, TimelineHit* hit) {
  const TimeRange pixel{axis.At(column), std::max(axis.At(column + 1), axis.At(column) + 1)};
  auto [first, last] = EventsIn(lane, pixel);
  if (first == last) {
    const auto near = EventAt(lane, axis.At(column + 0.5), axis.Length(2));
    if (!near) return false;
    first = *near;
    last = first + 1;
  }
  hit->lane = &lane;
  hit->first = first;
  hit->last = last;
  return true;
}

}  // namespace

HitSums SumByName(const TimelineHit& hit) {
  constexpr uint32_t kMaxSummed = 20'000;
  constexpr size_t kMaxNames = 256;  // further names count only in the total
  HitSums out;
  const Lane& lane = *hit.lane;
  const uint32_t last = std::min(hit.last, hit.first + kMaxSummed);
  out.all = last == hit.last;
  for (uint32_t i = hit.first; i < last; ++i) {
    out.total = SaturatingAdd(out.total, lane.dur[i]);
    auto found = std::find_if(out.names.begin(), out.names.end(),
                              [&](const HitSums::Name& n) { return n.meta == lane.meta[i]; });
    if (found == out.names.end()) {
      if (out.names.size() >= kMaxNames) continue;
      found = out.names.insert(found, {lane.meta[i], 0, 0});
    }
    ++found->count;
    found->time = SaturatingAdd(found->time, lane.dur[i]);
  }
  std::sort(out.names.begin(), out.names.end(),
            [](const HitSums::Name& a, const HitSums::Name& b) { return a.time > b.time; });
  return out;
}

std::vector<uint32_t> TimelineModel::StepProfiles(std::span<const Profile> profiles,
                                                  const ViewState& view) const {
  const Profile* compared = FindComparedProfile(profiles, view);
  if (geo_.step_rows < 2 || compared == nullptr) return {active_};
  const Profile* base = FindProfile(profiles, view.baseline);
  return {static_cast<uint32_t>(base - profiles.data()),
          static_cast<uint32_t>(compared - profiles.data())};
}

Ps TimelineModel::TimeAt(float x) const { return axis().At(static_cast<double>(x - geo_.rows.x)); }

float TimelineModel::XOf(Ps t) const { return geo_.rows.x + axis().ClippedX(t); }

float TimelineModel::YOf(double content_y) const {
  return geo_.rows.y + static_cast<float>(content_y - scroll_);
}

const FlowStub* TimelineModel::StubAt(float x, float y) const {
  const FlowStub* stub = flows_.StubAt(x, y);
  return stub != nullptr ? stub : hovered_flows_.StubAt(x, y);
}

TimeRange TimelineModel::ViewOf(ProfileId profile) const {
  for (size_t i = 0; i < glide_ids_.size(); ++i) {
    if (glide_ids_[i] == profile) return axes_[i].view();
  }
  return {};
}

bool TimelineModel::Below(std::span<const Profile> profiles, const EventRef& event, float y) const {
  if (const auto place = FindPlace(profiles, event)) return place->y > y;
  for (const LayoutItem& item : layout_.items()) {
    const Profile& profile = profiles[item.profile];
    if (item.kind != LayoutItemKind::kPlaneHeading || profile.id != event.trace) continue;
    const TrackSet* set = profile.SetOf(event);
    if (set != nullptr && item.plane == set->tracks[set->TrackOf(event.row).value].plane)
      return YOf(item.y) > y;
  }
  return false;
}

double TimelineModel::TopOf(size_t item) const {
  const auto sticky = std::find_if(sticky_.begin(), sticky_.end(),
                                   [item](const StickyItem& s) { return s.item == item; });
  return sticky != sticky_.end() ? sticky->y : layout_.items()[item].y;
}

Box TimelineModel::FramesBoxOf(size_t index) const {
  const LayoutItem& item = layout_.items()[index];
  const float row = layout_.sizes().row;
  if (item.frames == 0 || item.collapsed || item.height < 2 * row) return {};
  const float top = rows_below_sticky().y;
  const double content_top = scroll_ + static_cast<double>(top - geo_.rows.y);
  const float y = YOf(TextTop(item, content_top, static_cast<double>(2 * row))) + row;
  return {geo_.labels.x, y, geo_.labels.w, row};
}

size_t TimelineModel::ItemAt(float y) const {
  if (y < geo_.rows.y || y >= geo_.rows.bottom()) return layout_.items().size();
  if (y < rows_below_sticky().y) {
    size_t at = 0;
    while (at + 1 < sticky_.size() && y >= YOf(sticky_[at + 1].y)) ++at;
    return sticky_[at].item;
  }
  return layout_.At(static_cast<double>(y - geo_.rows.y) + scroll_);
}

bool TimelineModel::Sticks(size_t item) const {
  return std::any_of(sticky_.begin(), sticky_.end(),
                     [item](const StickyItem& s) { return s.item == item; });
}

Box TimelineModel::rows_below_sticky() const {
  Box box = geo_.rows;
  if (sticky_.empty()) return box;
  const StickyItem& last = sticky_.back();
  const float top = YOf(last.y) + layout_.items()[last.item].height;
  const float cut = std::clamp(top - box.y, 0.0f, box.h);
  return {box.x, box.y + cut, box.w, box.h - cut};
}

const PlanRow* TimelineModel::RowUnder(float y) const {
  const size_t item = ItemAt(y);
  return item < layout_.items().size() ? plan_.RowAt(item, y - geo_.rows.y) : nullptr;
}

TimelineHit TimelineModel::HitTest(std::span<const Profile> profiles, float x, float y) const {
  TimelineHit hit;
  const PlanRow* row = RowUnder(y);
  if (row == nullptr || !geo_.rows.Has(x, y)) return hit;
  const LayoutItem& item = layout_.items()[row->item];
  if (item.kind != LayoutItemKind::kTrack) return hit;
  hit.profile = item.profile;
  hit.set = item.set;
  hit.item = row->item;
  hit.depth = row->depth;
  const double column = std::floor(static_cast<double>(x - geo_.rows.x));
  bool found = false;
  // Instants come first, because they are thin and lie on top.
  if (row->depth == 0) {
    for (const Lane& lane : InstantLanes(profiles[item.profile].Set(item.set), item))
      found = found || FindInLane(lane, axes_[item.profile], column, &hit);
  }
  if (!found &&
      (row->lane == nullptr || !FindInLane(*row->lane, axes_[item.profile], column, &hit)))
    return {};
  uint32_t longest = hit.first;
  for (uint32_t i = hit.first; i < std::min(hit.last, hit.first + kMaxFolded); ++i) {
    if (hit.lane->dur[i] > hit.lane->dur[longest]) longest = i;
  }
  hit.event = {profiles[item.profile].id, item.set, RowAt(item, *hit.lane, longest)};
  return hit;
}

std::optional<CounterHit> TimelineModel::CounterAt(std::span<const Profile> profiles, float x,
                                                   float y) const {
  const PlanRow* row = RowUnder(y);
  if (row == nullptr || !geo_.rows.Has(x, y)) return std::nullopt;
  const LayoutItem& item = layout_.items()[row->item];
  if (item.kind != LayoutItemKind::kCounter) return std::nullopt;
  CounterHit hit;
  hit.profile = item.profile;
  hit.set = item.set;
  hit.item = row->item;
  hit.series = &profiles[item.profile].Set(item.set).tracks[item.track.value].counters.front();
  const TimeAxis& axis = axes_[item.profile];
  const double column = std::floor(static_cast<double>(x - geo_.rows.x));
  hit.time = axis.At(column);
  hit.column = {hit.time, std::max(axis.At(column + 1), hit.time + 1)};
  hit.values = CounterIn(*hit.series, hit.column);
  if (hit.values.changes == 0 && hit.time < hit.series->time.front()) return std::nullopt;
  return hit;
}

// Finds the edge of a row's event that is nearest to a time, if it is nearer than *distance.
void TimelineModel::SnapToRow(const PlanRow& row, Ps t, Ps* distance, Ps* best) const {
  if (row.lane == nullptr) return;
  const Lane& lane = *row.lane;
  const Ps reach = *distance;
  const auto [first, last] =
      stepscope::EventsIn(lane, {SaturatingSub(t, reach), SaturatingAdd(t, reach)});
  if (last - first > kMaxEdges) return;
  for (uint32_t i = first; i < last; ++i) {
    for (const Ps edge : {lane.start[i], lane.end(i)}) {
      const Ps d = edge > t ? edge - t : t - edge;
      if (d >= *distance) continue;
      *distance = d;
      *best = edge;
    }
  }
}

// Edges of the row under the mouse win over those of other rows in sight.
Ps TimelineModel::Snap(float x, float y) const {
  const Ps t = TimeAt(x);
  Ps best = t;
  Ps distance = axis().Length(static_cast<double>(kSnapDistance * geo_.unit)) + 1;
  if (const PlanRow* row = RowUnder(y)) SnapToRow(*row, t, &distance, &best);
  if (best != t) return best;
  distance /= 2;  // edges in other rows have to be closer
  for (const PlanRow& row : plan_.rows()) {
    if (layout_.items()[row.item].profile == active_) SnapToRow(row, t, &distance, &best);
  }
  return best;
}

std::vector<EventRef> TimelineModel::EventsIn(std::span<const Profile> profiles, const Box& box,
                                              size_t most) const {
  std::vector<EventRef> out;
  const float below = rows_below_sticky().y;
  for (const PlanRow& row : plan_.rows()) {
    const float y = geo_.rows.y + row.y;
    if (y + row.height <= below && !Sticks(row.item)) continue;  // sticky items cover it
    const LayoutItem& item = layout_.items()[row.item];
    if (y + row.height <= box.y || y >= box.bottom() || item.kind != LayoutItemKind::kTrack)
      continue;
    const TimeAxis& axis = axes_[item.profile];
    const TimeRange range{axis.At(static_cast<double>(box.x - geo_.rows.x)),
                          axis.At(static_cast<double>(box.right() - geo_.rows.x))};
    const auto add = [&](const Lane& lane) {
      const auto [first, last] = stepscope::EventsIn(lane, range);
      for (uint32_t i = first; i < last && out.size() < most; ++i)
        out.push_back({profiles[item.profile].id, item.set, RowAt(item, lane, i)});
    };
    if (row.lane != nullptr) add(*row.lane);
    for (const Lane& lane : InstantLanes(profiles[item.profile].Set(item.set), item)) {
      if (row.depth == 0) add(lane);
    }
  }
  return out;
}

std::optional<EventPlace> TimelineModel::FindPlace(std::span<const Profile> profiles,
                                                   const EventRef& event) const {
  for (uint32_t profile = 0; profile < profiles.size(); ++profile) {
    if (profiles[profile].id != event.trace || !event.valid() ||
        event.set >= profiles[profile].sets())
      continue;
    const TrackSet& set = profiles[profile].Set(event.set);
    if (event.row.value >= set.rows) return std::nullopt;
    const Lane& lane = set.lanes[set.LaneOf(event.row).value];
    const size_t index = layout_.Find(profile, event.set, lane.track);
    if (index == Layout::npos) return std::nullopt;
    const LayoutItem& item = layout_.items()[index];
    const std::optional<uint32_t> depth = DepthOf(set, item, event.row);
    if (!depth) return std::nullopt;
    const uint32_t i = event.row.value - lane.first_row;
    const float x0 = std::floor(axes_[profile].ClippedX(lane.start[i]));
    const float x1 = std::floor(axes_[profile].ClippedX(lane.end(i)));
    const float row = layout_.RowHeight(item);
    const Box box{geo_.rows.x + x0, YOf(TopOf(index) + static_cast<double>(row) * *depth),
                  std::max(1.0f, x1 - x0), row - 1};
    return EventPlace{box, Sticks(index)};
  }
  return std::nullopt;
}

TimeAxis TimelineModel::MinimapAxis() const {
  return {minimap_.span(), static_cast<double>(geo_.minimap.w)};
}

std::pair<float, float> TimelineModel::Brush() const {
  constexpr float kLeast = 2;
  const TimeAxis whole = MinimapAxis();
  const float left = geo_.minimap.x, right = geo_.minimap.right();
  const float a = std::floor(
      std::clamp(left + whole.ClippedX(axis().view().begin), left, std::max(left, right - kLeast)));
  const float b = std::ceil(std::clamp(left + whole.ClippedX(axis().view().end), a + kLeast,
                                       std::max(a + kLeast, right)));
  return {a, b};
}

}  // namespace stepscope
