// Overview: the verdict, where a step goes, the steps, the ops that take the most time, and what to
// look at next.
#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>

#include "model/analysis/pages/overview.h"
#include "model/base/digits.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/step_chart.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr const char* kTopFirst[] = {"operation", "selfTimePercent", "cumulativeTimePercent",
                                     "category",  "tcEligibility",   "tcUtilization"};
constexpr const char* kTopHidden[] = {"flopRate"};
constexpr const char* kTypesHidden[] = {"largestPercent"};

// Begins a column. It gets its own scrollbar when needed, which does not cover the numbers.
void BeginColumn(const char* id, float width) {
  const float bar = ImGui::GetStyle().ScrollbarSize + BaseEm() * 0.4f;
  ImGui::SetNextWindowContentSize(ImVec2(std::max(1.0f, width - bar), 0));
  ImGui::BeginChild(id, ImVec2(width, 0));
}

// A row of the list "Where a step goes".
struct Part {
  Rgba color = 0;
  std::string label, causes = {};
  ClassSummary value = {};
  const Loss* loss = nullptr;  // null: it is no loss
};

class OverviewPanel final : public AnalysisPanel {
 public:
  OverviewPanel() : AnalysisPanel("overview", "Adding up the steps") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  static void DrawRecording(const PanelContext& context, const Recording& recording);
  void DrawVerdict(const PanelContext& context, const AnalysisResult& result,
                   const Overview& overview);
  std::vector<Part> PartsOf(const PanelContext& context, const Overview& overview) const;
  void DrawBreakdown(const PanelContext& context, const Overview& overview);
  void DrawBreakdownRow(const PanelContext& context, const Part& part, bool strong);
  // Names and causes get the room of the deviations; a single step has none.
  bool HidesDeviations(float width) const {
    return low_ || width < BaseEm() * 21 || chart_.counted() < 2;
  }
  void DrawTopOps(const PanelContext& context, const AnalysisResult& result, uint64_t key);
  void DrawPlacement(const PanelContext& context, const Overview& overview);
  void DrawMiddle(const PanelContext& context, const AnalysisResult& result,
                  const Overview& overview, uint64_t key, float height);
  void DrawNext(const PanelContext& context, const AnalysisResult& result);
  void DrawEnvironment(const PanelContext& context, const Overview& overview);
  void DrawProblems(const PanelContext& context);

  StepChart chart_;
  bool low_ = false;  // there is little height: causes stand beside their classes, not below
  ResultTableView top_types_, top_ops_;
};

// The card: who recorded what, and what is missing. A click shows the panel with all facts.
void OverviewPanel::DrawRecording(const PanelContext& context, const Recording& recording) {
  const FaceScope small(context, Face::kUi, TypeSize::kSlice);
  const bool lacks = recording.devices.part_missing || !recording.losses.empty();
  if (LinkText(context, "recording", "Recording"))
    context.commands.Push("panel.show", {.text = "recording"});
  ImGui::SameLine(0, BaseEm() * 0.6f);
  const std::string devices = recording.foreign() ? "" : "; " + recording.DevicesText();
  WrappedIn(context, Role::kText2, recording.RecorderText() + devices);
  const std::string absent = recording.AbsentText();
  if (!absent.empty()) WrappedIn(context, lacks ? Role::kWarning : Role::kText3, absent);
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
}

void OverviewPanel::DrawVerdict(const PanelContext& context, const AnalysisResult& result,
                                const Overview& overview) {
  if (overview.recording != nullptr && !overview.as_xprof)
    DrawRecording(context, *overview.recording);
  // The strip above the timeline shows the verdict, except for results made by hand.
  const Finding* verdict = result.findings.empty() ? nullptr : &result.findings.front();
  const bool said = verdict == nullptr || SaidInStrip(context, verdict->text);
  if (!said) DrawHeadline(context, *verdict);
  const StepSummary& times = overview.step_times;
  if (times.mean <= 0) return;
  if (!said) ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  const bool median = !overview.as_xprof;
  DrawBigNumber(context, StepTimeProperty(overview), "a step");
  const double ms = overview.step_ms();
  const Property rate{"steps_per_second", "Steps per second", 1000 / ms, Unit::kNone,
                      median ? "1000 / median step time in ms" : "1000 / average step time in ms"};
  const float avail = ImGui::GetContentRegionAvail().x;
  const bool wide = avail > BaseEm() * 20;  // else the rate is one of the small numbers
  if (wide) {
    ImGui::SameLine(std::floor(avail * 0.5f));
    DrawBigNumber(context, rate, "steps a second");
  }
  const FaceScope small(context, Face::kUi);
  const std::string speed = wide ? "" : fmt::format("{:.4g} steps a second; ", 1000 / ms);
  if (chart_.counted() == 1) {
    WrappedIn(context, Role::kText2, speed + "one step");
    return;
  }
  WrappedIn(context, Role::kText2,
            fmt::format("{}{}{:.3f} ms, \u03c3 {:.3f} ms, from {:.3f} to {:.3f} ms", speed,
                        median ? "median; mean " : "mean ", times.mean, times.deviation, times.min,
                        times.max));
}

