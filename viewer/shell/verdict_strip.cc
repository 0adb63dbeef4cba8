#include "viewer/shell/verdict_strip.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "model/analysis/naming/short_label.h"
#include "model/analysis/pages/overview.h"
#include "model/analysis/tables/cells.h"
#include "model/base/digits.h"
#include "model/compare/compare.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/step_chart.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

std::string MsText(double ms) {
  const double most = 1e9;  // a day and more; a damaged profile may have any time
  return WithoutZeros(FormatDuration(
      static_cast<Ps>(std::clamp(ms, -most, most) * static_cast<double>(kPsPerMs)), 3));
}

// The largest part of the change: "Conv2D slower, +1.15 ms". Empty if there is none.
std::string CauseOf(const compare::StepComparison& found) {
  const double change = found.change.delta();
  for (const compare::Contribution& c : found.found.rows) {
    const double ms = c.delta_ms();
    if (!std::isfinite(ms) || ms == 0 || (change != 0 && (ms > 0) != (change > 0))) continue;
    return fmt::format("{} {}, {}{}", InSentence(c.name), IdOf(c.change), ms > 0 ? "+" : "",
                       MsText(ms));
  }
  return {};
}

ComparisonVerdict OfMemory(const compare::SnapshotComparison& found) {
  const int64_t delta = found.delta();
  ComparisonVerdict out;
  if (delta == 0) {
    out.text = "B holds as much memory at the peak as A.";
    return out;
  }
  out.text = fmt::format("B holds {} {} at the peak than A.",
                         FormatValue(Value(std::abs(static_cast<double>(delta))), Unit::kBytes),
                         delta > 0 ? "more" : "less");
  out.role = delta > 0 ? Role::kSlower : Role::kFaster;
  return out;
}

ComparisonVerdict OfSteps(const compare::StepComparison& found) {
  const compare::StepChange& change = found.change;
  const double delta = change.delta();
  ComparisonVerdict out;
  out.ms_a = change.a.median, out.ms_b = change.b.median;
  // A change of many times A has no percentage.
  const std::optional<double> percent = change.percent();
  const std::string size =
      MsText(std::abs(delta)) + (percent ? " (" + PercentText(std::abs(*percent), 1) + ")" : "");
  const char* direction = delta > 0 ? "longer" : "less";
  if (!found.found.same_program()) {
    out.text = fmt::format("A and B are hardly the same program: they share {} of their work.",
                           PercentText(found.found.shared_percent, 0));
  } else if (delta == 0) {
    out.text = "A step takes as long in B as in A.";
  } else if (change.test.significance == compare::Significance::kNone) {
    out.text = fmt::format("B takes {} {} a step than A, which may be chance.", size, direction);
  } else {
    const std::string cause = CauseOf(found);
    out.text = fmt::format("B takes {} {} a step than A{}{}.", size, direction,
                           cause.empty() ? "" : ": ", cause);
    out.role = delta > 0 ? Role::kSlower : Role::kFaster;
  }
  return out;
}

}  // namespace

ComparisonVerdict VerdictOf(const AnalysisResult& result) {
  if (const auto* steps = result.As<compare::StepComparison>()) return OfSteps(*steps);
  if (const auto* memory = result.As<compare::SnapshotComparison>()) return OfMemory(*memory);
  return {};
}

