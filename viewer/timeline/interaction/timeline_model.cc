#include "viewer/timeline/interaction/timeline_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/base/check.h"
#include "model/query/row_bits.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {

void TimelineHighlight::Update(std::span<const Profile> profiles, const HighlightedEvents& shown,
                               const SearchHits& hits, const PythonHider& python, bool stale) {
  const bool events = !shown.empty();
  if (!stale && !first_ && shown_ == shown.version() &&
      (events || (query_ == hits.query && count_ == hits.count)))
    return;
  first_ = false;
  shown_ = shown.version();
  query_ = hits.query;
  count_ = hits.count;
  highlight_.rows.clear();
  highlight_.version = 0;
  if (!events && hits.query.empty()) return;
  highlight_.version = ++versions_;
  if (events) {
    highlight_.rows = ByRunAndSet(shown.events());
  } else {
    highlight_.rows = hits.rows;
  }
  AddRowsWithoutPython(profiles, python);
}

// Adds the same events by the rows that are drawn while Python frames are hidden.
void TimelineHighlight::AddRowsWithoutPython(std::span<const Profile> profiles,
                                             const PythonHider& python) {
  std::vector<Highlight::Rows> added;
  for (const Highlight::Rows& own : highlight_.rows) {
    size_t profile = 0;
    while (profile < profiles.size() && profiles[profile].id != own.profile) ++profile;
    const WithoutPython* rest = own.set == 0 ? python.rest(profile) : nullptr;
    if (rest == nullptr) continue;
    RowBits drawn(rest->set.rows);
    for (const uint32_t row : *own.rows) {
      if (rest->row[row].valid()) drawn.Set(rest->row[row].value);
    }
    added.push_back(RowsOf(own.profile, WithoutPython::kSet, drawn.Rows()));
  }
  std::move(added.begin(), added.end(), std::back_inserter(highlight_.rows));
}