// Divides an average step: the work first, then the losses by size.
std::vector<Part> OverviewPanel::PartsOf(const PanelContext& context,
                                         const Overview& overview) const {
  std::vector<Part> parts;
  for (size_t i = 0; i < chart_.classes().size(); ++i) {
    const StepClass& of = chart_.classes()[i];
    if (chart_.sums()[i].mean <= 0) continue;
    Part& part = parts.emplace_back();
    part = {.color = context.theme[of.kind], .label = of.label, .value = chart_.sums()[i]};
    for (const Loss& loss : overview.verdict.losses) {
      if (loss.part == of.part) part.causes = loss.CausesText(), part.loss = &loss;
    }
  }
  if (overview.as_xprof) return parts;  // nine classes, in XProf's order
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if ((a.loss == nullptr) != (b.loss == nullptr)) return a.loss == nullptr;
    return a.loss != nullptr && a.value.mean > b.value.mean;
  });
  return parts;
}

void OverviewPanel::DrawBreakdownRow(const PanelContext& context, const Part& part, bool strong) {
  const double whole = chart_.total().mean, percent = whole > 0 ? 100 * part.value.mean / whole : 0;
  constexpr double kLeast = 0.5;  // percent of the step from which on causes are worth a line
  const bool causes = !part.causes.empty() && percent >= kLeast;
  const bool below = causes && !low_;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, right = p.x + width;
  const float small_line = LineHeightIn(context, Face::kUi, TypeSize::kSlice);
  const FaceScope small(context, strong ? Face::kBold : Face::kUi);
  const float chip = std::floor(Em() * 0.7f), indent = Em() * 1.3f;
  const float line = std::floor(ImGui::GetTextLineHeight() * 1.45f);
  const float height = line + (below ? std::floor(small_line * 0.95f) : 0);
  ImGui::InvisibleButton("part", ImVec2(std::max(1.0f, width), height));
  const bool hovered = part.loss != nullptr && ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    DrawBox(list, p.x - 3, p.y - 2, width + 6, height, context.theme[Role::kHover], 3);
  }
  if (part.color != 0) DrawBox(list, p.x, p.y + Em() * 0.22f, chip, chip, part.color, 2);
  const bool narrow = HidesDeviations(width);
  const float sigma = right - Em() * 4, ms = narrow ? sigma : right - Em() * 8.6f;
  const float name_end = ms - Em() * 3.2f;
  DrawCut(list, ImVec2(p.x + indent, p.y), name_end, context.theme[Role::kText], part.label);
  if (causes) {
    const ImVec2 beside(p.x + indent + TextWidth(part.label) + Em() * 0.7f, p.y + Em() * 0.08f);
    const FaceScope face(context, Face::kUi, TypeSize::kSlice);
    const ImVec2 at = below ? ImVec2(p.x + indent, std::floor(p.y + small_line * 1.15f)) : beside;
    DrawCut(list, at, below ? right : name_end, context.theme[Role::kText2], part.causes);
  }
  const FaceScope mono(context, strong ? Face::kMonoBold : Face::kMono);
  std::array<char, 64> buffer{};
  DrawRight(list, ms, p.y, context.theme[Role::kText],
            WriteNumber(part.value.mean, {1, 3, "", ""}, buffer));
  if (!narrow)
    DrawRight(list, sigma, p.y, context.theme[Role::kText3],
              WriteNumber(part.value.deviation, {1, 3, "", ""}, buffer));
  DrawRight(list, right, p.y, context.theme[Role::kText2],
            WriteNumber(percent, {1, 1, "", ""}, buffer));
  if (hovered && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
    WrappedTooltip(part.label + ": " + PercentText(percent, 1) + " of the step" +
                   (part.causes.empty() ? "" : "\n" + part.causes) +
                   "\nClick shows the longest interval on the timeline");
  }
}

