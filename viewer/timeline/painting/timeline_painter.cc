#include "viewer/timeline/painting/timeline_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/digits.h"
#include "viewer/timeline/layout/layout.h"
#include "viewer/timeline/painting/ruler.h"

namespace stepscope {
namespace {

constexpr const char* kPinIcon = "\xEF\x82\x8D";  // Fork Awesome

const char* PlaneIcon(PlaneKind kind) {
  return kind == PlaneKind::kHostThreads || kind == PlaneKind::kHostOther ? icon::kServer
                                                                          : icon::kChip;
}

}  // namespace

TimelinePainter::TimelinePainter(const TimelineScene& scene, const TimelineModel& model,
                                 const TimelineInteraction* interaction, const Pen& pen)
    : in_(scene),
      model_(model),
      interaction_(interaction),
      geo_(model.geometry()),
      layout_(model.layout()),
      plan_(model.plan()),
      axis_(model.axis()),
      theme_(scene.theme),
      pen_(pen) {}

void TimelinePainter::DrawRows() const {
  const double scroll = model_.scroll();
  const float bottom = geo_.rows.y + geo_.rows.h;
  const auto [first, last] = layout_.Visible(scroll, scroll + static_cast<double>(geo_.rows.h));
  pen_.PushClip(geo_.all.x, geo_.rows.y, geo_.all.x + geo_.all.w, bottom);
  for (size_t i = first; i < last;
       ++i) {  // headings are drawn before the previews, which cover them
    const LayoutItem& item = layout_.items()[i];
    const float y = model_.YOf(item.y);
    if (IsHeading(item.kind)) {
      pen_.Box(geo_.all.x, y, geo_.all.w, item.height, theme_[Role::kRaised]);
      if (i > 0) pen_.HLine(geo_.all.x, geo_.all.x + geo_.all.w, y, theme_[Role::kLine]);
    } else if (i > first) {
      pen_.HLine(geo_.all.x, geo_.rows.x + geo_.rows.w, y - 2, theme_[Role::kGrid]);
    }
  }
  // Gridlines are faint; steps are a little stronger.
  const Ticks ticks = MakeTicks(axis_, static_cast<double>(pen_.Px(110)));
  for (Ps t = ticks.first; t < axis_.view().end; t = SaturatingAdd(t, ticks.minor)) {
    if ((t - ticks.base) % ticks.step == 0)
      pen_.VLine(geo_.rows.x + axis_.ClippedX(t), geo_.rows.y, bottom, theme_[Role::kGrid]);
  }
  const TimeRange measured = in_.view.MeasuredIn(in_.profiles[model_.active()].id);
  if (!measured.empty()) {
    const float a = geo_.rows.x + axis_.ClippedX(measured.begin);
    const float b = geo_.rows.x + axis_.ClippedX(measured.end);
    pen_.Box(a, geo_.rows.y, std::max(1.0f, b - a), geo_.rows.h,
             theme_.Alpha(Role::kAccent, 0.10f));
  }
  DrawSticky();
  pen_.PopClip();

  pen_.PushClip(geo_.rows.x, geo_.rows.y, geo_.rows.right(), bottom);
  DrawSlices();
  pen_.PopClip();
  const Box below = model_.rows_below_sticky();
  DrawLabels(below, false);
  DrawLabels({geo_.rows.x, geo_.rows.y, geo_.rows.w, below.y - geo_.rows.y}, true);

  DrawNames(first, last);
  pen_.VLine(geo_.rows.x - 1, geo_.ruler.y, bottom, theme_[Role::kLine]);
}

// A sticky item covers gridlines and lies under its own activity. An item that is pushed out goes
// under the one above it.
void TimelinePainter::DrawSticky() const {
  const float end = model_.rows_below_sticky().y;
  pen_.Box(geo_.all.x, geo_.rows.y, geo_.all.w, end - geo_.rows.y, theme_[Role::kPanel]);
  for (size_t k = model_.sticky().size(); k-- > 0;) {
    const StickyItem& sticky = model_.sticky()[k];
    const LayoutItem& item = layout_.items()[sticky.item];
    const float y = model_.YOf(sticky.y);
    if (IsHeading(item.kind)) {
      pen_.Box(geo_.all.x, y, geo_.all.w, item.height, theme_[Role::kRaised]);
    } else {
      pen_.Box(geo_.all.x, y - 2, geo_.all.w, item.height + 2, theme_[Role::kPanel]);
    }
    const bool last = k + 1 == model_.sticky().size() || !layout_.items()[sticky.item + 1].pinned;
    const Role line = IsHeading(item.kind) || last ? Role::kLine : Role::kGrid;
    pen_.HLine(geo_.all.x, geo_.all.right(), y + item.height, theme_[line]);
  }
}

// Draws names beside the rows. The name of a tall track stays in sight while the track scrolls,
// below the heading of its plane.
void TimelinePainter::DrawNames(size_t first, size_t last) const {
  const float top = model_.rows_below_sticky().y;
  const double content_top = model_.scroll() + static_cast<double>(top - geo_.rows.y);
  pen_.PushClip(geo_.all.x, top, geo_.rows.x, geo_.rows.bottom());
  for (size_t i = first; i < last; ++i) {
    const LayoutItem& item = layout_.items()[i];
    if (model_.Sticks(i)) continue;
    if (!IsHeading(item.kind)) {
      DrawTrackLabel(
          item, model_.YOf(item.y),
          model_.YOf(TextTop(item, content_top, static_cast<double>(layout_.sizes().row))));
    } else {
      DrawHeading(item, static_cast<uint32_t>(i), model_.YOf(item.y));
    }
  }
  pen_.PopClip();
  float above = geo_.rows.y;  // lower edge of the item above
  for (const auto& [index, y] : model_.sticky()) {
    const LayoutItem& item = layout_.items()[index];
    pen_.PushClip(geo_.all.x, above, geo_.rows.x, geo_.rows.bottom());
    if (IsHeading(item.kind)) {
      DrawHeading(item, static_cast<uint32_t>(index), model_.YOf(y));
    } else {
      DrawTrackLabel(item, model_.YOf(y), model_.YOf(y));
    }
    pen_.PopClip();
    above = model_.YOf(y) + item.height;
  }
}

void TimelinePainter::DrawHeading(const LayoutItem& item, uint32_t index, float y) const {
  const Trace& trace = *in_.profiles[item.profile].trace;
  const float left = geo_.all.x, right = geo_.rows.x - pen_.Px(12);
  const float text_y = y + std::floor((item.height - pen_.Px(TypeSize::kSmall)) / 2) - 1;
  if (item.kind == LayoutItemKind::kProfileHeading) {
    // There is room for one letter only: "A" or "B".
    const std::string_view side = std::string_view(SideOf(in_.profiles[item.profile])).substr(0, 1);
    const float end =
        pen_.TextRight(in_.fonts.bold, TypeSize::kSmall, right, text_y, theme_[Role::kText], side) -
        pen_.Px(side.empty() ? 0 : 8);
    pen_.TextFit(in_.fonts.bold, TypeSize::kSmall, left + pen_.Px(12), end, text_y,
                 theme_[Role::kAccent], in_.profiles[item.profile].label);
    return;
  }
  if (item.kind == LayoutItemKind::kHostHeading) {
    if (in_.fonts.icons)
      pen_.Text(in_.fonts.ui, TypeSize::kSmall, left + pen_.Px(10), text_y, theme_[Role::kText2],
                icon::kServer);
    pen_.TextFit(in_.fonts.bold, TypeSize::kSmall, left + pen_.Px(30), right, text_y,
                 theme_[Role::kText], trace.HostName(item.host));
    return;
  }
  // The triangle is drawn by hand, because not every system has the icon font.
  const float cx = left + pen_.Px(16), cy = y + std::floor(item.height / 2), r = pen_.Px(4);
  if (item.collapsed) {
    pen_.Triangle({cx - r + 1, cy - r}, {cx + r - 1, cy}, {cx - r + 1, cy + r},
                  theme_[Role::kText2]);
  } else {
    pen_.Triangle({cx - r, cy - r + 1}, {cx + r, cy - r + 1}, {cx, cy + r - 1},
                  theme_[Role::kText2]);
  }
  const bool derived = !item.plane.valid();
  const Plane* plane = derived ? nullptr : &trace.planes[item.plane.value];
  if (in_.fonts.icons && plane != nullptr) {
    pen_.Text(in_.fonts.ui, TypeSize::kSmall, left + pen_.Px(27), text_y + 1, theme_[Role::kText2],
              PlaneIcon(plane->kind));
  }
  float percent_left = right;
  const double busy = plan_.Utilisation(index);
  if (busy >= 0) {
    percent_left = pen_.TextRight(in_.fonts.mono, kSmallText, right, text_y + 1,
                                  theme_[Role::kText], PercentText(busy * 100, 1));
  }
  const std::string name = LabelOf(in_.profiles[item.profile], item).name;
  const float x = left + pen_.Px(46);
  DrawColor(item, y);
  pen_.TextFit(in_.fonts.bold, TypeSize::kSmall, x, percent_left - pen_.Px(6), text_y,
               theme_[Role::kText], name);
  if (derived || plane->subtitle.empty()) return;
  const float after = x + pen_.Width(in_.fonts.bold, TypeSize::kSmall, name) + pen_.Px(8);
  if (percent_left - after > pen_.Px(40)) {
    pen_.TextFit(in_.fonts.ui, kSmallText, after, percent_left - pen_.Px(8), text_y + 1,
                 theme_[Role::kText2], plane->subtitle);
  }
}

// Draws the colour that the user gave a plane or track: an edge, and a wash under the name.
void TimelinePainter::DrawColor(const LayoutItem& item, float y) const {
  if (item.color == 0) return;
  const Rgba color = MarkerColor(theme_, item.color - 1);
  pen_.Box(geo_.all.x, y, geo_.labels.w - 1, item.height, WithAlpha(color, 0.16f));
  pen_.Box(geo_.all.x, y, pen_.Px(5), item.height, color);
}

// Draws the name of a rank beside its first stripe, or before the name of its track.
void TimelinePainter::DrawRankLabel(const LayoutItem& item, float y) const {
  const float left = geo_.all.x + pen_.Px(12), right = geo_.rows.x - pen_.Px(12);
  const bool begins = item.BeginsRank();
  const float size = item.thin ? 11.0f : TypeSize::kSmall;
  const float text_y = item.thin
                           ? y + pen_.Px(1)
                           : y + std::floor((item.height - pen_.Px(TypeSize::kSmall)) / 2) - 1;
  if (begins && item.thin) pen_.HLine(geo_.all.x, geo_.rows.x, y, theme_[Role::kGrid]);
  const std::string late = begins ? LateText(*item.rank) : std::string();
  float end = right;
  if (!late.empty())
    end = pen_.TextRight(in_.fonts.ui, item.thin ? 11.0f : kSmallText, right, text_y,
                         theme_[Role::kText2], late);
  if (begins)
    pen_.TextFit(in_.fonts.bold, size, left, end - pen_.Px(6), text_y, theme_[Role::kText],
                 RankText(*item.rank));
  if (item.thin) return;
  pen_.TextFit(in_.fonts.ui, kSmallText, left + pen_.Px(58), end - pen_.Px(6), text_y + 1,
               theme_[Role::kText2], LabelOf(in_.profiles[item.profile], item).name);
}

void TimelinePainter::DrawTrackLabel(const LayoutItem& item, float y, float text_top) const {
  const TrackSet& set = in_.profiles[item.profile].Set(item.set);
  const Track& track = set.tracks[item.track.value];
  const EventRef& selected = in_.view.selected;
  const bool active = selected.valid() && selected.set == item.set &&
                      selected.trace == in_.profiles[item.profile].id &&
                      selected.row.value < set.rows && set.TrackOf(selected.row) == item.track;
  const float left = geo_.all.x;
  DrawColor(item, y);
  if (active) {
    pen_.Box(left, y - 1, geo_.labels.w - 1, item.height + 1, theme_[Role::kAccentBg]);
    pen_.Box(left, y - 1, pen_.Px(3), item.height + 1, theme_[Role::kAccent]);
  }
  if (item.rank != nullptr) return DrawRankLabel(item, y);
  const float text_y =
      text_top +
      std::floor((std::min(item.height, layout_.sizes().row) - pen_.Px(TypeSize::kSmall)) / 2) - 1;
  if (item.collapsible) {
    DrawTriangle(left + pen_.Px(34), text_top + std::floor(layout_.sizes().row / 2), pen_.Px(3),
                 item.collapsed);
  }
  const float right = geo_.rows.x - pen_.Px(12);
  TrackLabel label = LabelOf(in_.profiles[item.profile], item);
  const bool lane = item.lane != DerivedTrackKind::kNone;
  const bool counts = item.kind == LayoutItemKind::kCounter && !track.counters.empty();
  if (lane && counts && item.lane != DerivedTrackKind::kUtilisation)
    label.tag = "max " + CounterText(set, track, track.counters.front().max);
  if (item.leads > 0 && item.collapsed) label.tag = fmt::format("+{}", item.leads);
  const float id_left =
      label.tag.empty() ? right
                        : pen_.TextRight(in_.fonts.mono, kSmallText, right, text_y + 1,
                                         theme_[active ? Role::kText2 : Role::kText3], label.tag);
  const float name_x = left + pen_.Px(46), name_end = id_left - pen_.Px(6);
  pen_.TextFit(in_.fonts.ui, TypeSize::kSmall, name_x, name_end, text_y, theme_[Role::kText],
               label.name);
  DrawFramesLabel(item);
  if (item.lane == DerivedTrackKind::kUtilisation) {
    const float width = pen_.Width(in_.fonts.ui, TypeSize::kSmall, label.name);
    DrawPartsLegend(set, track, name_x + width + pen_.Px(10), id_left, text_y);
  }
  if (item.apart) {
    const float width = pen_.Width(in_.fonts.ui, TypeSize::kSmall, label.name);
    DrawPin(item, name_x + width + pen_.Px(8), name_end, text_y);
  }
  if (counts && !lane) {
    pen_.Text(in_.fonts.mono, kSmallText, left + pen_.Px(46), text_y + pen_.Px(17),
              theme_[Role::kText3], "max " + CounterText(set, track, track.counters.front().max));
  }
}

// Names the parts of the utilisation at the right end of its label, while there is room.
void TimelinePainter::DrawPartsLegend(const TrackSet& set, const Track& track, float left,
                                      float right, float y) const {
  const float box = pen_.Px(7), gap = pen_.Px(4);
  for (size_t i = track.counters.size(); i-- > 1;) {
    const std::string_view name = set.names->strings.View(track.counters[i].name);
    const float text = right - pen_.Width(in_.fonts.ui, kSmallText, name);
    if (text - gap - box < left) return;
    pen_.Text(in_.fonts.ui, kSmallText, text, y + 1, theme_[Role::kText3], name);
    pen_.Box(text - gap - box, y + pen_.Px(5), box, box, theme_[WorkKind(WorkPartOf(name))], 2);
    right = text - gap - box - pen_.Px(8);
  }
}

// Says below the name of a thread how many outer frames it has. A click there folds them.
void TimelinePainter::DrawFramesLabel(const LayoutItem& item) const {
  const auto index = static_cast<size_t>(&item - layout_.items().data());
  const Box box = model_.FramesBoxOf(index);
  if (box.h <= 0) return;
  const float cx = box.x + pen_.Px(52), cy = box.y + std::floor(box.h / 2), r = pen_.Px(3);
  DrawTriangle(cx, cy, r, item.frames_in_one);
  const float y = box.y + std::floor((box.h - kSmallText * geo_.unit) / 2) - 1;
  pen_.TextFit(in_.fonts.ui, kSmallText, box.x + pen_.Px(62), geo_.rows.x - pen_.Px(12), y,
               theme_[Role::kText3], fmt::format("{} outer frames", item.frames));
}

// Draws the triangle of a track that can be folded.
void TimelinePainter::DrawTriangle(float cx, float cy, float r, bool folded) const {
  if (folded) {
    pen_.Triangle({cx - r + 1, cy - r}, {cx + r, cy}, {cx - r + 1, cy + r}, theme_[Role::kText3]);
  } else {
    pen_.Triangle({cx - r, cy - r + 1}, {cx + r, cy - r + 1}, {cx, cy + r}, theme_[Role::kText3]);
  }
}

// A pinned item stands without the heading of its plane, so its name tells the plane.
void TimelinePainter::DrawPin(const LayoutItem& item, float x, float right, float y) const {
  if (in_.fonts.icons)
    pen_.Text(in_.fonts.ui, kSmallText, geo_.all.x + pen_.Px(12), y + 1, theme_[Role::kText3],
              kPinIcon);
  if (!item.plane.valid() || right - x < pen_.Px(24)) return;
  const Plane& plane = in_.profiles[item.profile].trace->planes[item.plane.value];
  pen_.TextFit(in_.fonts.ui, kSmallText, x, right, y + 1, theme_[Role::kText3], plane.display_name);
}

void TimelinePainter::DrawLabels(const Box& area, bool sticks) const {
  const float size = pen_.Px(TypeSize::kSlice);
  const float row = layout_.sizes().row - 1;
  pen_.PushClip(area.x, area.y, area.right(), area.bottom());
  if (interaction_ != nullptr) DrawSameName(sticks);
  ImFont* font = in_.fonts.ui;
  for (const PlanLabel& label : plan_.labels()) {
    if (label.sticks != sticks) continue;
    const float x = geo_.rows.x + label.x;
    const float y = geo_.rows.y + label.y + std::floor((row - size) / 2);
    pen_.Letters(font, size, {x, y}, label.color, label.text);
    if (!label.cut) continue;
    const float width = pen_.Width(font, TypeSize::kSlice, label.text);
    pen_.Letters(font, size, {std::floor(x + width), y}, label.color, kEllipsis);
  }
  DrawInstants(sticks);
  pen_.PopClip();
}

void TimelinePainter::DrawInstants(bool sticks) const {
  const float row = layout_.sizes().row - 1, mark = pen_.Px(2.5f);
  for (const PlanMark& m : plan_.marks()) {
    if (m.sticks != sticks) continue;
    const float x = geo_.rows.x + m.x, y = geo_.rows.y + m.y + row;
    pen_.Triangle({x - mark - 1, y}, {x, y - mark * 1.6f - 1}, {x + mark + 1, y},
                  theme_[Role::kPanel]);
    pen_.Triangle({x - mark + 1, y}, {x, y - mark * 1.6f + 1.5f}, {x + mark - 1, y},
                  theme_[Role::kText]);
  }
}

}  // namespace stepscope
