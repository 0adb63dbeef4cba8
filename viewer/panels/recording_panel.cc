// Recording: what was recorded, by which program, and what is missing: the table of `report --page
// recording`, and the chosen row in full.
#include <imgui.h>

#include <algorithm>

#include "model/analysis/recording/recording.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr const char* kRecordingHidden[] = {"id"};
constexpr ColoredWord kStates[] = {
    {"recorded", Role::kText}, {"absent", Role::kText2}, {"incomplete", Role::kWarning}};

class RecordingPanel final : public AnalysisPanel {
 public:
  RecordingPanel() : AnalysisPanel("recording", "Looking at what was recorded") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  ResultTableView view_;
};

void RecordingPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                                uint64_t key) {
  const auto* recording = result.As<Recording>();
  const ResultTable* table = result.Table("recording");
  if (recording == nullptr || table == nullptr) return;
  TableOptions options;
  options.id = "recording";
  options.noun = "facts";
  options.name_column = "fact";
  options.hidden_columns = kRecordingHidden;
  options.words = kStates;
  options.total_row = false;
  options.height =
      std::max(ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing(), BaseEm() * 6);
  view_.Draw(context, *table, key, options);
}

}  // namespace

std::unique_ptr<Panel> MakeRecordingPanel() { return std::make_unique<RecordingPanel>(); }

}  // namespace stepscope
