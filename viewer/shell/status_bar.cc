// The status bar: the open profile, its size, load time and diagnostics, then view and cursor.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "model/analysis/fleet/fleet.h"
#include "model/base/digits.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

constexpr float kText = 12;

struct Line {
  const Pen& pen;
  float x, y;
  void Value(const std::string& value, std::string_view what) {
    x = pen.Text(pen.fonts.mono, kText, x, y, pen.theme[Role::kText], value) + pen.Px(5);
    x = pen.Text(pen.fonts.ui, kText, x, y, pen.theme[Role::kText2], what) + pen.Px(18);
  }
};

void DrawProfile(const ShellInput& input, const Profile& profile, Line* line) {
  const Pen& pen = line->pen;
  const uint64_t events = profile.trace->counts.events();
  if (profile.arriving)  // they stand for all events, which have not come yet
    return line->Value(GroupDigits(events), "slices of a first picture");
  if (const Fleet* fleet = FleetOf(*profile.trace)) {
    size_t ranks = 0;
    for (const FleetRun& run : fleet->runs) ranks += run.facts.size();
    line->Value(GroupDigits(ranks), NounFor(ranks, "ranks"));
    line->Value(GroupDigits(fleet->runs.size()), NounFor(fleet->runs.size(), "runs"));
  } else {
    line->Value(GroupDigits(events), NounFor(events, "events"));
    line->Value(BytesText(profile.trace->store_bytes()), "in memory");
  }
  line->Value(fmt::format("{:.2f} s", profile.load_seconds), "to load");
  const uint64_t problems = profile.trace->diagnostics.problems() + profile.trace->errors.size();
  const Role role = problems == 0 ? Role::kGood : Role::kWarning;
  const float begin = line->x;
  if (pen.fonts.icons) {
    line->x = pen.Text(pen.fonts.ui, kText, line->x, line->y, pen.theme[role],
                       problems == 0 ? icon::kOk : icon::kWarn) +
              pen.Px(5);
  }
  line->Value(GroupDigits(problems), NounFor(problems, "problems"));
  ImGui::SetCursorScreenPos({begin, line->y - pen.Px(4)});
  if (ImGui::InvisibleButton("##problems", {line->x - begin, pen.Px(20)}))
    input.panel.commands.Push("panel.show", {.text = "diagnostics"});
  ImGui::SetItemTooltip("What loading repaired, dropped or clipped");
}

// Says that programs of the user may move this window, which one did last, and ends it on a click.
void DrawAgents(const ShellInput& input, float right, Line* line) {
  const AgentsView& agents = input.panel.session.agents;
  if (!agents.allowed) return;
  const Pen& pen = line->pen;
  const std::string text =
      agents.who.empty() ? "Agents may move this window" : "Moved by " + agents.who;
  const float radius = pen.Px(4), room = right - pen.Px(64) - line->x;
  ImGui::GetWindowDrawList()->AddCircleFilled({line->x + radius, line->y + pen.Px(8)}, radius,
                                              pen.theme[Role::kWarning]);
  line->x += pen.Px(14);
  pen.TextFit(pen.fonts.ui, kText, line->x, line->x + room, line->y, pen.theme[Role::kText], text);
  line->x += std::min(room, pen.Width(pen.fonts.ui, kText, text)) + pen.Px(10);
  const float begin = line->x;
  line->x = pen.Text(pen.fonts.ui, kText, begin, line->y, pen.theme[Role::kAccent], "End");
  ImGui::SetCursorScreenPos({begin - pen.Px(4), line->y - pen.Px(4)});
  if (ImGui::InvisibleButton("End##agents", {line->x - begin + pen.Px(8), pen.Px(20)}))
    input.panel.commands.Push("app.agents");
  ImGui::SetItemTooltip("No program can move this window then");
  line->x += pen.Px(18);
}

// The digits that a time needs, so that neighbouring pixels of the view have different texts.
int DigitsOf(Ps t, TimeRange view) {
  constexpr Ps kPixels = 2000;
  constexpr int kLeast = 3, kMost = 12;
  int digits = 1;
  for (Ps n = (t < 0 ? -t : t) / std::max<Ps>(1, view.length() / kPixels); n > 0; n /= 10) ++digits;
  return std::clamp(digits, kLeast, kMost);
}

}  // namespace

void DrawStatusBar(const ShellInput& input) {
  const float height = ScaledSize(26);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, input.panel.theme[Role::kWindow]);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings |
                                 ImGuiWindowFlags_NoScrollWithMouse;
  const bool open = ImGui::BeginViewportSideBar("##status", nullptr, ImGuiDir_Down, height, flags);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  if (open) {
    const Pen pen = MakePen(input.panel.theme, input.panel.fonts);
    const ImVec2 p = ImGui::GetWindowPos();
    Line line{pen, p.x + pen.Px(14), p.y + pen.Px(6)};
    if (input.panel.profile != nullptr) {
      DrawProfile(input, *input.panel.profile, &line);
      DrawAgents(input, p.x + ImGui::GetWindowWidth() - pen.Px(320), &line);
      if (!input.note.empty()) {
        const float right = p.x + ImGui::GetWindowWidth() - pen.Px(430);
        pen.TextFit(pen.fonts.ui, kText, line.x, right, line.y, pen.theme[Role::kAccent],
                    input.note);
      }
      float right = p.x + ImGui::GetWindowWidth() - pen.Px(14);
      const auto value = [&](const char* what, const std::string& text, float room) {
        pen.TextRight(pen.fonts.mono, kText, right, line.y, pen.theme[Role::kText], text);
        pen.TextRight(pen.fonts.ui, kText, right - room, line.y, pen.theme[Role::kText2], what);
        right -= room + pen.Px(70);
      };
      // Fixed places: numbers that change with the mouse must not push each other about.
      const bool fleet = FleetOf(*input.panel.profile->trace) != nullptr;
      if (!fleet && right - line.x > pen.Px(420)) {
        value("Cursor",
              input.timeline.cursor_valid
                  ? FormatDuration(input.timeline.cursor,
                                   DigitsOf(input.timeline.cursor, input.displayed))
                  : std::string("\xE2\x80\x93"),
              pen.Px(120));
        value("View", FormatDuration(input.displayed.length(), 5), pen.Px(80));
      }
    } else {
      line.x = pen.Text(pen.fonts.ui, kText, line.x, line.y, pen.theme[Role::kText2],
                        "No profile open") +
               pen.Px(18);
      DrawAgents(input, p.x + ImGui::GetWindowWidth(), &line);
    }
  }
  ImGui::End();
}

}  // namespace stepscope