namespace {

constexpr double kMostPinned = 0.5;  // share of the height; further pins scroll like other tracks

TimeRange Hull(const TimeRange& a, const TimeRange& b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

void PushScroll(const TimelineFrame& frame, double by, CommandQueue* commands) {
  commands->Push("view.scroll", {.profile = frame.OwnProfile(), .pixels = by});
}

}  // namespace

void TimelineModel::Update(const TimelineFrame& frame, CommandQueue* commands) {
  STEPSCOPE_DCHECK(!frame.profiles.empty());
  geo_ = frame.geometry;
  active_ = 0;
  for (uint32_t i = 0; i < frame.profiles.size(); ++i) {
    if (frame.profiles[i].id == frame.view.active) active_ = i;
  }
  UpdateRanges(frame);
  UpdateLayout(frame, commands);
  ScrollToSelection(frame, commands);
  ScrollToCounterpart(frame, commands);
  UpdateTints(frame);
  BuildPlan(frame);
  UpdateFlows(frame);
  UpdateSameName(frame);
  UpdatePath(frame, commands);
  if (geo_.minimap.h <= 0) return;
  UpdateMinimap(frame);
}

void TimelineModel::UpdateMinimap(const TimelineFrame& frame) {
  const Profile& own = frame.profiles[active_];
  const auto width = static_cast<uint32_t>(geo_.minimap_bar.w);
  const std::vector<MinimapPart> parts =
      Minimap::PartsOf(frame.minimap_of_all ? frame.All() : frame.profiles, own, frame.view);
  const MinimapPart& first = parts.front();
  const TimeRange span{frame.view.Translate(first.profile->id, own.id, first.span.begin),
                       frame.view.Translate(first.profile->id, own.id, first.span.end)};
  minimap_.Update(parts, span, frame.content_generation, width,
                  static_cast<uint32_t>(geo_.minimap_bar.h), frame.names.theme());
  minimap_marks_.Update(parts, highlight_.highlight(), width);
}

void TimelineModel::UpdateRanges(const TimelineFrame& frame) {
  glides_.resize(frame.profiles.size());
  glide_ids_.resize(frame.profiles.size());
  axes_.resize(frame.profiles.size());
  const double duration = frame.settings.glide_ms / 1000.0;
  const bool animate = frame.animate && frame.settings.animate;
  moving_ = waiting_ = false;
  for (size_t i = 0; i < frame.profiles.size(); ++i) {
    TimeRange target = frame.view.VisibleIn(frame.profiles[i].id);
    if (target.empty()) target = frame.profiles[i].trace->span;
    const bool first = glide_ids_[i] != frame.profiles[i].id;
    glide_ids_[i] = frame.profiles[i].id;
    if (first || !animate || frame.direct) {
      glides_[i].Jump(target);
    } else {
      glides_[i].SetTarget(target);
      moving_ = glides_[i].Advance(std::min(0.1, frame.seconds), duration) || moving_;
    }
    axes_[i] = TimeAxis(glides_[i].shown(), static_cast<double>(geo_.rows.w));
  }
}

double TimelineModel::max_scroll() const {
  return std::max(0.0, layout_.height() - static_cast<double>(geo_.rows.h));
}

double TimelineModel::StoredScroll(const TimelineFrame& frame) const {
  const ProfileViewState* own = frame.view.Find(frame.OwnProfile());
  const double scroll = own != nullptr ? own->scroll_y : frame.view.scroll_y;
  return std::floor(std::clamp(scroll, 0.0, max_scroll()));
}

std::optional<TimelineModel::Anchor> TimelineModel::TakeAnchor(const TimelineFrame& frame) const {
  float y = geo_.rows.y;
  if (frame.anchor_y && *frame.anchor_y >= geo_.rows.y && *frame.anchor_y < geo_.rows.bottom())
    y = *frame.anchor_y;
  size_t i = ItemAt(y);
  // Under a sticky item the anchor is its plane's heading, or the first item below all sticky
  // ones.
  if (const float below = rows_below_sticky().y; y < below) {
    i = sticky_.back().item;
    const LayoutItem& over = layout_.items()[i];
    if (over.kind != LayoutItemKind::kPlaneHeading || over.pinned) i = ItemAt(below);
  }
  // Below the last track, the anchor is the last track.
  if (i >= layout_.items().size()) i = layout_.items().size() - 1;
  if (layout_.items().empty()) return std::nullopt;
  return Anchor{layout_.items()[i], layout_.items()[i].y - scroll_};
}

double TimelineModel::ScrollFor(const Anchor& anchor) const {
  const LayoutItem& was = anchor.item;
  size_t at = Layout::npos;
  if (!IsHeading(was.kind)) {
    at = layout_.Find(was.profile, was.set, was.track);
    if (at != Layout::npos && was.kind == LayoutItemKind::kCounter &&
        at + 1 < layout_.items().size() && layout_.items()[at].kind == LayoutItemKind::kTrack &&
        layout_.items()[at + 1].kind == LayoutItemKind::kCounter)
      ++at;
  }
  const bool plane = at == Layout::npos;
  // The anchor is a heading, or the plane of a track that is gone.
  for (size_t i = 0; plane && i < layout_.items().size() && at == Layout::npos; ++i) {
    const LayoutItem& item = layout_.items()[i];
    const LayoutItemKind kind = IsHeading(was.kind) ? was.kind : LayoutItemKind::kPlaneHeading;
    if (item.kind == kind && item.profile == was.profile && item.plane == was.plane &&
        item.host == was.host)
      at = i;
  }
  if (at == Layout::npos) return scroll_;
  const LayoutItem& is = layout_.items()[at];
  if (is.kind == was.kind && is.y == was.y) return scroll_;  // it has not moved
  if (is.pinned != was.pinned) return scroll_;               // the others stay where they are
  // An item that was above the top comes to the top.
  const double offset = plane ? std::max(0.0, anchor.offset) : anchor.offset;
  return std::floor(std::clamp(layout_.items()[at].y - offset, 0.0, max_scroll()));
}

void TimelineModel::UpdateRules(const TimelineFrame& frame, bool* changed) {
  if (const TrackRules& now = frame.settings.tracks; now != kept_) {
    tracks_moved_ = tracks_moved_ || now.order != kept_.order;
    for (const std::string& path : kept_.hidden) {
      if (!now.hidden.contains(path)) shown_again_.push_back(path);
    }
    kept_ = now;
    rules_.clear();
  }
  *changed = *changed || rules_.size() != frame.profiles.size();
  hosts_.resize(frame.profiles.size());
  rules_.resize(frame.profiles.size());
  rank_layouts_.resize(frame.profiles.size());
  ranks_.resize(frame.profiles.size());
  const ProfileViewState plain;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const ProfileViewState* found = frame.view.Find(frame.profiles[i].id);
    const ProfileViewState& state = found != nullptr ? *found : plain;
    TrackRules& rules = rules_[i];
    const bool same = state.collapsed == rules.folded && state.host == hosts_[i] &&
                      state.track_filter == rules.filter && state.only == rules.only &&
                      state.ranks == rank_layouts_[i] && frame.profiles[i].ranks == ranks_[i];
    if (!*changed && same) continue;
    hosts_[i] = state.host;
    ranks_moved_ = ranks_moved_ || rank_layouts_[i] != state.ranks;
    rank_layouts_[i] = state.ranks;
    ranks_[i] = frame.profiles[i].ranks;
    rules = kept_;
    rules.filter = state.track_filter;
    rules.only = state.only;
    // Folds that are kept in the settings were applied when the profile was opened.
    rules.folded = state.collapsed;
    *changed = true;
  }
}

