// Overview: the verdict, where a step goes, the steps, the ops that take the most time, and what to
// look at next.
#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>

#include "model/base/count_text.h"
#include "model/base/digits.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/step_chart.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/number_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr const char* kTopFirst[] = {"operation", "selfTimePercent", "cumulativeTimePercent",
                                     "category",  "tcEligibility",   "tcUtilization"};
constexpr const char* kTopHidden[] = {"flopRate"};

// Begins a column. It gets its own scrollbar when needed, which does not cover the numbers.
void BeginColumn(const char* id, float width) {
  const float bar = ImGui::GetStyle().ScrollbarSize + BaseEm() * 0.4f;
  ImGui::SetNextWindowContentSize(ImVec2(std::max(1.0f, width - bar), 0));
  ImGui::BeginChild(id, ImVec2(width, 0));
}

struct LossText {
  std::string id, label, causes;
  double percent = 0;
};

// Draws one item: label and share, a bar, and the causes below in small type.
void DrawLoss(const PanelContext& context, const LossText& loss) {
  const float em = BaseEm(), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float line = LineHeightIn(context, Face::kUi, TypeSize::kSmall);
  const float small_line = LineHeightIn(context, Face::kUi, TypeSize::kSlice);
  const float bar = std::floor(em * 0.4f), text = loss.causes.empty() ? 0 : small_line + em * 0.1f;
  const float height = std::floor(line + bar + text + em * 0.55f);
  ImGui::InvisibleButton("loss", ImVec2(std::max(1.0f, width), height));
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    DrawBox(list, p.x - em * 0.3f, p.y, width + em * 0.6f, height, context.theme[Role::kHover], 3);
  }
  {
    const FaceScope face(context, Face::kMono);
    DrawRight(list, p.x + width, p.y, context.theme[Role::kText],
              NumberText(loss.percent, {1, 1, "", " %"}).c_str());
  }
  {
    const FaceScope face(context, Face::kUi);
    DrawCut(list, p, p.x + width - em * 5, context.theme[Role::kText], loss.label);
  }
  const float y = std::floor(p.y + line + em * 0.1f);
  DrawBox(list, p.x, y, width, bar, context.theme[Role::kRaised], 2);
  const float filled = width * static_cast<float>(std::clamp(loss.percent / 100, 0.0, 1.0));
  DrawBox(list, p.x, y, std::max(2.0f, filled), bar, context.theme[LossKind(loss.id)], 2);
  if (!loss.causes.empty()) {
    const FaceScope face(context, Face::kUi, TypeSize::kSlice);
    DrawCut(list, ImVec2(p.x, y + bar + em * 0.1f), p.x + width, context.theme[Role::kText2],
            loss.causes);
  }
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
    WrappedTooltip(loss.label + ": " + NumberText(loss.percent, {1, 1, "", " %"}) + " of the step" +
                   (loss.causes.empty() ? "" : "\n" + loss.causes) +
                   "\nClick shows the longest interval on the timeline");
  }
}

class OverviewPanel final : public AnalysisPanel {
 public:
  OverviewPanel() : AnalysisPanel("overview", "Dividing steps into classes") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void DrawVerdict(const PanelContext& context, const AnalysisResult& result);
  void DrawLosses(const PanelContext& context, const AnalysisResult& result);
  void DrawBreakdown(const PanelContext& context);
  void DrawBreakdownRow(const PanelContext& context, Rgba color, const char* label,
                        const ClassSummary& value, bool strong);
  void DrawPlacement(const PanelContext& context, const AnalysisResult& result);
  void DrawMiddle(const PanelContext& context, const AnalysisResult& result, uint64_t key,
                  float height);
  void DrawNext(const PanelContext& context, const AnalysisResult& result);
  void DrawEnvironment(const PanelContext& context, const AnalysisResult& result);
  void DrawProblems(const PanelContext& context);

  StepChart chart_;
  ResultTableView top_ops_;
};

