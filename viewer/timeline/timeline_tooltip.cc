// What the timeline says of what is under the mouse.
#include <algorithm>
#include <array>
#include <cstdio>

#include "model/base/counted.h"
#include "model/base/digits.h"
#include "viewer/timeline/timeline_painter.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {

void TimelinePainter::DrawTooltip() const {
  if (interaction_.drag() != Drag::kNone || interaction_.pressed()) return;
  if (!interaction_.hovered().valid()) {
    DrawLabelTooltip();
    return;
  }
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 36);
  if (interaction_.hovered().count() == 1) {
    DrawEventTooltip();
  } else {
    DrawFoldedTooltip();
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void TimelinePainter::DrawEventTooltip() const {
  const TimelineHit& hit = interaction_.hovered();
  const TrackSet& set = in_.runs[hit.run].Set(hit.set);
  const Lane& lane = *hit.lane;
  const Pen pen = MakePen(theme_, in_.fonts);
  const uint32_t i = hit.first;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  pen.Box(p.x, p.y + pen.Px(4), pen.Px(9), pen.Px(9), in_.names.Color(*set.names, lane.meta[i]), 2);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(16));
  const std::string_view name = set.names->DisplayName(MetaId(lane.meta[i]));
  ImGui::TextUnformatted(name.data(), name.data() + name.size());
  ImGui::PushStyleColor(ImGuiCol_Text, theme_[Role::kText2]);
  if (lane.kind == LaneKind::kInstant) {
    ImGui::TextUnformatted(("at " + WithoutZeros(FormatDuration(lane.start[i], 9))).c_str());
  } else {
    ImGui::TextUnformatted((WithoutZeros(FormatDuration(lane.dur[i], 5)) + ", from " +
                            WithoutZeros(FormatDuration(lane.start[i], 9)))
                               .c_str());
  }
  if (lane.kind == LaneKind::kSpill)
    ImGui::TextUnformatted("overlaps other events of its track only in part");
  ImGui::PopStyleColor();
}

// What lies in one pixel: the names that take most of it.
void TimelinePainter::DrawFoldedTooltip() const {
  constexpr size_t kNames = 6;
  const TimelineHit& hit = interaction_.hovered();
  const TrackSet& set = in_.runs[hit.run].Set(hit.set);
  const Pen pen = MakePen(theme_, in_.fonts);
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]);
  const HitSums sums = SumByName(hit);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%u events in this pixel%s", hit.count(),
                sums.all ? "" : " (first 20 000 summed)");
  ImGui::TextUnformatted(text.data());
  ImGui::SameLine();
  ImGui::TextColored(second, "%s", FormatDuration(sums.total, 4).c_str());
  for (size_t s = 0; s < std::min(kNames, sums.names.size()); ++s) {
    const HitSums::Name& sum = sums.names[s];
    const ImVec2 p = ImGui::GetCursorScreenPos();
    pen.Box(p.x, p.y + pen.Px(4), pen.Px(9), pen.Px(9), in_.names.Color(*set.names, sum.meta), 2);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(16));
    const NameLabel& label = in_.names.Label(*set.names, sum.meta);
    const std::string& name = label.forms[1].empty() ? label.forms[0] : label.forms[1];
    ImGui::TextUnformatted(name.c_str());
    ImGui::SameLine();
    ImGui::TextColored(second, "\xC3\x97 %s  %s", GroupDigits(sum.count).c_str(),
                       FormatDuration(sum.time, 4).c_str());
  }
  if (sums.names.size() > kNames)
    ImGui::TextColored(second, "and %zu more names", sums.names.size() - kNames);
}

void TimelinePainter::DrawLabelTooltip() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const size_t index = model_.ItemAt(mouse.y);
  if (!ImGui::IsWindowHovered() || !geo_.labels.Has(mouse.x, mouse.y) ||
      index >= layout_.items().size())
    return;
  const LayoutItem& item = layout_.items()[index];
  const Run& run = in_.runs[item.run];
  if (!model_.Sticks(index) && mouse.y > model_.YOf(item.y) + item.height) return;
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]);
  if (item.kind == ItemKind::kPlaneHeading && item.plane.valid()) {
    const Plane& plane = run.trace->planes[item.plane.value];
    if (!ImGui::BeginTooltip()) return;
    ImGui::TextUnformatted(plane.display_name.c_str());
    ImGui::TextColored(second, "%s", plane.subtitle.c_str());
    ImGui::TextColored(second, "%s; click folds or unfolds",
                       Counted(plane.tracks.size(), "tracks").c_str());
    ImGui::EndTooltip();
  } else if (item.kind == ItemKind::kTrack || item.kind == ItemKind::kCounter) {
    const TrackSet& set = run.Set(item.set);
    const Track& track = set.tracks[item.track.value];
    if (!ImGui::BeginTooltip()) return;
    const std::string_view name = set.names->strings.View(track.name);
    ImGui::TextUnformatted(name.data(), name.data() + name.size());
    ImGui::TextColored(second, "%s, busy for %s", Counted(track.events, "events").c_str(),
                       FormatDuration(track.busy, 4).c_str());
    if (item.set == 0 && track.id != 0)
      ImGui::TextColored(second, "id %lld", static_cast<long long>(track.id));
    ImGui::EndTooltip();
  }
}

}  // namespace stepscope