void TimelineModel::UpdateArrangement(const TimelineFrame& frame) {
  const bool hide = !frame.settings.python_frames;
  const bool other_rows = python_.Update(frame.profiles, hide, frame.jobs);
  bool changed = other_rows;
  if (other_rows) ++python_changes_;
  if (content_ != frame.content_generation) {
    content_ = frame.content_generation;
    list_ = ListTracks(frame.profiles);
    changed = true;
  }
  highlight_.Update(frame.profiles, frame.view.shown, frame.hits, python_, other_rows);
  UpdateRules(frame, &changed);
  const LaneChoice lanes{frame.settings.derived_lanes, frame.settings.waiting_lanes};
  const TrackSort sort = frame.settings.track_sort;
  if (!(lanes == lanes_) || sort != sort_) changed = true;
  lanes_ = lanes;
  sort_ = sort;
  const auto row = static_cast<float>(frame.settings.row_height);
  const LayoutSizes sizes{geo_.Px(row) + 1, 1,           geo_.Px(22), geo_.Px(2),
                          geo_.Px(40),      geo_.Px(26), geo_.Px(7)};
  if (!changed && sizes == layout_.sizes()) return;
  std::vector<LayoutItem> items = Arrange(
      {frame.profiles, list_, rules_, hosts_, python_.rests(), lanes_, sort_, rank_layouts_});
  depth_.Reset(items);
  layout_.SetItems(std::move(items), sizes);
}

// Tracks that come into sight because others shrink are updated in the same frame.
void TimelineModel::UpdateDepth(const TimelineFrame& frame) {
  constexpr int kPasses = 4;
  std::vector<TimeRange> ranges;
  bool moving = false;
  for (const RangeAnimation& glide : glides_) {
    // The ranges at the begin and at the end of the animation count.
    ranges.push_back(Hull(glide.shown(), glide.target()));
    moving = moving || glide.moving();
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto [first, last] = layout_.Visible(scroll_, scroll_ + static_cast<double>(geo_.rows.h));
    const bool settled = !frame.gesture && !moving;
    if (!depth_.Update({frame.profiles, ranges, layout_, first, last, settled, StickyAt(scroll_)}))
      return;
    layout_.SetRows(depth_.rows());
  }
}

void TimelineModel::UpdateLayout(const TimelineFrame& frame, CommandQueue* commands) {
  scroll_ = StoredScroll(frame);
  const bool other_profiles = content_ != frame.content_generation;
  const std::optional<Anchor> anchor = TakeAnchor(frame);
  const double stored = scroll_;
  UpdateArrangement(frame);
  scroll_ = std::min(scroll_, std::floor(max_scroll()));
  UpdateDepth(frame);
  scroll_ = std::min(scroll_, std::floor(max_scroll()));
  // The row under the mouse stays under the mouse, unless ranks came to the top, which are looked
  // at, or a track was moved, which is looked at where it was dropped.
  const bool to_top = std::exchange(ranks_moved_, false);
  const bool dropped = std::exchange(tracks_moved_, false);
  const std::vector<std::string> again = std::exchange(shown_again_, {});
  if (again.size() == 1 && !other_profiles)
    scroll_ = ScrollToPath(frame, again.front());
  else if (anchor && !other_profiles && !to_top && !dropped)
    scroll_ = ScrollFor(*anchor);
  if (scroll_ != stored) PushScroll(frame, scroll_ - stored, commands);
  sticky_ = StickyAt(scroll_);
}