void OverviewPanel::DrawVerdict(const PanelContext& context, const AnalysisResult& result) {
  // The strip above the timeline shows the verdict, except for results made by hand.
  const Finding* verdict = result.findings.empty() ? nullptr : &result.findings.front();
  const bool said = verdict == nullptr || SaidInStrip(context, verdict->text);
  if (!said) DrawHeadline(context, *verdict);
  if (NumberIn(result, "steptime_ms_average") <= 0) return;
  if (!said) ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  const Property* median = result.Find("step_ms_median");  // XProf's definitions have none
  const Property* step = median != nullptr ? median : result.Find("steptime_ms_average");
  DrawBigNumber(context, step, "a step");
  const double ms = NumberOf(step->value);
  const Property rate{
      "steps_per_second", "Steps per second", 1000 / ms, Unit::kNone,
      median != nullptr ? "1000 / median step time in ms" : "1000 / average step time in ms"};
  const float avail = ImGui::GetContentRegionAvail().x;
  if (avail > BaseEm() * 20) ImGui::SameLine(std::floor(avail * 0.5f));
  DrawBigNumber(context, &rate, "steps a second");
  const FaceScope small(context, Face::kUi);
  if (chart_.counted() == 1) {
    WrappedIn(context, Role::kText2, "one step");
    return;
  }
  WrappedIn(context, Role::kText2,
            fmt::format("{}{:.3f} ms, \u03c3 {:.3f} ms, from {:.3f} to {:.3f} ms",
                        median != nullptr ? "median; mean " : "mean ",
                        NumberIn(result, "steptime_ms_average"),
                        NumberIn(result, "steptime_ms_standard_deviation"),
                        NumberIn(result, "steptime_ms_minimum"),
                        NumberIn(result, "steptime_ms_maximum")));
}

// Draws the losses by size as bars. A click goes to a loss's longest interval and marks the host's
// events.
void OverviewPanel::DrawLosses(const PanelContext& context, const AnalysisResult& result) {
  const ResultTable* losses = result.Table("losses");
  if (losses == nullptr || losses->rows.empty()) return;
  const int id = losses->Column("class"), label = losses->Column("label");
  const int percent = losses->Column("percent"), causes = losses->Column("causes");
  if (id < 0 || label < 0 || percent < 0 || causes < 0) return;
  Rule(context);
  SectionTitle(context, "What a step loses");
  constexpr size_t kMost = 6;
  constexpr double kLeast = 0.5;  // percent
  for (size_t r = 0; r < std::min(kMost, losses->rows.size()); ++r) {
    const auto cell = [&](int c) -> const Value& {
      return losses->rows[r][static_cast<size_t>(c)];
    };
    const double share = NumberOf(cell(percent));
    if (share < kLeast && r > 0) break;
    ImGui::PushID(static_cast<int>(r));
    DrawLoss(context, {RawValue(cell(id)), RawValue(cell(label)), RawValue(cell(causes)), share});
    if (ImGui::IsItemClicked()) GoToRow(context, *losses, static_cast<int>(r));
    ImGui::PopID();
  }
}

void OverviewPanel::DrawBreakdownRow(const PanelContext& context, Rgba color, const char* label,
                                     const ClassSummary& value, bool strong) {
  const FaceScope small(context, strong ? Face::kBold : Face::kUi);
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, chip = std::floor(Em() * 0.7f);
  const float right = p.x + width, line = std::floor(ImGui::GetTextLineHeight() * 1.45f);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (color != 0) DrawBox(list, p.x, p.y + Em() * 0.22f, chip, chip, color, 2);
  const bool narrow = width < BaseEm() * 21;  // deviations then give their room to names
  const float sigma = right - Em() * 4, ms = narrow ? sigma : right - Em() * 8.6f;
  DrawCut(list, ImVec2(p.x + Em() * 1.3f, p.y), ms - Em() * 3.2f, context.theme[Role::kText],
          label);
  const FaceScope mono(context, strong ? Face::kMonoBold : Face::kMono);
  std::array<char, 64> buffer{};
  DrawRight(list, ms, p.y, context.theme[Role::kText],
            WriteNumber(value.mean, {1, 3, "", ""}, buffer));
  if (!narrow)
    DrawRight(list, sigma, p.y, context.theme[Role::kText3],
              WriteNumber(value.deviation, {1, 3, "", ""}, buffer));
  const double whole = chart_.total().mean;
  DrawRight(list, right, p.y, context.theme[Role::kText2],
            WriteNumber(whole > 0 ? 100 * value.mean / whole : 0, {1, 1, "", ""}, buffer));
  ImGui::SetCursorScreenPos(p);
  ImGui::Dummy(ImVec2(width, line - ImGui::GetStyle().ItemSpacing.y));
}