// Draws where a step goes: as one bar, and by class with the causes of what is lost. A click on a
// loss goes to its longest interval and marks the host's events.
void OverviewPanel::DrawBreakdown(const PanelContext& context, const Overview& overview) {
  if (chart_.counted() == 0) return;
  if (low_) {
    ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  } else {
    Rule(context);
  }
  SectionTitle(context, "Where a step goes");
  ImGui::SameLine(0, BaseEm());
  DrawStepScope(context, overview.db().steps, chart_.counted());
  const std::vector<Part> parts = PartsOf(context, overview);
  std::vector<RingSlice> shares;
  double sum = 0;
  for (const Part& part : parts) {
    shares.push_back({part.label, part.value.mean, part.color, -1});
    sum += part.value.mean;
  }
  DrawShares(context, shares, std::max(sum, chart_.total().mean), std::floor(BaseEm()));
  {
    const FaceScope small(context, Face::kUi, TypeSize::kSlice);
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const float right = p.x + ImGui::GetContentRegionAvail().x,
                em = BaseEm() * TypeSize::kSmall / TypeSize::kUi;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool narrow = HidesDeviations(right - p.x);
    DrawRight(list, right - em * (narrow ? 4 : 8.6f), p.y, context.theme[Role::kText2], "ms");
    if (!narrow) DrawRight(list, right - em * 4, p.y, context.theme[Role::kText2], "\u03c3");
    DrawRight(list, right, p.y, context.theme[Role::kText2], "%");
    ImGui::Dummy(ImVec2(1, ImGui::GetTextLineHeight()));
  }
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    DrawBreakdownRow(context, parts[i], false);
    if (parts[i].loss != nullptr && ImGui::IsItemClicked()) GoTo(context, parts[i].loss->link);
    ImGui::PopID();
  }
  DrawBreakdownRow(context, {.label = "Step", .value = chart_.total()}, true);
  ImGui::PopStyleVar();
}

void OverviewPanel::DrawPlacement(const PanelContext& context, const Overview& overview) {
  constexpr std::array kLabels = {"16-bit compute", "32-bit compute", "Ops on the host",
                                  "Ops on devices", "Eager, host",    "Eager, devices"};
  const std::vector<Property> properties = PlacementProperties(overview);
  bool any = false;
  for (size_t i = 0; i < properties.size(); ++i) {
    const Property& p = properties[i];
    if (std::holds_alternative<std::monostate>(p.value)) continue;
    if (!any) {
      Rule(context);
      SectionTitle(context, "Precision and placement");
    }
    any = true;
    KeyValue(context, kLabels[kLabels.size() - properties.size() + i],
             PercentText(NumberOf(p.value), 1), BaseEm() * 10, true);
    if (!p.how.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort))
      ImGui::SetTooltip("%s", p.how.c_str());
  }
}

// Draws the types of ops that take most device time, and below them the ops one by one. Where each
// type has one op, the ops alone say it.
void OverviewPanel::DrawTopOps(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  const ResultTable* types = result.Table("top_op_types");
  const ResultTable* ops = result.Table("top_ops");
  if (ops == nullptr || ops->empty()) return;
  const bool by_type = types != nullptr && types->size() < ops->size();
  TableOptions options;
  options.noun = "ops";
  options.shorten_names = true;
  options.toolbar = options.total_row = false;
  if (ImGui::GetCursorPosY() > BaseEm()) Rule(context);  // the chart is above
  SectionTitle(context, by_type ? "Types of ops that take the most device time"
                                : "Ops that take the most device time");
  ImGui::SameLine(0, BaseEm() * 1.2f);
  if (LinkText(context, "all ops", "All ops"))
    context.commands.Push("panel.show", {.text = "op_stats"});
  ImGui::SameLine(0, BaseEm() * 1.2f);
  DrawScope(context);
  if (by_type) {
    options.id = "top op types";
    options.name_column = "type";
    options.hidden_columns = kTypesHidden;
    options.height = ResultTableView::HeightOf(context, types->size());
    top_types_.Draw(context, *types, key, options);
    ImGui::Dummy(ImVec2(0, BaseEm() * 0.4f));
    SectionTitle(context, "The ops one by one");
  }
  options.id = "top ops";
  options.name_column = "operation";
  options.first_columns = kTopFirst;
  options.hidden_columns = kTopHidden;
  options.height = ResultTableView::HeightOf(context, ops->size());
  top_ops_.Draw(context, *ops, key, options);
}