namespace {

// Draws a label in secondary colour and its number. Returns the x after it, or `x` if it
// does not fit.
float Number(const PanelContext& context, float x, float y, float right, const char* label,
             const std::string& value) {
  const float gap = BaseEm() * 0.5f;
  float label_width = 0, value_width = 0;
  {
    const FaceScope ui(context, Face::kUi);
    label_width = TextWidth(label);
  }
  const FaceScope mono(context, Face::kMonoBold);
  value_width = TextWidth(value);
  if (x + label_width + gap + value_width > right) return x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  {
    const FaceScope ui(context, Face::kUi);
    list->AddText(ImVec2(std::floor(x), y), context.theme[Role::kText2], label);
  }
  list->AddText(ImVec2(std::floor(x + label_width + gap), y), context.theme[Role::kText],
                value.c_str());
  return x + label_width + gap + value_width + BaseEm() * 1.6f;
}

// Adds what the device computes, what it copies and fills itself, then the losses by size.
void AddParts(const Verdict& verdict, VerdictSums* sums) {
  double rest = 100;
  for (const Loss& loss : verdict.losses) rest -= loss.percent;
  const double copying = verdict.on_device_percent;
  sums->compute_percent = std::max(0.0, rest - copying);
  // The same on a CPU: the colour of host work would look like a loss.
  sums->parts.push_back({Kind::kDeviceCompute, sums->compute_percent});
  if (copying > 0) sums->parts.push_back({Kind::kDeviceToDevice, copying});
  for (const Loss& loss : verdict.losses)
    sums->parts.push_back({LossKind(loss.part), loss.percent});
}

// By XProf's definitions: the nine classes, added up over whole steps.
void AddClasses(std::span<const Step> steps, VerdictSums* sums) {
  constexpr size_t kMostSteps = 2000;  // enough for a mean
  steps = steps.first(std::min(kMostSteps, steps.size()));
  double whole = 0, compute = 0;
  const auto of_compute = sums->device ? &StepBreakdown::compute : &StepBreakdown::host_compute;
  for (const Step& step : steps) whole += step.times.total, compute += step.times.*of_compute;
  if (whole > 0) sums->compute_percent = 100 * compute / whole;
  for (const StepClassMs& c : DivideSteps(steps, true)) {
    double sum = 0;
    for (size_t i = 0; i < steps.size(); ++i) sum += steps[i].partial ? 0 : c.ms[i];
    sums->parts.push_back({c.of.kind, sum});
  }
}

// Draws where the time of an average step goes, as one bar.
float ClassBar(const PanelContext& context, std::span<const VerdictSums::Part> parts, float x,
               float y, float width) {
  double all = 0;
  for (const VerdictSums::Part& part : parts) all += part.size;
  if (all <= 0) return x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = std::floor(BaseEm() * 0.5f);
  float from = x;
  double sum = 0;
  for (const VerdictSums::Part& part : parts) {
    sum += part.size;
    const float to = x + static_cast<float>(sum / all) * width;
    if (to - from >= 0.5f) {
      DrawBox(list, from, y - height * 0.5f, std::max(1.0f, to - from - 1), height,
              context.theme[part.kind]);
      from = to;
    }
  }
  return x + width + BaseEm() * 1.6f;
}

// The diagnostic of a file that ends too early, or null.
const Diagnostic* CutOff(const Trace& trace) {
  for (const Diagnostic& d : trace.diagnostics.rows()) {
    if (d.id.find("truncated") != std::string::npos && d.severity != Severity::kInfo) return &d;
  }
  return nullptr;
}

// A chip about what all numbers of the window depend on; a click runs the command.
struct Notice {
  const char* label;
  std::string tooltip;
  const char* icon;  // null: none
  Role role;
  CommandId command;
  CommandArgs args;
};

// Draws it left of `right`. Returns its x.
float DrawNotice(const PanelContext& context, const Notice& notice, float right, float top) {
  const FaceScope bold(context, Face::kBold);
  const std::string text = context.fonts.icons && notice.icon != nullptr
                               ? std::string(notice.icon) + "  " + notice.label
                               : std::string(notice.label);
  const float em = Em(), width = TextWidth(text) + std::floor(em * 1.2f);
  const float box = std::floor(em * 1.7f);
  const float y = std::floor(top + (VerdictStripHeight() - box) * 0.5f), left = right - width;
  ImGui::SetCursorScreenPos(ImVec2(left, y));
  ImGui::PushID(notice.label);
  if (ImGui::InvisibleButton("notice", ImVec2(width, box)))
    context.commands.Push(notice.command, notice.args);
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawBox(list, left, y, width, box, context.theme[hovered ? Role::kHover : Role::kRaised], 4);
  list->AddText(ImVec2(left + em * 0.6f, std::floor(y + (box - ImGui::GetTextLineHeight()) * 0.5f)),
                context.theme[notice.role], text.c_str());
  if (hovered) WrappedTooltip(notice.tooltip);
  return left - em * 0.5f;
}

float DrawWarning(const PanelContext& context, const char* label, const std::string& tooltip,
                  const char* panel, float right, float top) {
  return DrawNotice(
      context,
      {label, tooltip, icon::kWarn, Role::kWarning, "panel.show", CommandArgs{.text = panel}},
      right, top);
}

// The text with its places below it, and how many more there are.
std::string PlacesText(const Diagnostic& diagnostic) {
  std::string text = diagnostic.text;
  for (const std::string& place : diagnostic.first) text += "\n" + place;
  const uint64_t more =
      diagnostic.count - std::min<uint64_t>(diagnostic.count, diagnostic.first.size());
  return more > 0 ? text + fmt::format("\nand {} more", more) : text;
}

// Offers what is missing of a profile whose connection broke. Returns the x of the first chip.
float DrawRest(const PanelContext& context, float right, float top) {
  const Profile& profile = *context.profile;
  if (context.session.loading && context.session.loading->previewed) return right;  // it comes
  const Notice rest = {
      "Load the rest",  "Gets what had not come from the other machine when the connection broke",
      nullptr,          Role::kAccent,
      "file.load_rest", {.profile = profile.id}};
  right = DrawNotice(context, rest, right, top);
  const Diagnostic* cut = profile.diagnostics().Find(kRemoteCut);
  const std::string what = cut == nullptr
                               ? "The connection broke: a first picture of the profile has come"
                               : cut->text + "\n" + (cut->first.empty() ? "" : cut->first.front());
  return DrawWarning(context, "Incomplete profile", what, "diagnostics", right, top);
}

// Draws chips that the profile is incomplete, so that its numbers cover a part, and that a snapshot
// and a trace do not belong to one time. Returns the x of the first.
float DrawWarnings(const PanelContext& context, float right, float top) {
  if (context.profile->cut) {
    right = DrawRest(context, right, top);
  } else if (const Diagnostic* cut = CutOff(*context.profile->trace); cut != nullptr) {
    const std::string place = cut->first.empty() ? std::string() : "\n" + cut->first.front();
    const std::string what = cut->text + place + "\nWhat is shown is of the part that was read.";
    right = DrawWarning(context, "Incomplete file", what, "diagnostics", right, top);
  }
  if (const Diagnostic* missing = context.profile->diagnostics().Find(kMissingFile);
      missing != nullptr)
    right = DrawWarning(context, missing->count == 1 ? "File left out" : "Files left out",
                        PlacesText(*missing), "diagnostics", right, top);
  if (const std::string apart = WhyApart(context.profiles, context.view); !apart.empty())
    right = DrawWarning(context, "Clocks do not meet", apart, "memory_snapshot", right, top);
  return right;
}

// Draws a chip for each limit of the view, with a cross that ends it. Returns the x of the first.
float DrawChips(const PanelContext& context, float right, float top, float height) {
  struct Chip {
    std::string text, what;
    CommandId command;
  };
  std::vector<Chip> chips;
  const ViewState& view = context.view;
  if (!view.filters.empty()) {
    std::string all;
    for (const RangeFilter& filter : view.filters)
      all += (all.empty() ? "" : " \u203a ") + filter.label;
    chips.push_back(
        {"Only " + view.filters.back().label, "All panels are limited to " + all, "filter.pop"});
  }
  if (!view.measured.empty())
    chips.push_back({FormatDuration(view.measured.length(), 4), "Measured range", "measure.set"});
  if (!view.shown.empty()) {
    const size_t own = view.shown.recorded(), derived = view.shown.size() - own;
    std::string what = "Events shown bright; N and Shift+N go through them";
    if (own > 0 && derived > 0) what += ", and through " + Counted(derived, "derived rows");
    chips.push_back({own > 0 ? Counted(own, "events") : Counted(derived, "derived rows"),
                     std::move(what), "select.show_events"});
  }
  if (context.settings.definitions == Definitions::kXprof)
    chips.push_back({"As XProf", "Everything is computed as XProf does", "view.definitions"});
  if (context.state != nullptr && !context.state->only.empty())
    chips.push_back({Counted(context.state->only.size(), "tracks"), "Only these tracks are shown",
                     "track.only_selected"});
  if (context.state != nullptr && !context.state->track_filter.empty())
    chips.push_back({"Tracks: " + context.state->track_filter,
                     "Only tracks with these words are shown", "track.filter"});
  if (context.profile != nullptr && context.profile->clock_offsets != nullptr &&
      context.state != nullptr && !context.state->recorded_clocks) {
    const auto [least, most] = std::minmax_element(context.profile->clock_offsets->begin(),
                                                   context.profile->clock_offsets->end());
    chips.push_back({"Clocks aligned",
                     "Ranks are drawn on one clock, found by the ends of their collectives. As "
                     "recorded, their clocks differ by up to " +
                         FormatDuration(SaturatingSub(*most, *least), 4),
                     "view.align_clocks"});
  }
  const std::string host = context.state != nullptr ? context.state->host : std::string();
  if (!host.empty()) chips.push_back({host, "Only this host", "host.choose"});
  const FaceScope ui(context, Face::kUi);
  const bool icons = context.fonts.icons;
  const char* cross = icons ? icon::kClose : "x";
  const float em = Em(), box = std::floor(em * 1.7f), y = std::floor(top + (height - box) * 0.5f);
  for (size_t i = 0; i < chips.size(); ++i) {
    const float width =
        std::min(TextWidth(chips[i].text), em * 14) + TextWidth(cross) + std::floor(em * 1.8f);
    right -= width;
    ImGui::PushID(static_cast<int>(i));
    ImGui::SetCursorScreenPos(ImVec2(right, y));
    if (ImGui::InvisibleButton("chip", ImVec2(width, box))) context.commands.Push(chips[i].command);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) WrappedTooltip(chips[i].what + ": click ends it");
    ImGui::PopID();
    ImDrawList* list = ImGui::GetWindowDrawList();
    DrawBox(list, right, y, width, box, context.theme[hovered ? Role::kHover : Role::kAccentBg], 4);
    const float text_y = std::floor(y + (box - ImGui::GetTextLineHeight()) * 0.5f);
    const float end = right + width - em * 0.6f - TextWidth(cross);
    DrawCut(list, ImVec2(right + em * 0.6f, text_y), end - em * 0.4f, context.theme[Role::kAccent],
            chips[i].text);
    list->AddText(ImVec2(end, text_y), context.theme[Role::kAccent], cross);
    right -= em * 0.5f;
  }
  return right;
}