void OverviewPanel::DrawBreakdown(const PanelContext& context) {
  if (chart_.counted() == 0) return;
  Rule(context);
  const std::string note = "average of " + Counted(chart_.counted(), "steps");
  SectionTitle(context, "Where a step goes", note.c_str());
  std::vector<RingSlice> shares;
  std::vector<ClassSummary> sums;
  double sum = 0;
  for (size_t i = 0; i < chart_.classes().size(); ++i) {
    const StepClass& c = chart_.classes()[i];
    const ClassSummary& of = chart_.sums()[i];
    if (of.mean <= 0) continue;
    shares.push_back({c.label, of.mean, context.theme[c.kind], -1});
    sums.push_back(of);
    sum += of.mean;
  }
  DrawShares(context, shares, std::max(sum, chart_.total().mean), std::floor(BaseEm()));
  {
    const FaceScope small(context, Face::kUi, TypeSize::kSlice);
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const float right = p.x + ImGui::GetContentRegionAvail().x,
                em = BaseEm() * TypeSize::kSmall / TypeSize::kUi;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool narrow = right - p.x < BaseEm() * 21;
    DrawRight(list, right - em * (narrow ? 4 : 8.6f), p.y, context.theme[Role::kText2], "ms");
    if (!narrow) DrawRight(list, right - em * 4, p.y, context.theme[Role::kText2], "\u03c3");
    DrawRight(list, right, p.y, context.theme[Role::kText2], "%");
    ImGui::Dummy(ImVec2(1, ImGui::GetTextLineHeight()));
  }
  for (size_t i = 0; i < shares.size(); ++i)
    DrawBreakdownRow(context, shares[i].color, shares[i].label.c_str(), sums[i], false);
  DrawBreakdownRow(context, 0, "Step", chart_.total(), true);
}

void OverviewPanel::DrawPlacement(const PanelContext& context, const AnalysisResult& result) {
  struct Row {
    const char* property;
    const char* label;
  };
  constexpr Row kRows[] = {{"device_compute_16bit_percent", "16-bit compute"},
                           {"device_compute_32bit_percent", "32-bit compute"},
                           {"host_tf_op_percent", "Ops on the host"},
                           {"device_tf_op_percent", "Ops on devices"},
                           {"host_op_time_eager_percent", "Eager, host"},
                           {"device_op_time_eager_percent", "Eager, devices"}};
  bool any = false;
  for (const Row& row : kRows) {
    const Property* p = result.Find(row.property);
    if (p == nullptr) continue;
    if (!any) {
      Rule(context);
      SectionTitle(context, "Precision and placement");
    }
    any = true;
    KeyValue(context, row.label, NumberText(NumberOf(p->value), {1, 1, "", " %"}), BaseEm() * 10,
             true);
    if (!p->how.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
      ImGui::SetTooltip("%s", p->how.c_str());
    }
  }
}

void OverviewPanel::DrawMiddle(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key, float height) {
  const float em = BaseEm(), top = ImGui::GetCursorPosY();
  const ResultTable* steps = result.Table("steps");
  const ResultTable* ops = result.Table("top_ops");
  const bool with_ops = ops != nullptr && !ops->rows.empty();
  const float ops_height =
      ResultTableView::HeightOf(context, std::max<size_t>(3, with_ops ? ops->rows.size() : 0));
  float chart = with_ops ? height - ops_height - em * 4 : height;
  chart = std::max(em * 10, std::min(chart, em * 34));
  if (steps != nullptr)
    chart_.Draw(context, *steps, ImVec2(ImGui::GetContentRegionAvail().x, chart));
  if (!with_ops) return;
  Rule(context);
  SectionTitle(context, "Ops that take the most device time");
  ImGui::SameLine(0, em * 1.2f);
  if (LinkText(context, "all ops", "All ops"))
    context.commands.Push("panel.show", {.text = "op_stats"});
  TableOptions options;
  options.id = "top ops";
  options.noun = "ops";
  options.name_column = "operation";
  options.shorten_names = true;
  options.first_columns = kTopFirst;
  options.hidden_columns = kTopHidden;
  options.toolbar = options.total_row = false;
  const float left = height - (ImGui::GetCursorPosY() - top);
  options.height = std::clamp(left, ops_height, ops_height + em * 2);
  top_ops_.Draw(context, *ops, key, options);
}

