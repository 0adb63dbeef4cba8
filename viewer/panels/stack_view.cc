#include "viewer/panels/stack_view.h"

#include <imgui.h>

#include <string>
#include <utility>

#include "model/base/digits.h"
#include "model/query/event_query.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/row_events.h"

namespace stepscope {

// A change while the panel has the keyboard was clicked in it.
bool StackView::Shows(const HighlightedEvents& shown) {
  if (shown.version() != seen_) {
    seen_ = shown.version();
    own_ = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) ? seen_ : 0;
  }
  return !shown.empty() && shown.version() == own_;
}

void StackView::ShowEvents(const PanelContext& context, const CallTree& tree, uint32_t frame) {
  CommandArgs args;
  const CallFrame& f = tree.frames[frame];
  const auto rows = tree.RowsOf(frame);
  if (rows.empty()) {  // too many to be listed, or none is selected: all of the name
    args.text = QueryForWhole(NameOf(f, context.profile->trace->names()));
    context.commands.Push("search.set", std::move(args));
    return;
  }
  RowLink link = LinkTo(EventRows({rows.begin(), rows.end()}));
  link.total = f.count;
  AddEvents(context.profile->id, link, &args);
  stepscope::ShowEvents(context.commands, std::move(args));
}

void StackView::DrawFlame(const PanelContext& context, const CallTree& tree, uint64_t key) {
  const uint32_t frame = flame_.Draw(context, *context.profile->trace, tree, key);
  if (frame != FlameGraph::kNone) ShowEvents(context, tree, frame);
}

void StackView::Draw(const PanelContext& context, const SelectionStacks& stacks, uint64_t key) {
  if (stacks.tree.frames.size() <= 1) {
    WrappedIn(context, Role::kText2,
              "Stacks are merged from recorded events only, and none of these is one.");
    return;
  }
  const std::pair<Page, const char*> choices[] = {
      {Page::kFlame, "Flame graph"}, {Page::kTopDown, "Top-down"}, {Page::kBottomUp, "Bottom-up"}};
  for (const auto& [page, label] : choices) {
    if (ChoiceButton(context, label, page_ == page)) page_ = page;
    ImGui::SameLine();
  }
  if (stacks.tree.cut > 0) {
    const FaceScope small(context, Face::kUi);
    ImGui::AlignTextToFramePadding();
    TextIn(context, Role::kText3, Counted(stacks.tree.cut, "events") + " below the deepest frames");
    ImGui::SetItemTooltip("Their time is in the frames above them.");
    ImGui::SameLine();
  }
  const ResultTable& listed = page_ == Page::kTopDown ? stacks.top_down : stacks.bottom_up;
  if (page_ != Page::kFlame && listed.size() < stacks.tree.frames.size() - 1) {
    const FaceScope small(context, Face::kUi);
    ImGui::AlignTextToFramePadding();
    TextIn(context, Role::kText3,
           "the " + GroupDigits(listed.size()) + " with most time of " +
               Counted(stacks.tree.frames.size() - 1, "frames"));
    ImGui::SameLine();
  }
  const TableOptions options{.id = page_ == Page::kTopDown ? "top_down" : "bottom_up",
                             .noun = "frames",
                             .name_column = "name",
                             .total_row = false};
  if (page_ == Page::kFlame) {
    DrawFlame(context, stacks.tree, key);
    return;
  }
  ImGui::NewLine();
  if (page_ == Page::kTopDown) top_down_.Draw(context, stacks.top_down, key, options);
  if (page_ == Page::kBottomUp) bottom_up_.Draw(context, stacks.bottom_up, key, options);
}

}  // namespace stepscope
