// Diagnostics: what loading repaired, dropped or clipped, what the profiler complained about, and
// what was left unread: the table of `report --panel diagnostics`, and the chosen row in full.
#include <imgui.h>

#include <algorithm>

#include "model/analysis/pages/diagnostics_report.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr const char* kDiagnosticsHidden[] = {"id"};
constexpr ColoredWord kSeverities[] = {
    {"error", Role::kBad}, {"warning", Role::kWarning}, {"info", Role::kText2}};

class DiagnosticsPanel final : public AnalysisPanel {
 public:
  DiagnosticsPanel() : AnalysisPanel("diagnostics", "Reading the diagnostics") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  static void DrawInFull(const PanelContext& context, const Diagnostic& row);
  ResultTableView view_;
  uint64_t key_ = 0;
};

// A cell has one line; places and advice may need more.
void DiagnosticsPanel::DrawInFull(const PanelContext& context, const Diagnostic& row) {
  WrappedIn(context, Role::kText, row.text);
  const FaceScope small(context, Face::kUi);
  for (const std::string& place : row.first) WrappedIn(context, Role::kText2, place);
  const bool missing = row.id == kRemoteCut || row.id == kTruncated;
  if (context.profile->cut && missing && ImGui::Button("Load the rest"))
    context.commands.Push("file.load_rest", {.profile = context.profile->id});
}

void DiagnosticsPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                                  uint64_t key) {
  const auto* report = result.As<DiagnosticsReport>();
  if (report == nullptr || report->rows.empty() || result.tables.empty()) {
    DrawEmpty(context, "Nothing was repaired, dropped or clipped.");
    return;
  }
  const ResultTable& table = result.tables.front();
  TableOptions options;
  options.id = "diagnostics";
  options.noun = "kinds";
  options.hidden_columns = kDiagnosticsHidden;
  options.words = kSeverities;
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float full = std::clamp(avail.y * 0.3f, BaseEm() * 5, BaseEm() * 14);
  const float top = ImGui::GetCursorPosY();
  // The height is that of the rows: the toolbar above them has its own.
  options.height = std::max(avail.y - full - ImGui::GetFrameHeightWithSpacing(), BaseEm() * 6);
  view_.Draw(context, table, key, options);
  if (key != key_) view_.Select(table, 0);
  key_ = key;
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.3f));
  const float left = std::max(avail.y - (ImGui::GetCursorPosY() - top), BaseEm() * 3);
  ImGui::BeginChild("full", ImVec2(0, left));
  if (view_.current() >= 0) DrawInFull(context, report->rows[static_cast<size_t>(view_.current())]);
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeDiagnosticsPanel() { return std::make_unique<DiagnosticsPanel>(); }

}  // namespace stepscope