void OverviewPanel::DrawNext(const PanelContext& context, const AnalysisResult& result) {
  SectionTitle(context, "What to look at next");
  if (result.findings.empty()) {
    WrappedIn(context, Role::kText2, "Nothing stands out.");
    return;
  }
  DrawFindings(context, result.findings, "overview");
}

void OverviewPanel::DrawEnvironment(const PanelContext& context, const AnalysisResult& result) {
  Rule(context);
  SectionTitle(context, "Environment");
  const float x = BaseEm() * 8;
  const ResultTable* table = result.Table("environment");
  for (size_t r = 0; table != nullptr && r < table->rows.size(); ++r) {
    if (table->rows[r].size() < 2) continue;
    KeyValue(context, RawValue(table->rows[r][0]), RawValue(table->rows[r][1]), x, false);
  }
  const std::string how = TextOf(result, "steps_how");
  if (!how.empty() && chart_.counted() > 0) KeyValue(context, "Steps", how, x, false);
}

void OverviewPanel::DrawProblems(const PanelContext& context) {
  if (context.profile == nullptr || !context.profile->trace) return;
  const Diagnostics& diagnostics = context.profile->diagnostics();
  if (diagnostics.rows().empty()) return;
  Rule(context);
  SectionTitle(context, "Diagnostics");
  const FaceScope small(context, Face::kUi);
  constexpr size_t kMost = 4;
  for (size_t i = 0; i < std::min(kMost, diagnostics.rows().size()); ++i) {
    const Diagnostic& d = diagnostics.rows()[i];
    const Role role = d.severity == Severity::kInfo ? Role::kText2 : Role::kWarning;
    WrappedIn(context, role, GroupDigits(d.count) + "  " + d.text);
  }
  if (LinkText(context, "diagnostics", "All diagnostics"))
    context.commands.Push("panel.show", {.text = "diagnostics"});
}

void OverviewPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  if (result.Table("steps") != nullptr) chart_.Update(context, result, key);
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float em = BaseEm(), gap = em * 0.6f;
  const float side = std::clamp(avail.x * 0.25f, em * 18, em * 28);
  const bool three = avail.x > em * 82, two = avail.x > em * 52;
  if (two) {
    BeginColumn("verdict", side);
    DrawVerdict(context, result);
    DrawLosses(context, result);
    DrawBreakdown(context);
    // Without steps there is room below the verdict.
    const bool placement_here = !three || chart_.counted() == 0;
    if (placement_here) DrawPlacement(context, result);
    if (!three) {
      Rule(context);
      DrawNext(context, result);
      DrawEnvironment(context, result);
      DrawProblems(context);
    }
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    BeginColumn("steps", avail.x - (side + gap) * (three ? 2 : 1));
    DrawMiddle(context, result, key, ImGui::GetContentRegionAvail().y);
    ImGui::EndChild();
    if (three) {
      ImGui::SameLine(0, gap);
      BeginColumn("next", side);
      DrawNext(context, result);
      if (!placement_here) DrawPlacement(context, result);
      DrawEnvironment(context, result);
      DrawProblems(context);
      ImGui::EndChild();
    }
    return;
  }
  DrawVerdict(context, result);
  DrawLosses(context, result);
  Rule(context);
  DrawMiddle(context, result, key, em * 26);
  DrawBreakdown(context);
  DrawPlacement(context, result);
  Rule(context);
  DrawNext(context, result);
  DrawEnvironment(context, result);
  DrawProblems(context);
}

}  // namespace

std::unique_ptr<Panel> MakeOverviewPanel() { return std::make_unique<OverviewPanel>(); }

}  // namespace stepscope