void OverviewPanel::DrawMiddle(const PanelContext& context, const AnalysisResult& result,
                               const Overview& overview, uint64_t key, float height) {
  const float em = BaseEm();
  const size_t below = overview.as_xprof ? overview.top_ops.size() : overview.top_op_types.size();
  // The chart leaves room for the first table, but no more than half of the column. A table of
  // which hardly a row would be in sight follows below all that is.
  constexpr size_t kFewRows = 3;
  const float title = em * 4;
  const float table = below > 0 ? ResultTableView::HeightOf(context, below) + title : 0;
  const float few = ResultTableView::HeightOf(context, std::min(below, kFewRows)) + title;
  const bool fits = below > 0 && height - few > em * 12;
  const float chart = fits ? std::clamp(height - table, std::min(em * 34, height * 0.5f), em * 34)
                           : std::min(height, em * 34);
  // A chart of one step would say what the column beside it says.
  const bool one = chart_.bars().labels.size() == 1 && below > 0;
  if (!one)
    chart_.Draw(context, overview.db().steps,
                ImVec2(ImGui::GetContentRegionAvail().x, std::max(chart, em * 10)));
  DrawTopOps(context, result, key);
}

void OverviewPanel::DrawNext(const PanelContext& context, const AnalysisResult& result) {
  SectionTitle(context, "Next steps");
  if (result.findings.empty()) {
    WrappedIn(context, Role::kText2, "Nothing stands out.");
    return;
  }
  DrawFindings(context, result.findings, "overview");
}

void OverviewPanel::DrawEnvironment(const PanelContext& context, const Overview& overview) {
  Rule(context);
  SectionTitle(context, "Environment");
  const float x = BaseEm() * 8;
  for (const auto& [what, value] : overview.environment) KeyValue(context, what, value, x, false);
  const std::string& how = overview.db().how;
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
  const Overview* shown = result.As<Overview>();
  if (shown == nullptr) return;
  const Overview& overview = *shown;
  chart_.Update(context, overview.db().steps, overview.as_xprof, key);
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float em = BaseEm(), gap = em * 0.6f;
  const bool three = avail.x > em * 82, two = avail.x > em * 52;
  low_ = two && avail.y < em * 24;
  const float part = low_ && !three ? 0.36f : 0.25f;
  const float side = std::clamp(avail.x * part, em * 18, em * 28);
  if (two) {
    BeginColumn("verdict", side);
    DrawVerdict(context, result, overview);
    DrawBreakdown(context, overview);
    // Without steps there is room below the verdict.
    const bool placement_here = !three || chart_.counted() == 0;
    if (placement_here) DrawPlacement(context, overview);
    if (!three) {
      Rule(context);
      DrawNext(context, result);
      DrawEnvironment(context, overview);
      DrawProblems(context);
    }
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    BeginColumn("steps", avail.x - (side + gap) * (three ? 2 : 1));
    DrawMiddle(context, result, overview, key, ImGui::GetContentRegionAvail().y);
    ImGui::EndChild();
    if (three) {
      ImGui::SameLine(0, gap);
      BeginColumn("next", side);
      DrawNext(context, result);
      if (!placement_here) DrawPlacement(context, overview);
      DrawEnvironment(context, overview);
      DrawProblems(context);
      ImGui::EndChild();
    }
    return;
  }
  DrawVerdict(context, result, overview);
  DrawBreakdown(context, overview);
  Rule(context);
  DrawMiddle(context, result, overview, key, em * 26);
  DrawPlacement(context, overview);
  Rule(context);
  DrawNext(context, result);
  DrawEnvironment(context, overview);
  DrawProblems(context);
}

}  // namespace

std::unique_ptr<Panel> MakeOverviewPanel() { return std::make_unique<OverviewPanel>(); }

}  // namespace stepscope
