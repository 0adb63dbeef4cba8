#include "viewer/panels/table_pages.h"

#include <imgui.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

namespace {

std::string_view TitleOf(const ResultTable& table) {
  return table.title.empty() ? table.id : table.title;
}

float WidthOfChoice(const ResultTable& table) {
  return TextWidth(TitleOf(table)) + BaseEm() * 2.6f;
}

// Shows the titles as a list, because a second line of titles would take the tables' room.
void DrawTitleList(std::span<const ResultTable* const> tables, std::string* shown) {
  float widest = 0;
  std::string chosen;
  for (const ResultTable* table : tables) {
    widest = std::max(widest, WidthOfChoice(*table));
    if (table->id == *shown) chosen = TitleOf(*table);
  }
  ImGui::SetNextItemWidth(std::min(widest, ImGui::GetContentRegionAvail().x));
  if (!ImGui::BeginCombo("##tables", chosen.c_str(), ImGuiComboFlags_HeightLargest)) return;
  for (const ResultTable* table : tables) {
    ImGui::PushID(table->id.c_str());
    if (ImGui::Selectable(std::string(TitleOf(*table)).c_str(), table->id == *shown))
      *shown = table->id;
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

// Says which moment numbers are of. A click shows the time around it.
void DrawMoment(const PanelContext& context, Ps at) {
  constexpr Ps kPart = 50;  // of the trace on each side
  const TimeRange span = context.profile->trace->span;
  const Ps around = std::max<Ps>(1, span.length() / kPart);
  DrawScopeOf(context, "at " + FormatDuration(at, 4),
              {SaturatingSub(at, around), SaturatingAdd(at, around)});
}

}  // namespace

void DrawTableTitles(std::span<const ResultTable* const> tables, std::string* shown, float beside) {
  float width = beside;
  for (const ResultTable* table : tables) width += WidthOfChoice(*table);
  if (width > ImGui::GetContentRegionAvail().x) {
    DrawTitleList(tables, shown);
    return;
  }
  bool first = true;
  for (const ResultTable* table : tables) {
    if (!std::exchange(first, false)) ImGui::SameLine();
    ImGui::PushID(table->id.c_str());
    if (ImGui::RadioButton(std::string(TitleOf(*table)).c_str(), table->id == *shown))
      *shown = table->id;
    ImGui::PopID();
  }
}

void TablePages::Draw(const PanelContext& context, std::span<const Page> pages,
                      const char* nothing) {
  std::vector<Page> filled;
  for (const Page& page : pages) {
    if (page.table != nullptr && !page.table->empty()) filled.push_back(page);
  }
  if (filled.empty()) {
    WrappedIn(context, Role::kText2, nothing);
    return;
  }
  const auto chosen = [&] {
    return std::find_if(filled.begin(), filled.end(),
                        [&](const Page& page) { return page.table->id == shown_; });
  };
  if (chosen() == filled.end()) shown_ = filled.front().table->id;
  {
    const FaceScope small(context, Face::kUi);
    std::vector<const ResultTable*> tables;
    tables.reserve(filled.size());
    for (const Page& page : filled) tables.push_back(page.table);
    if (tables.size() == 1) {
      TextIn(context, Role::kText2, tables[0]->title.empty() ? tables[0]->id : tables[0]->title);
    } else {
      DrawTableTitles(tables, &shown_, BaseEm() * 12);
    }
    ImGui::SameLine(0, BaseEm());
    if (chosen()->at)
      DrawMoment(context, *chosen()->at);
    else if (!chosen()->of_step || !DrawAverageScope(context))
      DrawScope(context);
  }
  const Page& page = *chosen();
  TableOptions options = page.options;
  options.id = page.table->id.c_str();
  const auto [view, added] = views_.try_emplace(page.table->id);
  view->second.Draw(context, *page.table, page.key, options);
  // The first frame of a table makes its columns, and then they have no order.
  const int sort = page.table->Column(page.sort);
  if (added && sort >= 0) view->second.SetSort({{sort, true}});
}

}  // namespace stepscope
