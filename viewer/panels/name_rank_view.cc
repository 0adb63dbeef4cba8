#include "viewer/panels/name_rank_view.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "model/base/digits.h"
#include "model/query/event_query.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/duration_bars.h"

namespace stepscope {

std::string RankText(const NameRank& rank) {
  const std::string all = "the " + GroupDigits(rank.count) + " of this name";
  if (rank.count <= 1) return "The only one of this name";
  if (rank.shorter == 0 && rank.longer == 0)
    return "As long as all " + GroupDigits(rank.count) + " of this name";
  if (rank.longer == 0) return "The longest of " + all;
  if (rank.shorter == 0) return "The shortest of " + all;
  // Down: "longer than 100 %" would not be true.
  const auto percent = static_cast<uint64_t>(100 * static_cast<double>(rank.shorter) /
                                             static_cast<double>(rank.count));
  return "Longer than " + std::to_string(percent) + " % of " + all;
}

void NameRankView::Update(const PanelContext& context, const Run& run, const EventRef& event) {
  if (event_ == event && trace_ == run.trace.get()) {
    if (std::optional<NameRank> rank = job_.Take()) {
      rank_ = *std::move(rank);
      ready_ = true;
    }
    return;
  }
  event_ = event;
  trace_ = run.trace.get();
  ready_ = false;
  job_.Start(context.jobs, [run, event](const std::stop_token& stop, Progress&) {
    return RankByName(*run.SetOf(event), event.row, stop);
  });
}

void NameRankView::Draw(const PanelContext& context, const Run& run, const EventRef& event) {
  Update(context, run, event);
  const TrackSet* set = run.SetOf(event);
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
    ImGui::SetItemTooltip("Of the whole profile. Click to find them all: F3 goes through them.");
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
