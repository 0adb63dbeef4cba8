#include "viewer/panels/analysis_panel.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/allocator_history.h"
#include "model/analysis/fleet/fleet.h"
#include "model/analysis/pages/overview.h"
#include "model/base/digits.h"
#include "model/base/key_table.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr double kSpinnerDelay = 0.15;  // seconds: quicker answers need no spinner

// The serial number is unique over the results of all profiles and hosts.
uint64_t KeyOf(const PanelContext& context, const AnalysisResult& result) {
  return result.serial * 0x9e3779b97f4a7c15ull ^ context.session.generation;
}

// The text is centred vertically and wrapped at a readable width.
void CentredText(const PanelContext& context, std::string_view text) {
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float width = std::min(avail.x - Em() * 2, Em() * 46);
  const ImVec2 size = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, width);
  const ImVec2 start = ImGui::GetCursorPos();
  const float x = start.x + std::max(0.0f, (avail.x - size.x) * 0.5f);
  ImGui::SetCursorPos(
      ImVec2(std::floor(x), std::floor(start.y + std::max(0.0f, (avail.y - size.y) * 0.42f))));
  ImGui::PushTextWrapPos(x + width + 1);
  TextIn(context, Role::kText2, text);
  ImGui::PopTextWrapPos();
}

}  // namespace

const char* WhyNotAnalysed(const Profile& profile) {
  return profile.arriving ? "This page is made once all of the profile has come."
                          : "This profile has no events to analyse.";
}

void AnalysisPanel::Draw(const PanelContext& context) {
  waiting_ = false;
  if (context.profile == nullptr || !context.profile->trace) {
    CentredText(context,
                "No profile is open. File > Open file opens one, or drop one on the window.");
    return;
  }
  if (!context.profile->analysis) {
    CentredText(context, WhyNotAnalysed(*context.profile));
    return;
  }
  const AnalysisResult* result =
      context.analyses.Get(*context.profile, analysis_, Question(context));
  if (result == nullptr) {
    waiting_ = true;
    if (since_ <= 0) since_ = ImGui::GetTime();
    if (ImGui::GetTime() - since_ > kSpinnerDelay) DrawSpinner(context, doing_);
    return;
  }
  since_ = 0;
  if (!result->empty_reason.empty()) {
    DrawEmpty(context, result->empty_reason);
    return;
  }
  DrawResult(context, *result, KeyOf(context, *result));
}

void DrawEmpty(const PanelContext& context, const std::string& reason) {
  CentredText(context, reason);
}

void DrawSpinner(const PanelContext& context, const char* doing) {
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float radius = Em() * 0.7f;
  const float width = radius * 2 + Em() + TextWidth(doing) + TextWidth("\u2026");
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const ImVec2 centre(std::floor(p.x + std::max(0.0f, (avail.x - width) * 0.5f) + radius),
                      std::floor(p.y + avail.y * 0.42f));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddCircle(centre, radius, context.theme[Role::kLine], 0, 2.5f);
  const auto turn = static_cast<float>(std::fmod(ImGui::GetTime() * 5, 6.2831853));
  list->PathArcTo(centre, radius, turn, turn + 1.8f, 16);
  list->PathStroke(context.theme[Role::kAccent], 2.5f);
  const std::string text = std::string(doing) + "\u2026";
  list->AddText(ImVec2(centre.x + radius + Em(), centre.y - Em() * 0.5f),
                context.theme[Role::kText2], text.c_str());
}

Role GradeRole(Finding::Grade grade) {
  using enum Finding::Grade;
  constexpr std::pair<Finding::Grade, Role> kRoles[] = {
      {kGood, Role::kGood}, {kWarning, Role::kWarning}, {kBad, Role::kBad}};
  return FindValue(kRoles, grade, Role::kAccent);
}