// The number of steps, and of those that the other numbers are of if these are fewer.
std::string StepsText(const Overview& overview) {
  const size_t steps = overview.db().steps.size(), counted = overview.step_times.count;
  std::string text = GroupDigits(steps);
  if (overview.hosts.size() > 1) text += " on " + GroupDigits(overview.hosts.size()) + " hosts";
  if (!overview.as_xprof && counted > 0 && counted < steps)
    text += ", " + GroupDigits(counted) + " counted";
  return text;
}

}  // namespace

float VerdictStripHeight() { return std::floor(BaseEm() * 2.6f); }

VerdictSums SumsOf(const AnalysisResult& result) {
  VerdictSums sums;
  sums.serial = result.serial;
  const Overview* overview = result.As<Overview>();
  if (overview == nullptr) return sums;
  sums.device = overview->device_type != "CPU";
  if (overview->as_xprof) {
    AddClasses(overview->db().steps, &sums);
  } else {
    AddParts(overview->verdict, &sums);
  }
  return sums;
}

namespace {

// The sentence at the left of the strip.
struct Sentence {
  std::string_view text;
  std::string tooltip;
  Rgba color = 0;
  const char* icon = icon::kInfo;
  std::string panel;  // that a click opens
};

// Returns the x behind it. The sentence comes first, because no other place shows it. Numbers take
// the room that is left.
float DrawSentence(const PanelContext& context, const Sentence& sentence, float right) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float em = BaseEm(), height = VerdictStripHeight();
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawBox(list, p.x, p.y, 3, height, sentence.color);
  const float middle = std::floor(p.y + height * 0.5f);
  float x = p.x + em;
  if (context.fonts.icons) {
    const FaceScope icon_face(context, Face::kUi, 16);
    list->AddText(ImVec2(x, std::floor(middle - Em() * 0.5f)), sentence.color, sentence.icon);
    x += em * 1.7f;
  }
  const FaceScope bold(context, Face::kBold, TypeSize::kTitle);
  const float y = std::floor(middle - ImGui::GetTextLineHeight() * 0.5f);
  DrawCut(list, ImVec2(x, y), right, context.theme[Role::kText], sentence.text);
  const float width = std::min(TextWidth(sentence.text), right - x);
  ImGui::SetCursorScreenPos(p);
  if (ImGui::InvisibleButton("##verdict", ImVec2(std::max(x + width - p.x, 1.0f), height)))
    context.commands.Push("panel.show", {.text = sentence.panel});
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    WrappedTooltip(sentence.tooltip);
  }
  return x + width + em * 2;
}

