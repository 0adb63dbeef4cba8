// HLO profile: where the time of XLA's programs went, as a tree by program, category or framework
// op, how much of the device's peaks each part used, and what of the time was wasted.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "model/analysis/pages/hlo_op_pages.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/xla/hlo_card.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/tree_table_view.h"

namespace stepscope {
namespace {

struct Mode {
  const char *label, *busy, *idle, *what;
};
constexpr Mode kModes[] = {  // in the order of HloProfile::trees
    {"Program", "by_program_exclude_idle", "by_program", "Program, category, op"},
    {"Category", "by_category_exclude_idle", "by_category", "Category, op"},
    {"Framework op", "by_provenance_exclude_idle", "by_provenance",
     "Program, the parts of the framework op's name, category, op"}};

constexpr const char* kColumns[] = {"time_percent", "wasted_percent", "flop_percent",
                                    "hbm_percent",  "total_time",     "occurrences",
                                    "avg_time",     "gflops",         "category"};
// Without peaks there are no shares of them.
constexpr const char* kColumnsWithoutPeaks[] = {"time_percent", "total_time", "occurrences",
                                                "avg_time",     "gflops",     "category"};

class HloProfilePanel final : public AnalysisPanel {
 public:
  HloProfilePanel() : AnalysisPanel("hlo_profile", "Adding up the ops of XLA's programs") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void TakePage(const PanelContext& context);
  void DrawChoices(const PanelContext& context, const DevicePeaks& peaks, const ResultTable& table);
  void DrawSide(const PanelContext& context, const HloProfile& profile, const ResultTable& table);
  TreeTableView& View() { return views_[mode_ * 2 + (idle_ ? 1 : 0)]; }

  std::array<TreeTableView, 2 * std::size(kModes)> views_;
  HloCard card_;
  PageRequest page_;
  size_t mode_ = 0;
  bool idle_ = false;
};

// "by_category", or "by_category/FILTER".
void HloProfilePanel::TakePage(const PanelContext& context) {
  const auto page = page_.Take(context, "hlo_profile");
  if (!page) return;
  const std::string_view tree = PanelOf(*page);
  for (size_t m = 0; m < std::size(kModes); ++m) {
    if (tree != kModes[m].busy && tree != kModes[m].idle) continue;
    mode_ = m;
    idle_ = tree == kModes[m].idle;
    View().SetFilter(PageOf(*page));
  }
}

void HloProfilePanel::DrawChoices(const PanelContext& context, const DevicePeaks& peaks,
                                  const ResultTable& table) {
  const FaceScope small(context, Face::kUi);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (size_t m = 0; m < std::size(kModes); ++m) {
    if (m > 0) ImGui::SameLine(0, Em() * 0.3f);
    if (ChoiceButton(context, kModes[m].label, m == mode_)) mode_ = m;
    ImGui::SetItemTooltip("%s", kModes[m].what);
  }
  ImGui::SameLine(0, Em());
  if (ChoiceButton(context, "Idle time", idle_)) idle_ = !idle_;
  ImGui::SetItemTooltip("Counts the time in which no op ran; shares are then of all the time.");
  ImGui::SameLine(0, Em());
  View().DrawToolbar(context, table);
  const std::string said = PeaksText(peaks);
  if (said.empty()) return;
  const float y = ImGui::GetItemRectMin().y + ImGui::GetStyle().FramePadding.y;
  if (right - ImGui::GetItemRectMax().x > TextWidth(said) + Em())
    DrawRight(ImGui::GetWindowDrawList(), right, y, context.theme[Role::kText2], said);
}

// The chosen op, or what the chosen part of the tree has.
void HloProfilePanel::DrawSide(const PanelContext& context, const HloProfile& profile,
                               const ResultTable& table) {
  const int current = View().current();
  if (current < 0 || static_cast<size_t>(current) >= table.size()) {
    const FaceScope small(context, Face::kUi);
    WrappedIn(
        context, Role::kText2,
        "Choose a row to see its numbers, its events, its source and its place in the program. "
        "Look first at ops that take and waste much time.");
    return;
  }
  const auto row = static_cast<size_t>(current);
  const HloTreeRow& node = profile.trees[mode_][idle_ ? 0 : 1][row];
  if (const HloOp* op = node.only_op())
    return card_.Draw(context, {op->program_id, node.name}, "hlo_profile");
  {
    const FaceScope bold(context, Face::kBold, TypeSize::kTitle);
    WrappedIn(context, Role::kText, node.shown());
  }
  for (const char* id : kColumns) {
    const int c = table.Column(id);
    const ColumnDesc& column = table.columns[static_cast<size_t>(std::max(c, 0))];
    if (c < 0 || column.type == ValueType::kString) continue;
    const double value = NumberOf(table.At(row, static_cast<size_t>(c)));
    if (!(value > 0)) continue;
    KeyValue(context, column.label,
             column.unit == Unit::kUs
                 ? MicrosText(value)
                 : NumberText(value, FormatFor(column.unit, column.type, value)),
             BaseEm() * 6.2f, true);
  }
}

void HloProfilePanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                                 uint64_t key) {
  TakePage(context);
  const auto shown = [&] { return result.Table(idle_ ? kModes[mode_].idle : kModes[mode_].busy); };
  const ResultTable* table = shown();
  const HloProfile* profile = result.As<HloProfile>();
  if (table == nullptr || profile == nullptr) return;
  const DevicePeaks& peaks = profile->ops->peaks;
  const float em = BaseEm(), width = ImGui::GetContentRegionAvail().x;
  if (width > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(width * 0.24f, em * 15, em * 30), 0));
    DrawSide(context, *profile, *table);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  }
  ImGui::BeginChild("tree");
  DrawChoices(context, peaks, *table);
  table = shown();  // a choice may have changed just now
  TreeTableOptions options{.id = table->id.c_str(), .size_column = "time_percent"};
  options.columns = kColumns;
  if (peaks.flops <= 0 && peaks.hbm <= 0) options.columns = kColumnsWithoutPeaks;
  View().Draw(context, *table, key, options);
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeHloProfilePanel() { return std::make_unique<HloProfilePanel>(); }

}  // namespace stepscope