const char* GradeIcon(Finding::Grade grade) {
  using enum Finding::Grade;
  constexpr std::pair<Finding::Grade, const char*> kIcons[] = {
      {kGood, icon::kOk}, {kWarning, icon::kWarn}, {kBad, icon::kWarn}};
  return FindValue(kIcons, grade, icon::kInfo);
}

void DrawHeadline(const PanelContext& context, const Finding& finding) {
  const bool icons = context.fonts.icons;
  {
    const FaceScope face(context, Face::kBold, 17);
    if (icons) {
      TextIn(context, GradeRole(finding.grade), GradeIcon(finding.grade));
      ImGui::SameLine(0, Em() * 0.5f);
    }
    WrappedIn(context, icons ? Role::kText : GradeRole(finding.grade), finding.text);
  }
  if (!finding.next_step.empty()) WrappedIn(context, Role::kText2, finding.next_step);
}

void DrawFindings(const PanelContext& context, std::span<const Finding> findings,
                  const char* own_panel) {
  const bool icons = context.fonts.icons;
  const float indent = std::floor(BaseEm() * 1.6f);
  int id = 0;
  for (const Finding& finding : findings) {
    const bool said = SaidInStrip(context, finding.text);
    if (said && finding.next_step.empty()) continue;
    ImGui::PushID(id++);
    const float x = ImGui::GetCursorPosX();
    TextIn(context, GradeRole(finding.grade), icons ? GradeIcon(finding.grade) : "!");
    ImGui::SameLine();
    ImGui::SetCursorPosX(x + indent);
    ImGui::BeginGroup();
    if (!said) WrappedIn(context, Role::kText, finding.text);
    const FaceScope small(context, Face::kUi);
    if (!finding.next_step.empty())
      WrappedIn(context, said ? Role::kText : Role::kText2, finding.next_step);
    const PanelDesc* panel = finding.panel == own_panel ? nullptr : FindPanel(finding.panel);
    if (panel != nullptr) {
      if (LinkText(context, "open", std::string("Open ") + panel->title))
        context.commands.Push("panel.show", {.text = finding.panel, .profile = context.pinned});
    }
    ImGui::EndGroup();
    ImGui::Dummy(ImVec2(0, BaseEm() * 0.25f));
    ImGui::PopID();
  }
}

const char* VerdictAnalysis(const Profile& profile) {
  if (FleetOf(*profile.trace) != nullptr) return "fleet";
  return HistoryOf(*profile.trace) != nullptr ? "memory_snapshot" : "overview";
}

bool ComparesProfiles(const PanelContext& context) {
  const Profile* profile = FindComparedProfile(context.profiles, context.view);
  const Profile* base = FindProfile(context.profiles, context.view.baseline);
  return profile != nullptr && base != nullptr && profile->analysis && base->analysis &&
         !AreSnapshotAndTrace(*base, *profile);
}

bool SaidInStrip(const PanelContext& context, std::string_view text) {
  if (context.profile == nullptr || !context.profile->trace || ComparesProfiles(context))
    return false;
  if (context.profile->id != context.view.active) return false;  // the strip is of the active one
  const AnalysisResult* result =
      context.analyses.Get(*context.profile, VerdictAnalysis(*context.profile), ParamsOf(context));
  return result != nullptr && !result->findings.empty() && result->findings.front().text == text;
}

void DrawBigNumber(const PanelContext& context, const Property& property, const char* label) {
  const double value = NumberOf(property.value);
  const NumberFormat format = FormatFor(property.unit, ValueType::kReal, std::fabs(value));
  std::array<char, 64> buffer{};
  ImGui::BeginGroup();
  {
    const FaceScope big(context, Face::kMonoBold, TypeSize::kBig);
    const std::string_view text =
        WriteNumber(value, {format.scale, format.decimals, "", ""}, buffer);
    TextIn(context, Role::kText, text);
  }
  ImGui::SameLine(0, BaseEm() * 0.4f);
  const float drop = BaseEm() * (TypeSize::kBig - TypeSize::kUi) / TypeSize::kUi * 0.8f;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + drop);
  const std::string unit = std::string(format.header) + format.suffix;
  TextIn(context, Role::kText2, unit + (unit.empty() ? "" : " ") + label);
  ImGui::EndGroup();
  if (!property.how.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
    ImGui::SetTooltip("%s: %s", property.label.c_str(), property.how.c_str());
  }
}