// The top of numbers in small type.
float NumbersTop(const PanelContext& context, float strip_top) {
  const float line = LineHeightIn(context, Face::kUi, TypeSize::kSmall);
  return std::floor(std::floor(strip_top + VerdictStripHeight() * 0.5f) - line * 0.5f);
}

std::string StepText(double ms) {
  const NumberFormat format = FormatFor(Unit::kMs, ValueType::kReal, ms);
  return NumberText(ms, format) + " " + format.header;
}

}  // namespace

void DrawVerdict(const PanelContext& context, const AnalysisResult& result, const VerdictSums& sums,
                 float right) {
  if (result.findings.empty()) return;
  const Finding& verdict = result.findings.front();
  const float top = ImGui::GetCursorScreenPos().y;
  const bool other = FindPanel(verdict.panel) != nullptr;
  float x =
      DrawSentence(context,
                   {.text = verdict.text,
                    .tooltip = verdict.next_step.empty() ? verdict.text
                                                         : verdict.text + "\n" + verdict.next_step,
                    .color = context.theme[GradeRole(verdict.grade)],
                    .icon = GradeIcon(verdict.grade),
                    .panel = other ? verdict.panel : "overview"},
                   right);
  const Overview* overview = result.As<Overview>();
  if (overview == nullptr || overview->step_times.mean <= 0) return;
  const float y = NumbersTop(context, top);
  x = Number(context, x, y, right, "Step", StepText(overview->step_ms()));
  x = Number(context, x, y, right, sums.device ? "Compute per step" : "CPU compute per step",
             PercentText(sums.compute_percent, 1));
  const float em = BaseEm(), middle = std::floor(top + VerdictStripHeight() * 0.5f);
  if (x + em * 12 < right) x = ClassBar(context, sums.parts, x, middle, em * 11);
  if (overview->bits16_percent)
    x = Number(context, x, y, right, "16-bit", PercentText(*overview->bits16_percent, 1));
  Number(context, x, y, right, "Steps", StepsText(*overview));
}

