// Findings: what to fix first, how much of a step that saves, and where it is. A click shows the
// events; beside the list stand what-if, the causes of idle time, and each interval.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/findings/findings.h"
#include "model/analysis/grouping/flow_index.h"
#include "viewer/core/state/settings.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/row_events.h"

namespace stepscope {
namespace {

class FindingsPanel final : public AnalysisPanel {
 public:
  FindingsPanel() : AnalysisPanel("findings", "Looking for what to fix") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void DrawList(const PanelContext& context, const Findings& findings);
  void DrawFinding(const PanelContext& context, const RankedFinding& found, int index);
  void DrawMore(const PanelContext& context, const RankedFinding& found);
  void DrawMuted(const PanelContext& context, size_t hidden);
  void DrawMuteMenu(const PanelContext& context, std::string_view rule);
  const ProgramId& Program(const PanelContext& context);
  bool IsMuted(const PanelContext& context, const MutedRules& muted, std::string_view rule);
  static void DrawLinks(const PanelContext& context);
  void DrawTables(const PanelContext& context, const AnalysisResult& result, uint64_t key);

  double step_ms_ = 0;  // an average step; 0: not known
  int open_ = -1;       // index of the finding whose assumption and remedy are shown
  uint64_t key_ = 0;
  bool show_muted_ = false;
  std::shared_ptr<const Trace> program_of_;
  ProgramId program_{};
  TablePages pages_;
};

void Keep(const PanelContext& context, const MutedRules& muted) {
  context.commands.PushSetting(&Settings::muted, muted);
}

Rgba ColorOf(const PanelContext& context, const RankedFinding& found) {
  return context.theme[GradeRole(GradeOf(found.severity))];
}

void ShowFinding(const PanelContext& context, const RankedFinding& found) {
  CommandArgs args;
  args.profile = context.profile->id;
  args.range = found.link.range;
  AddEvents(context.profile->id, found.link, &args);
  ShowEvents(context.commands, std::move(args));
}

std::string MsText(double ms) {
  return WithoutZeros(FormatDuration(static_cast<Ps>(ms * static_cast<double>(kPsPerMs)), 3));
}

// A step as a bar, and as a paler one what of it would be saved.
struct StepBar {
  double step = 0, saving = 0;  // ms
  Rgba color = 0;               // of what is saved
  float Rest(float width) const {
    return width * static_cast<float>(std::clamp((step - saving) / step, 0.0, 1.0));
  }
};

void DrawStep(const PanelContext& context, const StepBar& bar, ImVec2 at, ImVec2 size) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rest = std::floor(bar.Rest(size.x));
  DrawBox(list, at.x, at.y, rest, size.y, context.theme[Kind::kOther]);
  DrawBox(list, at.x + rest, at.y, std::max(1.0f, size.x - rest), size.y, bar.color);
}

// The step before and after: two bars with their lengths.
void DrawBeforeAndAfter(const PanelContext& context, const StepBar& bar) {
  const FaceScope small(context, Face::kUi);
  const float em = BaseEm(), label = em * 5.5f, number = em * 8;
  const float width = std::max(em, ImGui::GetContentRegionAvail().x - label - number);
  const float line = ImGui::GetTextLineHeight(), high = std::floor(line * 0.6f);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto row = [&](const char* name, double ms, const StepBar& shown, float part) {
    const ImVec2 p = ImGui::GetCursorScreenPos();
    list->AddText(p, context.theme[Role::kText2], name);
    DrawStep(context, shown, {p.x + label, p.y + std::floor((line - high) * 0.5f)}, {part, high});
    const FaceScope mono(context, Face::kMono);
    DrawRight(list, p.x + label + width + number - em * 0.4f, p.y, context.theme[Role::kText],
              MsText(ms));
    ImGui::Dummy({label + width + number, line});
  };
  row("Now", bar.step, bar, width);
  row("Without it", bar.step - bar.saving, {bar.step, 0, context.theme[Kind::kOther]},
      bar.Rest(width));
}

// Draws the assumption, the remedy, the guide's section, and the buttons of a finding.
void FindingsPanel::DrawMore(const PanelContext& context, const RankedFinding& found) {
  if (found.saving_ms > 0 && step_ms_ > 0)
    DrawBeforeAndAfter(context, {step_ms_, found.saving_ms, ColorOf(context, found)});
  const FaceScope small(context, Face::kUi);
  const std::string& steps = found.step_numbers;
  WrappedIn(context, Role::kText, found.remedy);
  WrappedIn(context, Role::kText2, found.assumption);
  std::string where;
  if (!found.device_names.empty()) where += "On " + found.device_names;
  if (!steps.empty()) {
    const bool one = steps.find_first_not_of("0123456789") == std::string::npos;
    where += (where.empty() ? "In step" : ", in step") + std::string(one ? " " : "s ");
    where += steps;
  }
  if (!where.empty()) WrappedIn(context, Role::kText3, where);
  // The guide is TensorFlow's: its sections say nothing to a program of PyTorch.
  const Trace* trace = context.profile != nullptr ? context.profile->trace.get() : nullptr;
  if (trace == nullptr || !trace->kineto)
    WrappedIn(context, Role::kText3, std::string("Guide: ") + found.rule->guide);
  if (ImGui::SmallButton("Show on the timeline")) ShowFinding(context, found);
  ImGui::SetItemTooltip("N and Shift+N go through its events");
  ImGui::SameLine();
  if (ImGui::SmallButton("Mute\u2026")) ImGui::OpenPopup("mute");
  if (ImGui::BeginPopup("mute")) {
    DrawMuteMenu(context, found.rule->id);
    ImGui::EndPopup();
  }
  ImGui::Spacing();
}

// Computed once for a profile, and only if a rule is muted by program.
const ProgramId& FindingsPanel::Program(const PanelContext& context) {
  if (program_of_ != context.profile->trace) {
    program_of_ = context.profile->trace;
    program_ = program_of_ != nullptr ? ProgramOf(program_of_->names()) : ProgramId{};
  }
  return program_;
}

bool FindingsPanel::IsMuted(const PanelContext& context, const MutedRules& muted,
                            std::string_view rule) {
  if (muted.everywhere.contains(rule)) return true;
  return !muted.in_programs.empty() && muted.IsMutedIn(rule, Program(context));
}

void FindingsPanel::DrawMuteMenu(const PanelContext& context, std::string_view rule) {
  MutedRules muted = context.settings.muted;
  const bool is_muted = IsMuted(context, muted, rule);
  if (ImGui::MenuItem("Mute in this program", nullptr, false, !is_muted)) {
    muted.MuteIn(rule, Program(context));
    Keep(context, muted);
  }
  ImGui::SetItemTooltip("Hides it in profiles whose events have mostly the same names");
  if (ImGui::MenuItem("Mute in all profiles", nullptr, false, !muted.everywhere.contains(rule))) {
    muted.everywhere.emplace(rule);
    Keep(context, muted);
  }
  if (ImGui::MenuItem("Unmute", nullptr, false, is_muted)) {
    muted.Unmute(rule, Program(context));
    Keep(context, muted);
  }
}

void FindingsPanel::DrawFinding(const PanelContext& context, const RankedFinding& found,
                                int index) {
  const float em = BaseEm();
  const Finding::Grade grade = GradeOf(found.severity);
  const double saving = found.saving_ms;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, amount = em * 6.5f;
  const std::string title = WithUnitsKept(found.title);
  const float text_x = em * 1.7f, wrap = std::max(em * 8, width - text_x - amount);
  const ImVec2 text = ImGui::CalcTextSize(title.c_str(), nullptr, false, wrap);
  const bool open = open_ == index;
  const bool saves = saving > 0 && step_ms_ > 0 && !open;  // an open one has larger bars
  const float bar = std::floor(em * 0.3f);
  const float height = text.y + em * 0.5f + (saves ? bar * 2 : 0);
  ImGui::PushID(index);
  if (ImGui::InvisibleButton("finding", {std::max(1.0f, width), height})) {
    open_ = open ? -1 : index;
    ShowFinding(context, found);
  }
  if (ImGui::BeginPopupContextItem("mute menu")) {
    DrawMuteMenu(context, found.rule->id);
    ImGui::EndPopup();
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered() || open) {
    DrawBox(list, p.x, p.y, width, height,
            context.theme[ImGui::IsItemHovered() ? Role::kHover : Role::kRaised], 3);
  }
  const Rgba color = ColorOf(context, found);
  const float y = p.y + em * 0.25f;
  if (saves) {
    const StepBar step{step_ms_, saving, color};
    DrawStep(context, step, {p.x + text_x, y + text.y + bar * 0.5f},
             {width - text_x - em * 0.4f, bar});
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
      ImGui::SetTooltip("A step of %s would take %s without it", MsText(step_ms_).c_str(),
                        MsText(step_ms_ - saving).c_str());
    }
  }
  DrawBox(list, p.x, p.y, 3, height, color);
  if (context.fonts.icons) list->AddText({p.x + em * 0.5f, y}, color, GradeIcon(grade));
  list->AddText(nullptr, 0, {p.x + text_x, y}, context.theme[Role::kText], title.c_str(), nullptr,
                wrap);
  if (saving > 0) {
    const FaceScope mono(context, Face::kMono);
    DrawRight(list, p.x + width - em * 0.4f, y, context.theme[Role::kText],
              "\u2212" + MsText(saving));
  }
  if (open) {
    ImGui::Indent(text_x);
    DrawMore(context, found);
    ImGui::Unindent(text_x);
  }
  ImGui::PopID();
}

