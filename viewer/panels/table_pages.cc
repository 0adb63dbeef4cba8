#include "viewer/panels/table_pages.h"

#include <imgui.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "viewer/widgets/draw_text.h"

namespace stepscope {

void DrawTableTitles(std::span<const ResultTable* const> tables, std::string* shown) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool first = true;
  for (const ResultTable* table : tables) {
    const std::string& title = table->title.empty() ? table->id : table->title;
    const float width = TextWidth(title) + BaseEm() * 2.6f;
    if (!first && ImGui::GetItemRectMax().x + width < right) ImGui::SameLine();
    first = false;
    ImGui::PushID(table->id.c_str());
    if (ImGui::RadioButton(title.c_str(), table->id == *shown)) *shown = table->id;
    ImGui::PopID();
  }
}

void TablePages::Draw(const PanelContext& context, std::span<const Page> pages,
                      const char* nothing) {
  std::vector<Page> filled;
  for (const Page& page : pages) {
    if (page.table != nullptr && !page.table->rows.empty()) filled.push_back(page);
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
    for (const Page& page : filled) tables.push_back(page.table);
    if (tables.size() == 1) {
      TextIn(context, Role::kText2, tables[0]->title.empty() ? tables[0]->id : tables[0]->title);
    } else {
      DrawTableTitles(tables, &shown_);
    }
  }
  const Page& page = *chosen();
  TableOptions options = page.options;
  options.id = page.table->id.c_str();
  views_[page.table->id].Draw(context, *page.table, page.key, options);
}

}  // namespace stepscope
