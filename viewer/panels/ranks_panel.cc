// Ranks: which host or rank of a job is late, by how much, and why.
#include <imgui.h>

#include <vector>

#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

class RanksPanel final : public AnalysisPanel {
 public:
  RanksPanel() : AnalysisPanel("ranks", "Matching collectives between ranks") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  TablePages pages_;
};

void RanksPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                            uint64_t key) {
  if (!result.findings.empty()) DrawHeadline(context, result.findings.front());
  {
    const FaceScope small(context, Face::kUi);
    for (const Property& property : result.properties) {
      if (std::holds_alternative<std::monostate>(property.value)) continue;
      TextIn(context, Role::kText2, property.label);
      if (!property.how.empty()) ImGui::SetItemTooltip("%s", property.how.c_str());
      ImGui::SameLine(0, BaseEm() * 0.4f);
      TextIn(context, Role::kText, FormatValue(property.value, property.unit));
      ImGui::SameLine(0, BaseEm() * 1.6f);
    }
    ImGui::NewLine();
  }
  ImGui::Spacing();
  std::vector<TablePages::Page> pages;
  for (const ResultTable& table : result.tables) {
    TablePages::Page page{&table, key};
    page.options.total_row = false;
    pages.push_back(page);
  }
  pages_.Draw(context, pages, "No collectives were recorded that ranks have in common.");
}

}  // namespace

std::unique_ptr<Panel> MakeRanksPanel() { return std::make_unique<RanksPanel>(); }

}  // namespace stepscope
