// Diagnostics: what loading repaired, dropped or clipped, and what was left unread.
#include <imgui.h>

#include <algorithm>
#include <string>

#include "viewer/analysis_cache.h"
#include "viewer/panels/panels.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

struct SeverityRow {
  Role role;
  const char* icon;
  const char* word;
};

SeverityRow Look(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return {Role::kText3, icon::kInfo, "note"};
    case Severity::kWarning:
      return {Role::kWarning, icon::kWarn, "warning"};
    case Severity::kError:
      return {Role::kBad, icon::kWarn, "error"};
  }
  return {Role::kText3, icon::kInfo, "note"};
}

bool Icons(const PanelContext& context) { return context.fonts != nullptr && context.fonts->icons; }

class DiagnosticsPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;

 private:
  static void DrawRow(const PanelContext& context, const Diagnostic& row);
  static void DrawExport(const PanelContext& context);
  static void DrawList(const char* title, const std::vector<std::string>& lines);
};

void DiagnosticsPanel::DrawRow(const PanelContext& context, const Diagnostic& row) {
  const SeverityRow look = Look(row.severity);
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(context.theme[look.role]);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextColored(color, "%s", Icons(context) ? look.icon : look.word);
  ImGui::SetItemTooltip("%s: %s", look.word, row.id.c_str());
  ImGui::TableNextColumn();
  {
    const FaceScope mono(context, Face::kMono);
    const std::string count =
        NumberText(static_cast<double>(row.count), FormatFor(Unit::kCount, ValueType::kInt, 1e9));
    const float width = ImGui::CalcTextSize(count.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
    ImGui::TextUnformatted(count.c_str());
  }
  ImGui::TableNextColumn();
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(row.text.c_str());
  for (const std::string& place : row.first) ImGui::TextDisabled("%s", place.c_str());
  ImGui::PopTextWrapPos();
}

void DiagnosticsPanel::DrawList(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  ImGui::SeparatorText(title);
  ImGui::PushTextWrapPos(0);
  for (const std::string& line : lines) ImGui::TextUnformatted(line.c_str());
  ImGui::PopTextWrapPos();
}

// The same table as `report --panel diagnostics` writes.
void DiagnosticsPanel::DrawExport(const PanelContext& context) {
  const AnalysisResult* result =
      context.run->analysis ? context.analyses.Get(*context.run, "diagnostics", {}) : nullptr;
  const ResultTable* table = result != nullptr ? result->Table("diagnostics") : nullptr;
  if (table == nullptr || table->rows.empty()) return;
  const FaceScope small(context, Face::kUi);
  const float width = TextWidth("Copy") + TextWidth("Export") + BaseEm() * 3;
  const ImVec2 p = ImGui::GetCursorPos();
  ImGui::SetCursorPosX(p.x + std::max(0.0f, ImGui::GetContentRegionAvail().x - width));
  if (ImGui::Button("Copy")) CopyChart(context, ToCsv(*table));
  ImGui::SameLine(0, Em() * 0.3f);
  if (ImGui::Button("Export")) SaveChart(context, "diagnostics", ".csv", ToCsv(*table));
}

void DiagnosticsPanel::Draw(const PanelContext& context) {
  if (context.run == nullptr) {
    ImGui::TextDisabled("Open a profile to see what loading it found.");
    return;
  }
  const Trace& trace = *context.run->trace;
  const bool nothing = trace.diagnostics.rows().empty() && trace.errors.empty() &&
                       trace.warnings.empty() && trace.skipped_files.empty();
  if (nothing) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(context.theme[Role::kGood]), "%s",
                       Icons(context) ? icon::kOk : "OK");
    ImGui::SameLine();
    ImGui::TextUnformatted(
        "Nothing was repaired, dropped or clipped, and no file was left unread.");
    return;
  }
  DrawExport(context);
  DrawList("Errors that the profiler recorded", trace.errors);
  DrawList("Warnings that the profiler recorded", trace.warnings);
  const ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit |
                                ImGuiTableFlags_NoSavedSettings;
  if (!trace.diagnostics.rows().empty() && ImGui::BeginTable("##rows", 3, flags)) {
    ImGui::TableSetupColumn("kind", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 1.3f);
    ImGui::TableSetupColumn("count", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 5);
    ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthStretch);
    for (const Diagnostic& row : trace.diagnostics.rows()) DrawRow(context, row);
    ImGui::EndTable();
  }
  DrawList("Files in the directory that were not read", trace.skipped_files);
}

}  // namespace

std::unique_ptr<Panel> MakeDiagnosticsPanel() { return std::make_unique<DiagnosticsPanel>(); }

}  // namespace stepscope