// Where a plane or track is in sight: the present place if it is there.
double TimelineModel::ScrollToPath(const TimelineFrame& frame, const std::string& path) const {
  const auto page = static_cast<double>(geo_.rows.h);
  for (const LayoutItem& item : layout_.items()) {
    const Profile& profile = frame.profiles[item.profile];
    const bool plane = item.kind == LayoutItemKind::kPlaneHeading;
    if (!plane && (IsHeading(item.kind) || !item.track.valid())) continue;
    if ((plane ? PlanePath(*profile.trace, item.plane)
               : TrackPath(*profile.trace, profile.Set(item.set), item.track)) != path)
      continue;
    const auto top = static_cast<double>(rows_below_sticky().y - geo_.rows.y);
    const bool in_sight = item.y >= scroll_ + (plane ? 0 : top) &&
                          item.y + static_cast<double>(layout_.sizes().row) <= scroll_ + page;
    return in_sight ? scroll_ : std::floor(std::clamp(item.y - page / 3, 0.0, max_scroll()));
  }
  return scroll_;
}

StickyItems TimelineModel::StickyAt(double scroll) const {
  return layout_.Sticky(scroll, kMostPinned * static_cast<double>(geo_.rows.h));
}

// Returns whether the event is a Python frame that is left out now. Instants have no row in
// WithoutPython, but stay.
bool TimelineModel::IsHidden(uint32_t profile, const Lane& lane, const EventRef& event) const {
  const WithoutPython* rest = event.set == 0 ? python_.rest(profile) : nullptr;
  return rest != nullptr && lane.kind != LaneKind::kInstant &&
         rest->track[lane.track.value].valid() && !rest->row[event.row.value].valid();
}

// A selection made by a search, a table or a link may lie on a folded plane or out of sight. A
// clicked event is in sight already.
void TimelineModel::ScrollToSelection(const TimelineFrame& frame, CommandQueue* commands) {
  if (frame.view.reveals == revealed_) return;
  const EventRef& event = frame.view.selected;
  for (uint32_t profile = 0; profile < frame.profiles.size() && event.valid(); ++profile) {
    const Profile& r = frame.profiles[profile];
    if (r.id != event.trace || event.set >= r.sets() || event.row.value >= r.Set(event.set).rows)
      continue;
    const TrackSet& set = r.Set(event.set);
    const Lane& lane = set.lanes[set.LaneOf(event.row).value];
    if (IsHidden(profile, lane, event)) {
      commands->Push("view.python_frames");
      return;  // its track is there in the next frame
    }
    const size_t index = layout_.Find(profile, event.set, lane.track);
    if (index == Layout::npos) {
      const DerivedTrackKind own = event.set > 0 ? DerivedTrackKindOf(set.tracks[lane.track.value])
                                                 : DerivedTrackKind::kNone;
      if (!lanes_.Shows(own)) {
        commands->Push("view.derived_lanes");  // idle time has the only derived slices
        return;
      }
      const PlaneId plane_id = set.tracks[lane.track.value].plane;
      const std::string plane = PlanePath(*r.trace, plane_id);
      const std::string derived = DerivedTracksPath(*r.trace, plane_id);
      const std::string track = TrackPath(*r.trace, set, lane.track);
      const ProfileViewState* state = frame.view.Find(r.id);
      CommandArgs args;
      args.profile = r.id;
      args.text = kept_.hidden.contains(track) ? track : plane;
      if (kept_.hidden.contains(args.text))
        commands->Push("view.toggle_hidden", std::move(args));
      else if (state != nullptr && state->collapsed.contains(plane))
        commands->Push("view.toggle_collapse", std::move(args));
      else if (state != nullptr && state->collapsed.contains(derived))
        commands->Push("view.toggle_collapse", {.text = derived, .profile = r.id});
      else
        break;
      return;
    }
    if (!ScrollTo(frame, event, commands)) return;
    break;
  }
  revealed_ = frame.view.reveals;
}

