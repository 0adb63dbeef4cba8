#include "viewer/panels/page_panel.h"

#include <imgui.h>

#include <memory>
#include <string>
#include <vector>

#include "viewer/widgets/draw_text.h"

namespace stepscope {

void PagePanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                           uint64_t key) {
  DrawFindings(context, result.findings, page_);
  for (const Property& property : result.properties) {
    const std::string text = FormatValue(property.value, property.unit);
    if (text.empty()) continue;
    KeyValue(context, property.label, text, BaseEm() * 14, true);
    if (!property.how.empty()) ImGui::SetItemTooltip("%s", property.how.c_str());
  }
  if (result.tables.empty()) return;
  std::vector<TablePages::Page> pages;
  for (const ResultTable& table : result.tables) pages.push_back({&table, key});
  tables_.Draw(context, pages, "The tables of this page have no rows.");
}

PanelDesc PanelOfPage(const AnalysisDesc& page) {
  return {page.id, page.title, page.what, "", DockSlot::kBottomRight, false, [id = page.id] {
            return std::make_unique<PagePanel>(id);
          }};
}

}  // namespace stepscope
