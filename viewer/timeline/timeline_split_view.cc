#include "viewer/timeline/timeline_split_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/profiles/matching_events.h"
#include "viewer/timeline/painting/view_svg.h"

namespace stepscope {
namespace {

constexpr float kGap = 1;  // pixels between areas
constexpr float kMinimap =
    46;  // height of the first area's minimap where areas lie above each other
constexpr float kMostLabel = 0.3f;  // share of an area's width

// Whether two profiles are compared that both have steps.
bool ComparesSteps(const TimelineInput& input) {
  const ViewState& view = input.panel.view;
  const Profile* compared = FindComparedProfile(input.profiles, view);
  return compared != nullptr && !compared->Steps().empty() &&
         !FindProfile(input.profiles, view.baseline)->Steps().empty();
}

}  // namespace

std::vector<Box> BoxesOfAreas(const Box& all, size_t profiles, ProfileLayout layout,
                              float first_extra) {
  std::vector<Box> out;
  const bool beside = layout == ProfileLayout::kBeside;
  const auto n = static_cast<float>(std::max<size_t>(1, profiles));
  const float length = beside ? all.w : all.h;
  const float extra = beside ? 0 : std::clamp(first_extra, 0.0f, length / 2);
  const float share = std::max(0.0f, length - extra - kGap * (n - 1)) / n;
  float at = 0;
  for (size_t i = 0; i < profiles; ++i) {
    const float end =
        i + 1 == profiles
            ? length
            : std::floor(extra + share * static_cast<float>(i + 1) + kGap * static_cast<float>(i));
    const float size = std::max(0.0f, end - at);
    out.push_back(beside ? Box{all.x + at, all.y, size, all.h}
                         : Box{all.x, all.y + at, all.w, size});
    at = end + kGap;
  }
  return out;
}

void TimelineSplitView::SlotSink::Draw(const TexelFrame& frame, ImDrawList* list) {
  TexelFrame own = frame;
  own.slot += first_;
  sink_->Draw(own, list);
}

void TimelineSplitView::NewFrame() {
  drawn_ = false;
  list_.NewFrame();
  for (const auto& area : areas_) area->panel.NewFrame();
}

bool TimelineSplitView::moving() const {
  if (areas_.empty()) return list_.moving();
  return std::any_of(areas_.begin(), areas_.end(),
                     [](const auto& area) { return area->panel.moving(); });
}

bool TimelineSplitView::waiting() const {
  if (drawn_ && job_.active()) return true;
  if (areas_.empty()) return list_.waiting();
  return std::any_of(areas_.begin(), areas_.end(),
                     [](const auto& area) { return area->panel.waiting(); });
}

bool TimelineSplitView::takes_keys() const {
  return list_.takes_keys() || std::any_of(areas_.begin(), areas_.end(), [](const auto& area) {
           return area->panel.takes_keys();
         });
}

const TimelinePanel& TimelineSplitView::Active() const {
  for (const auto& area : areas_) {
    if (area->profile == active_) return area->panel;
  }
  return areas_.empty() ? list_ : areas_.front()->panel;
}

// The list has slots 0 and 1.
uint32_t TimelineSplitView::FreeSlot() const {
  uint32_t slot = 2;
  while (std::any_of(areas_.begin(), areas_.end(),
                     [slot](const auto& area) { return area && area->slot == slot; }))
    slot += 2;
  return slot;
}

void TimelineSplitView::SyncAreas(std::span<const Profile> profiles) {
  static_assert(2 + 2 * kMostSplitViews <= TexelSink::kSlots);
  std::erase_if(areas_, [profiles](const auto& area) {
    return FindProfile(profiles, area->profile) == nullptr;
  });
  for (size_t i = 0; i < profiles.size(); ++i) {
    const auto found = std::find_if(areas_.begin(), areas_.end(), [&](const auto& area) {
      return area->profile == profiles[i].id;
    });
    if (found != areas_.end()) {
      std::rotate(areas_.begin() + static_cast<ptrdiff_t>(i), found, found + 1);
      continue;
    }
    auto area = std::make_unique<Area>();
    area->profile = profiles[i].id;
    area->slot = FreeSlot();
    areas_.insert(areas_.begin() + static_cast<ptrdiff_t>(i), std::move(area));
  }
}

// Finds the profile that the selected event's profile is compared with, and the event in it.
void TimelineSplitView::UpdateCounterpart(const TimelineInput& input) {
  const ViewState& view = input.panel.view;
  const Profile* profile = FindComparedProfile(input.profiles, view);
  const Profile* base = FindProfile(input.profiles, view.baseline);
  const bool of_base = base != nullptr && view.selected.trace == base->id;
  const Profile *from = of_base ? base : profile, *to = of_base ? profile : base;
  const bool own = from != nullptr && to != nullptr && view.selected.set == 0 &&
                   from->SetOf(view.selected) != nullptr;
  const EventRef wanted = own ? view.selected : EventRef();
  const EventRef with{own ? to->id : ProfileId(), 0, {}};
  if (!(wanted == asked_) || !(with == compared_with_)) {
    asked_ = wanted;
    compared_with_ = with;
    counterpart_ = {};
    job_.Stop();
    if (own) {
      job_.Start(input.panel.jobs, [a = *from, b = *to, row = wanted.row](Progress&) {
        return CounterpartOf(a, row, b);
      });
    }
  }
  if (const std::optional<EventRow> row = job_.Take(); row && row->valid())
    counterpart_ = {compared_with_.trace, 0, *row};
}

void TimelineSplitView::DrawArea(const TimelineInput& input, size_t index, const Box& box) {
  Area& area = *areas_[index];
  area.sink.Use(input.sink, area.slot);
  const bool beside = layout_ == ProfileLayout::kBeside;
  TimelineInput own{
      input.panel, input.profiles.subspan(index, 1), input.search, input.names, input.fonts,
      area.sink,   input.content_generation,         input.animate};
  own.tooltips = input.tooltips;
  own.path = area.profile == input.panel.view.active ? input.path : TimeRange{};
  own.counterpart = counterpart_;
  own.all_profiles = input.profiles;
  own.area = box;
  own.top = {true, beside || index == 0};
  own.minimap_of_all = !beside;
  own.tools = index == 0;
  own.legend = index + 1 == areas_.size();
  own.most_label = beside ? kMostLabel : 1;
  for (const auto& other : areas_) {
    if (other->panel.lit().valid()) own.hovered = other->panel.lit();
  }
  ImGui::PushID(static_cast<int>(area.profile.value));
  area.panel.Draw(own);
  ImGui::PopID();
}

// The cursor is in the time of the active profile, whichever area the mouse is in.
void TimelineSplitView::CollectFeedback() {
  feedback_ = Active().feedback();
  feedback_.cursor_valid = false;
  for (const auto& area : areas_) {
    const TimelineFeedback& own = area->panel.feedback();
    feedback_.areas.push_back({area->profile, own.rows_height, own.content_height});
    if (!own.cursor_valid) continue;
    feedback_.cursor_valid = true;
    feedback_.cursor = own.cursor;
  }
}

void TimelineSplitView::Draw(const TimelineInput& input) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  place_ = {std::floor(at.x), std::floor(at.y), std::floor(size.x), std::floor(size.y)};
  drawn_ = true;
  active_ = input.panel.view.active;
  layout_ = LayoutOfProfiles(input.panel.settings, input.profiles.size());
  UpdateCounterpart(input);
  if (layout_ == ProfileLayout::kList) {
    areas_.clear();
    TimelineInput all = input;
    all.counterpart = counterpart_;
    if (ComparesSteps(input)) all.top.step_rows = 2;
    list_.Draw(all);
    feedback_ = list_.feedback();
    return;
  }
  SyncAreas(input.profiles);
  const float unit = ImGui::GetFontSize() / TypeSize::kUi;
  const std::vector<Box> boxes =
      BoxesOfAreas(place_, input.profiles.size(), layout_, std::floor(kMinimap * unit));
  for (size_t i = 0; i < areas_.size(); ++i) DrawArea(input, i, boxes[i]);
  CollectFeedback();
}

std::string TimelineSplitView::Svg(std::span<const Profile> profiles, const ViewState& view,
                                   const Theme& theme, const Fonts& fonts) const {
  if (areas_.empty()) return list_.Svg({profiles, {}, view, theme, fonts, counterpart_});
  const bool beside = layout_ == ProfileLayout::kBeside;
  std::string parts;
  float x = 0, y = 0, width = 0, height = 0;
  for (size_t i = 0; i < areas_.size() && i < profiles.size(); ++i) {
    const TimelinePanel& panel = areas_[i]->panel;
    const TimelineScene scene{profiles.subspan(i, 1), profiles, view, theme, fonts, counterpart_,
                              i + 1 == areas_.size()};
    const std::string svg = panel.Svg(scene, fmt::format("r{}-", i), x, y);
    if (svg.empty()) return {};
    parts += svg;
    const float own = panel.place().bottom() - panel.svg_top();
    width = std::max(width, x + panel.place().w);
    height = std::max(height, y + own);
    (beside ? x : y) += (beside ? panel.place().w : own) + kGap;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{2}</svg>\n",
      width, height, parts);
}

}  // namespace stepscope