namespace {

void DrawWaiting(const PanelContext& context, float right, const char* what) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const FaceScope ui(context, Face::kUi);
  const float y = std::floor(p.y + (VerdictStripHeight() - ImGui::GetTextLineHeight()) * 0.5f);
  DrawCut(ImGui::GetWindowDrawList(), ImVec2(p.x + BaseEm(), y), right, context.theme[Role::kText2],
          what);
}

// Says how two profiles differ. Returns true while it waits for the comparison.
bool DrawComparison(const PanelContext& context, float right) {
  const Profile& a = *FindProfile(context.profiles, context.view.baseline);
  const Profile& b = *FindComparedProfile(context.profiles, context.view);
  const auto result =
      context.analyses.ShareComparison(a, b, {ParamsOf(context, a.id), ParamsOf(context, b.id)});
  if (result == nullptr) {
    DrawWaiting(context, right, "Comparing\u2026");
    return true;
  }
  const ImVec2 p = ImGui::GetCursorScreenPos();
  right = DrawChips(context, right, p.y, VerdictStripHeight()) - BaseEm();
  ImGui::SetCursorScreenPos(p);
  const ComparisonVerdict verdict = VerdictOf(*result);
  const std::string text = verdict.text.empty() ? result->empty_reason : verdict.text;
  const std::string summary = compare::SummaryOf(*result);
  float x = DrawSentence(context,
                         {.text = text,
                          .tooltip = summary.empty() ? text : summary,
                          .color = context.theme[verdict.role],
                          .icon = icon::kInfo,
                          .panel = "compare"},
                         right);
  if (verdict.ms_a <= 0 || verdict.ms_b <= 0) return false;
  const float y = NumbersTop(context, p.y);
  x = Number(context, x, y, right, "A", StepText(verdict.ms_a));
  Number(context, x, y, right, "B", StepText(verdict.ms_b));
  return false;
}

}  // namespace

