#include "viewer/panels/name_rank_view.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "model/base/digits.h"
#include "model/lookup.h"
#include "model/query/event_query.h"
#include "viewer/widgets/bars.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

std::string RankText(const NameRank& rank) {
  const std::string all = "the " + GroupDigits(rank.count) + " of this name";
  if (rank.count <= 1) return "The only one of this name";
  if (rank.shorter == 0 && rank.longer == 0)
    return "As long as all " + GroupDigits(rank.count) + " of this name";
  if (rank.longer == 0) return "The longest of " + all;
  if (rank.shorter == 0) return "The shortest of " + all;
  // Rounded down, because "longer than 100 %" would not be true.
  const auto percent = static_cast<uint64_t>(100 * static_cast<double>(rank.shorter) /
                                             static_cast<double>(rank.count));
  return "Longer than " + std::to_string(percent) + " % of " + all;
}

void NameRankView::Update(const PanelContext& context, const Profile& profile,
                          const EventRef& event) {
  if (event_ == event && trace_ == profile.trace.get()) {
    if (std::optional<Found> found = job_.Take()) {
      rank_ = found->rank;
      neighbours_ = found->neighbours;
      ready_ = true;
    }
    return;
  }
  event_ = event;
  trace_ = profile.trace.get();
  ready_ = false;
  job_.Start(context.jobs, [profile, event](Progress&) {
    const TrackSet& set = *profile.SetOf(event);
    Found found{RankByName(set, event.row), {}};
    found.neighbours = {NextSameName(set, event.row, -1), NextSameName(set, event.row, 1)};
    return found;
  });
}

// Links to the previous and the next event of this name on the track.
void NameRankView::DrawNeighbours(const PanelContext& context, const TrackSet& set,
                                  const EventRef& event) const {
  constexpr CommandId kCommands[] = {"select.previous_same", "select.next_same"};
  bool any = false;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const EventRow row = neighbours_[i];
    if (!ready_ || !row.valid()) continue;
    if (std::exchange(any, true)) ImGui::SameLine();
    const Ps a = set.Start(event.row), b = set.Start(row);
    const std::string text =
        (i == 0 ? "Previous " : "Next ") +
        WithoutZeros(FormatDuration(i == 0 ? SaturatingSub(a, b) : SaturatingSub(b, a), 4)) +
        (i == 0 ? " earlier" : " later");
    if (LinkText(context, i == 0 ? "##previous" : "##next", text))
      context.commands.Push("select.reveal", {.event = {event.trace, event.set, row}});
    const std::string keys(KeysOf(context, DescOf(kCommands[i])));
    ImGui::SetItemTooltip(
        "The event of the same name on this track (%s). The time is from begin to begin.",
        keys.c_str());
  }
  if (!any) ImGui::Dummy({1, ImGui::GetTextLineHeight()});
}

// A link from the time of all events of this name to what they take of each step.
void NameRankView::DrawTotal(const PanelContext& context, const Profile& profile,
                             const EventRef& event) const {
  const std::string text =
      "All together " + WithoutZeros(FormatDuration(rank_.total, 4)) + " in the whole trace";
  if (event.set != 0 || profile.Steps().empty()) return TextIn(context, Role::kText2, text);
  if (LinkText(context, "##total", text + ": share of each step")) {
    context.commands.Push("search.set",
                          {.text = QueryForWhole(profile.trace->set.Name(event.row))});
    context.commands.Push("panel.show", {.text = "selection/step", .profile = context.pinned});
  }
  ImGui::SetItemTooltip("Adds up all events of this name by step: time, and share of its length");
}

void NameRankView::Draw(const PanelContext& context, const Profile& profile,
                        const EventRef& event) {
  Update(context, profile, event);
  const TrackSet* set = profile.SetOf(event);
  if (set == nullptr || set->lanes[set->LaneOf(event.row).value].kind == LaneKind::kInstant) return;
  ImGui::PushFont(nullptr, TypeSize::kSmall);
  if (!ready_) {
    TextIn(context, Role::kText2, "Comparing with others of this name\u2026");
  } else if (rank_.count <= 1) {
    TextIn(context, Role::kText2, RankText(rank_));
  } else if (LinkText(context, "##rank", RankText(rank_))) {
    CommandArgs all;
    all.text = QueryForWhole(set->Name(event.row));
    context.commands.Push("search.set", std::move(all));
  }
  if (ready_ && rank_.count > 1)
    ImGui::SetItemTooltip(
        "All events of this name in the profile. A click finds them, and F3 goes through them.");
  DrawNeighbours(context, *set, event);
  if (ready_ && rank_.count > 1) {
    DrawTotal(context, profile, event);
  } else {
    ImGui::Dummy({1, ImGui::GetTextLineHeight()});
  }
  ImGui::PopFont();
  const float em = BaseEm();
  const ImVec2 size{std::min(ImGui::GetContentRegionAvail().x, em * 30), em * 3.6f};
  if (ready_ && rank_.count > 1) {
    DrawDurationBars(context, rank_.histogram, size, set->Duration(event.row));
  } else {
    ImGui::Dummy(size);
  }
  ImGui::Spacing();
}

}  // namespace stepscope