void DrawScopeOf(const PanelContext& context, const std::string& text, TimeRange range) {
  const FaceScope small(context, Face::kUi);
  // At the height of what stands before it on the line: a title, a note or a button.
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 before_min = ImGui::GetItemRectMin(), before_max = ImGui::GetItemRectMax();
  if (at.y < before_max.y && at.x >= before_max.x) {
    const float y = (before_min.y + before_max.y - ImGui::GetTextLineHeight()) / 2;
    ImGui::SetCursorScreenPos(ImVec2(at.x, std::max(at.y, std::floor(y))));
  }
  if (LinkText(context, "scope", text) && !range.empty())
    context.commands.Push("view.set_range", {.range = range, .profile = context.profile->id});
  ImGui::SetItemTooltip("The numbers are of this part. A click shows it on the timeline");
}

void DrawScope(const PanelContext& context) {
  const bool has = context.profile != nullptr && context.profile->trace && context.state != nullptr;
  if (!has || FleetOf(*context.profile->trace) != nullptr)
    return ImGui::Dummy(ImVec2(0, 0));  // ends the line that it would stand on
  const std::vector<RangeFilter>& filters = context.view.filters;
  const TimeRange range = filters.empty() ? context.profile->trace->span
                                          : context.state->map.ToTrace(context.view.Filter());
  const std::string length = FormatDuration(range.length(), 4);
  std::string text = filters.empty() ? "Whole trace" : "Only " + filters.back().label;
  if (filters.empty() || filters.back().label != length) text += ", " + length;
  if (!context.state->host.empty()) text += ", " + context.state->host;
  DrawScopeOf(context, text, range);
}

void DrawStepScope(const PanelContext& context, std::span<const Step> steps, size_t counted) {
  if (context.profile == nullptr || counted == 0) return ImGui::Dummy(ImVec2(0, 0));
  TimeRange all{kMaxPs, kMinPs};
  for (const Step& step : steps) {
    if (step.span.empty()) continue;
    all = {std::min(all.begin, step.span.begin), std::max(all.end, step.span.end)};
  }
  const std::string text =
      counted == 1 ? std::string("one step") : "average of " + Counted(counted, "steps");
  DrawScopeOf(context, text, all);
}

bool DrawAverageScope(const PanelContext& context) {
  if (context.profile == nullptr || !context.profile->analysis) return false;
  const AnalysisResult* result =
      context.analyses.Get(*context.profile, "overview", ParamsOf(context));
  const Overview* overview = result != nullptr ? result->As<Overview>() : nullptr;
  if (overview == nullptr || overview->as_xprof || overview->step_times.count == 0) return false;
  DrawStepScope(context, overview->db().steps, overview->step_times.count);
  return true;
}

void GoToRange(const PanelContext& context, TimeRange range) {
  CommandArgs args;
  if (context.profile != nullptr) args.profile = context.profile->id;
  const Ps margin = std::max<Ps>(range.length() / 20, 1);
  args.range = {SaturatingSub(range.begin, margin), SaturatingAdd(range.end, margin)};
  context.commands.Push("view.set_range", std::move(args));
}

void GoTo(const PanelContext& context, const RowLink& link) {
  if (!link.range.empty()) return GoToRange(context, link.range);
  if (link.rows.empty() || context.profile == nullptr) return;
  CommandArgs args{.profile = context.profile->id};
  args.event = {context.profile->id, link.set, link.rows.front()};
  context.commands.Push("select.reveal", std::move(args));
}

}  // namespace stepscope
