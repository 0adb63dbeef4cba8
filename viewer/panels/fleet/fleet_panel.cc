// Fleet: what slows hundreds of ranks down, and how runs compare. Its map of ranks and steps takes
// the timeline's place while the fleet is the active profile.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/fleet/fleet_map.h"
#include "viewer/panels/fleet/fleet_trend.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

class FleetPanel final : public AnalysisPanel {
 public:
  FleetPanel() : AnalysisPanel("fleet", "Putting ranks together") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void DrawTables(const PanelContext& context, const AnalysisResult& result, uint64_t key);

  TablePages pages_;
  FleetMap map_;
  FleetTrend trend_;
};

void FleetPanel::DrawTables(const PanelContext& context, const AnalysisResult& result,
                            uint64_t key) {
  std::vector<TablePages::Page> pages;
  for (const ResultTable& table : result.tables) {
    TablePages::Page page{&table, key};
    page.options.total_row = false;
    if (table.id == "ranks") page.sort = "late_share_percent";
    pages.push_back(page);
  }
  pages_.Draw(context, pages, "No facts of ranks were found.");
}

void FleetPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                            uint64_t key) {
  DrawFindings(context, result.findings, "fleet");
  if (context.view.active != context.profile->id) map_.Draw(context, result, key, 0.55f);
  const FleetResult* found = result.As<FleetResult>();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::min(room.x * 0.36f, BaseEm() * 44);
  const bool trend =
      found != nullptr && found->runs.size() > 1 && width > BaseEm() * 20 && room.y > BaseEm() * 8;
  if (!trend) return DrawTables(context, result, key);
  const float beside = width + ImGui::GetStyle().ItemSpacing.x;
  if (ImGui::BeginChild("##tables", {room.x - beside, 0})) DrawTables(context, result, key);
  ImGui::EndChild();
  ImGui::SameLine();
  const Fleet& fleet = *FleetOf(context.profile->analysis->trace());
  trend_.Draw(context, fleet, found->runs, key, {width, room.y});
}

}  // namespace

std::unique_ptr<Panel> MakeFleetPanel() { return std::make_unique<FleetPanel>(); }

}  // namespace stepscope