bool DrawVerdictStrip(const PanelContext& context, VerdictSums* sums) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  float right = p.x + ImGui::GetContentRegionAvail().x - BaseEm();
  if (context.profile == nullptr || !context.profile->trace) return false;
  right = DrawWarnings(context, right, p.y);
  if (ComparesProfiles(context)) {
    ImGui::SetCursorScreenPos(p);
    return DrawComparison(context, right);
  }
  const char* analysis = VerdictAnalysis(*context.profile);
  const AnalysisResult* result =
      context.analyses.GetFirst(*context.profile, analysis, ParamsOf(context));
  if (result != nullptr) {
    if (sums->serial != result->serial) *sums = SumsOf(*result);
    const float chips = DrawChips(context, right, p.y, VerdictStripHeight());
    ImGui::SetCursorScreenPos(p);
    DrawVerdict(context, *result, *sums, chips - BaseEm());
    return false;
  }
  ImGui::SetCursorScreenPos(p);
  const bool steps = analysis == std::string_view("overview");
  DrawWaiting(context, right,
              context.profile->arriving
                  ? context.profile->cut
                        ? "A first picture: the profile is analysed once the rest is loaded"
                        : "A first picture: the profile is analysed once all of it has come\u2026"
              : analysis == std::string_view("fleet") ? "Putting ranks together\u2026"
              : steps                                 ? "Adding up the steps\u2026"
                                                      : "Adding up the allocations\u2026");
  return true;
}

bool DrawVerdictBar(const PanelContext& context, VerdictSums* sums) {
  if (context.profile == nullptr || !context.profile->trace) return false;
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_NoDocking;
  bool waiting = false;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, 0);  // the window was cleared with the panels' colour
  const bool open = ImGui::BeginViewportSideBar("##verdict_bar", ImGui::GetMainViewport(),
                                                ImGuiDir_Up, VerdictStripHeight(), kFlags);
  // Its tooltips have the padding of all other tooltips.
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (open) waiting = DrawVerdictStrip(context, sums);
  ImGui::End();
  return waiting;
}

}  // namespace stepscope