void FindingsPanel::DrawMuted(const PanelContext& context, size_t hidden) {
  const FaceScope small(context, Face::kUi);
  const std::string text =
      std::to_string(hidden) + " muted: " + (show_muted_ ? "hide them" : "show them");
  if (hidden > 0 && LinkText(context, "##muted", text)) show_muted_ = !show_muted_;
}

void FindingsPanel::DrawList(const PanelContext& context, const Findings& findings) {
  const MutedRules& muted = context.settings.muted;
  size_t hidden = 0, shown = 0;
  for (size_t i = 0; i < findings.ranked.size(); ++i) {
    const bool is_muted = IsMuted(context, muted, findings.ranked[i].rule->id);
    hidden += is_muted ? 1 : 0;
    if (is_muted && !show_muted_) continue;
    ++shown;
    DrawFinding(context, findings.ranked[i], static_cast<int>(i));
  }
  if (shown == 0) {
    WrappedIn(context, Role::kText2,
              "Nothing to fix was found. The table of rules says what was looked for.");
  }
  DrawMuted(context, hidden);
}

constexpr const char* kWhatIfHidden[] = {"class"};
constexpr const char* kWhatIfFirst[] = {"change", "saving_ms_per_step", "percent", "step_ms"};

// Links to what else says why a step takes its time.
void FindingsPanel::DrawLinks(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  if (context.profile->flows != nullptr && context.profile->flows->size() > 0) {
    if (LinkText(context, "##path", "Show critical path"))
      context.commands.Push("path.show", {.profile = context.profile->id});
    ImGui::SameLine(0, BaseEm() * 1.2f);
  }
  if (LinkText(context, "##idle", "Why devices are idle"))
    context.commands.Push("panel.show",
                          {.text = "devices/idle_by_cause", .profile = context.pinned});
  ImGui::SameLine(0, BaseEm() * 1.2f);
  if (LinkText(context, "##step", "Where a step goes"))
    context.commands.Push("panel.show", {.text = "overview", .profile = context.pinned});
}