// Scrolls to an event whose track is laid out. Returns false if its row is not known yet; the
// caller asks again in the next frame.
bool TimelineModel::ScrollTo(const TimelineFrame& frame, const EventRef& event,
                             CommandQueue* commands) const {
  for (uint32_t profile = 0; profile < frame.profiles.size(); ++profile) {
    const TrackSet* set = frame.profiles[profile].SetOf(event);
    if (set == nullptr) continue;
    const size_t index = layout_.Find(profile, event.set, set->TrackOf(event.row));
    if (index == Layout::npos) return true;
    const LayoutItem& item = layout_.items()[index];
    const auto row = static_cast<double>(layout_.RowHeight(item));
    const double top = static_cast<double>(rows_below_sticky().y - geo_.rows.y);
    const auto page = static_cast<double>(geo_.rows.h);
    const std::optional<uint32_t> depth = DepthOf(*set, item, event.row);
    const double y = item.y + row * depth.value_or(0);
    const bool in_sight = y >= scroll_ + top && y + row <= scroll_ + page;
    if (in_sight || (Sticks(index) && depth)) return true;
    PushScroll(frame, y - page / 3 - scroll_, commands);
    // A track that comes into sight gets the rows that it needs. Only then does the event have a
    // place.
    return depth || item.collapsed || y + row <= scroll_ + page;
  }
  return true;
}

// If profiles have rows of their own, the rows of the other profile follow the selection. Folded
// planes there stay folded.
void TimelineModel::ScrollToCounterpart(const TimelineFrame& frame, CommandQueue* commands) {
  if (!frame.apart() || frame.counterpart == counterpart_) return;
  if (ScrollTo(frame, frame.counterpart, commands)) counterpart_ = frame.counterpart;
}

void TimelineModel::UpdatePath(const TimelineFrame& frame, CommandQueue* commands) {
  path_.Update(frame.profiles, frame.profiles[active_], frame.path, frame.jobs, *this, commands);
  waiting_ = waiting_ || path_.busy();
}

void TimelineModel::UpdateTints(const TimelineFrame& frame) {
  const bool wanted = frame.settings.compare_colors;
  if (tints_.Update(frame.All(), frame.view, wanted, frame.jobs)) ++tint_changes_;
  waiting_ = waiting_ || tints_.busy();
}

void TimelineModel::BuildPlan(const TimelineFrame& frame) {
  for (const Profile& profile : frame.profiles) {
    for (uint32_t set = 0; set < profile.sets(); ++set)
      frame.names.Prepare(*profile.Set(set).names, set > 0);
  }
  PlanInput in;
  in.profiles = frame.profiles;
  in.axes = axes_;
  in.layout = &layout_;
  in.scroll = scroll_;
  in.sticky = sticky_;
  in.width = static_cast<uint32_t>(geo_.rows.w);
  in.height = static_cast<uint32_t>(geo_.rows.h);
  in.names = &frame.names;
  in.highlight = &highlight_.highlight();
  in.tints = &tints_;
  // Rows are cached by this number. Hidden frames and tints change contents too, so they count.
  in.content_generation = frame.content_generation << 32 | (python_changes_ + tint_changes_);
  plan_.Build(in);
  waiting_ = waiting_ || python_.busy();
}

void TimelineModel::UpdateFlows(const TimelineFrame& frame) {
  const bool shown = frame.settings.flow_arrows;
  const EventRef selected = shown ? frame.view.selected : EventRef();
  // The arrows of a derived event belong to its source, which is drawn elsewhere.
  const bool own = frame.hovered.set == 0 && !(frame.hovered == frame.view.selected);
  flows_.Update(frame.profiles, selected, content_, *this);
  hovered_flows_.Update(frame.profiles, shown && own ? frame.hovered : EventRef(), content_, *this);
}

void TimelineModel::UpdateSameName(const TimelineFrame& frame) {
  constexpr size_t kMost = 4000;
  same_name_.clear();
  const Profile* profile = FindProfile(frame.All(), frame.hovered.trace);
  const TrackSet* set = profile != nullptr ? profile->SetOf(frame.hovered) : nullptr;
  if (set != nullptr)
    plan_.AddSlicesOf(frame.profiles, layout_, set->Name(frame.hovered.row), kMost, &same_name_);
}

TimeRange TimelineModel::displayed() const {
  return active_ < glides_.size() ? glides_[active_].shown() : TimeRange{};
}

}  // namespace stepscope