void FindingsPanel::DrawTables(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  std::vector<TablePages::Page> pages;
  for (const char* id : {"what_if", "gap_causes", "gaps", "rules"}) {
    const ResultTable* table = result.Table(id);
    if (table == nullptr) continue;
    TablePages::Page page{table, key};
    page.options.name_column = table->id.starts_with("gap") ? "cause" : "";
    page.options.total_row = false;
    page.of_step = table->id == "what_if";
    if (table->id == "what_if") {  // its text names the class already
      page.options.hidden_columns = kWhatIfHidden;
      page.options.first_columns = kWhatIfFirst;
    }
    pages.push_back(page);
  }
  DrawLinks(context);
  pages_.Draw(context, pages,
              "This profile has no steps and no devices, so there is nothing to compute.");
}

void FindingsPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  if (key != key_) open_ = -1;
  key_ = key;
  const Findings* findings = result.As<Findings>();
  if (findings == nullptr) {
    DrawEmpty(context, result.empty_reason.empty()
                           ? "There are no findings by XProf's definitions. Switch the setting "
                             "\"Definitions\" to Stepscope."
                           : result.empty_reason);
    return;
  }
  step_ms_ = findings->step_ms.value_or(0);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  const bool beside = room.x > em * 62;
  const ImVec2 list = beside ? ImVec2(room.x * 0.48f, 0) : ImVec2(0, room.y * 0.55f);
  ImGui::BeginChild("findings", list);
  SectionTitle(context, "Findings", "saving per step");
  DrawList(context, *findings);
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, em);
  ImGui::BeginChild("tables");
  DrawTables(context, result, key);
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeFindingsPanel() { return std::make_unique<FindingsPanel>(); }

}  // namespace stepscope
