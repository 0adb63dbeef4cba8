// A frame of the window, and what the app asks of it.
#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/commands/keys.h"
#include "viewer/core/look/fonts.h"
#include "viewer/core/search/search.h"
#include "viewer/shell/shell.h"
#include "viewer/shell/verdict_strip.h"
#include "viewer/viewer_state.h"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;  // ImGui's own counts a frame as 0.1 s at most
constexpr std::chrono::seconds kNoteTime{4};

}  // namespace

Viewer::Viewer(AppServices& services, TexelSink* sink, ViewerConfig config)
    : state_(std::make_unique<State>(services, sink, std::move(config))) {
  State& s = *state_;
  s.settings = s.config.settings;
  services.SetDefinitions(s.settings.definitions);  // for profiles loaded before the first frame
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
  io.ConfigInputTextCursorBlink = false;  // an idle text box costs nothing
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  s.fonts = LoadFonts();
  s.bindings.Update(s.settings);
  s.keys = BoundKeys(s.bindings);
  s.ApplyLook();
}

Viewer::~Viewer() = default;

void Viewer::State::ApplyLook() {
  const float scale = config.content_scale * static_cast<float>(settings.scale);
  const ThemeKind kind = ThemeOf(settings, windows);
  if (looked_scale == scale && kind == theme.kind) return;
  looked_scale = scale;
  theme = MakeTheme(kind);
  ApplyStyle(theme, scale);
  names.SetTheme(theme);
  names.SetMeasure([font = fonts.ui](std::string_view text, float max_width, size_t* fit) {
    const char* end = nullptr;
    const float size = ScaledSize(TypeSize::kSlice);
    const char* begin = text.data();
    const float width = font->CalcTextSizeA(size, max_width, 0, begin, begin + text.size(), &end).x;
    if (fit != nullptr) *fit = static_cast<size_t>(end - begin);
    return width;
  });
  settle = 3;
}

void Viewer::State::HandleKeys(const ViewerContext& context) {
  if (bindings.Update(settings)) {
    keys = BoundKeys(bindings);
    if (!bindings.notes().empty()) Do(ShowNote{bindings.notes().front()});
  }
  const bool popup =
      input_owner.popups() ||
      ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  const bool alt = alt_tap.Update();
  if (timeline.takes_keys() || key_editor.capturing()) return;
  // While a box is about to take the keyboard, typed keys are for the box. An open menu of the menu
  // bar leaves only the keys that close it.
  if ((popup && !menu_bar.open) || windows.palette || windows.file_dialog ||
      menu_bar.search.waiting)
    return;
  if (alt) commands.Push("app.menu");
  keys.Push(context, popup, &commands);
}

void Viewer::State::DrawTimeline(const PanelContext& panel) {
  ImGuiWindowClass single;  // no tab bar over the timeline: it is always there
  single.DockNodeFlagsOverrideSet =
      ImGuiDockNodeFlags_NoTabBar | static_cast<int>(ImGuiDockNodeFlags_NoDockingOverMe);
  ImGui::SetNextWindowClass(&single);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoCollapse;
  ClearBackgroundIfDocked(kTimelineWindow);
  const bool shown = ImGui::Begin(kTimelineWindow, nullptr, flags);
  ImGui::PopStyleVar();
  timeline.NewFrame();
  const TimeRange path = windows.path.profile == view.active ? windows.path.range : TimeRange{};
  TimelineInput input{panel, open.of_timeline(), search,         names, fonts,
                      sink,  content_generation, config.animate, path};
  input.tooltips = !windows.palette && !windows.file_dialog;
  if (shown && ShowsFleet()) {
    if (ImGui::BeginChild("##fleet", {0, 0}, ImGuiChildFlags_AlwaysUseWindowPadding))
      fleet.Draw(panel);
    ImGui::EndChild();
  } else if (shown) {
    timeline.Draw(input);
  }
  ImGui::End();
}

// A fleet has no events: its map takes the timeline's place.
bool Viewer::State::ShowsFleet() const {
  const Profile* profile = FindProfile(profiles(), view.active);
  return profile != nullptr && FleetOf(*profile->trace) != nullptr;
}

// Returns the heights that the timeline's place needs and has.
TimelineFeedback Viewer::State::Feedback() const {
  if (!ShowsFleet()) return timeline.feedback();
  TimelineFeedback feedback;
  const ImGuiWindow* window = ImGui::FindWindowByName(kTimelineWindow);
  if (window != nullptr && fleet.wanted_height() > 0) {
    feedback.rows_height = static_cast<double>(window->Size.y);
    feedback.content_height =
        static_cast<double>(fleet.wanted_height() + 2 * ImGui::GetStyle().WindowPadding.y);
  }
  return feedback;
}

// Saves pictures of the timeline. A PNG is taken after this frame is rendered.
void Viewer::State::SaveTimelines() {
  for (SaveTimeline& save : timelines_to_save) {
    if (--save.wait > 0) continue;
    if (!save.path.ends_with(".svg")) {
      const Box& box = timeline.place();
      pictures.push_back({save.path, box.x, box.y, box.w, box.h, 0, save.replace});
      continue;
    }
    const std::string svg = timeline.Svg(open.of_timeline(), view, theme, fonts);
    std::string where = save.path;
    const bool ok = !svg.empty() && services.SaveFile(save.path, svg, save.replace, &where);
    Do(ShowNote{(ok ? "Saved " : "Not saved: ") + where});
  }
  std::erase_if(timelines_to_save, [](const SaveTimeline& save) { return save.wait <= 0; });
}

void Viewer::State::DoRequests() {
  for (WindowRequest& request : std::exchange(windows.requests, {}))
    std::visit([this](auto&& one) { Do(std::move(one)); }, std::move(request));
}

void Viewer::State::Do(ShowNote request) {
  note = std::move(request.text);
  note_until = Clock::now() + kNoteTime;
  settle = std::max(settle, 2);  // the next frame shows it, also where this one has begun
}

// Gives the timeline the keyboard after the panels were made. Otherwise the panel made last would
// get it, and come to the front, when a window closes.
void Viewer::State::FollowFocus() {
  if (focus_timeline > 0 && --focus_timeline == 0 && !panels.focuses())
    ImGui::SetWindowFocus(kTimelineWindow);
}

void Viewer::State::Apply(ViewerContext& context) {
  const uint64_t press = input_owner.MousePress();
  if (commands.empty()) return;
  const ViewHistory::Place before = ViewHistory::PlaceOf(view, settings);
  ApplyCommands(context, &commands);
  services.SetDefinitions(settings.definitions);
  const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  history.Note(before, ViewHistory::PlaceOf(view, settings), now, press);
  notes.Write(view, services);
  DoRequests();
}

void Viewer::Frame(const SessionView& session) {
  State& s = *state_;
  s.ApplyLook();
  s.pointed.NextFrame();
  for (PictureRequest& picture : s.pictures) --picture.wait;
  if (std::exchange(s.session_notes, session.notes) != session.notes) s.Do(ShowNote{session.note});
  if (Clock::now() >= s.note_until) s.note.clear();
  s.analyses.NextFrame();
  s.SyncProfiles(session);
  if (s.search.Poll()) s.settle = std::max(s.settle, 2);
  ViewerContext context = s.MakeContext(session);
  const TimelineFeedback feedback = s.Feedback();
  const PanelContext panel{.session = session,
                           .view = s.view,
                           .analyses = s.analyses,
                           .jobs = s.jobs,
                           .later = s.later,
                           .settings = s.settings,
                           .theme = s.theme,
                           .fonts = s.fonts,
                           .keys = s.bindings,
                           .search = s.search.hits(),
                           .pointed = s.pointed,
                           .commands = s.commands,
                           .services = s.services,
                           .profiles = s.profiles(),
                           .profile = context.ProfileOf(),
                           .state = context.StateOf()};
  const ShellInput shell{panel, s.windows, s.search, context, feedback, s.timeline.displayed(),
                         s.note};
  s.HandleKeys(context);
  const bool empty = session.profiles.empty();
  DrawMenuBar(shell, &s.menu_bar);
  s.waits_for_verdict = DrawVerdictBar(panel, &s.verdict);
  DrawStatusBar(shell);
  DrawDockSpace(shell, empty, &s.workspace);
  if (s.workspace.built) s.layout_built = 1;
  if (empty) {
    s.timelines_to_save.clear();
    DrawWelcome(shell);
  } else {
    s.DrawTimeline(panel);
    s.SaveTimelines();
    s.FollowFocus();
    s.panels.Draw(panel, &s.windows);
    if (s.layout_built > 0 && ++s.layout_built == 4) {
      s.default_ini = ImGui::SaveIniSettingsToMemory();
      s.layout_built = 0;
    }
  }
  DrawHelp(shell, &s.key_editor);
  DrawSettings(shell);
  s.dialog.Draw(panel, &s.windows.file_dialog, s.windows.dialog_mode, s.windows.save.name);
  DrawPalette(shell, &s.palette);
  DrawLoading(shell);
  DrawError(shell);
  s.capture_dialog.Draw(shell, &s.windows.capture);
  DrawCapture(shell);
  DrawOpenQuestion(shell);
  s.input_owner.FollowPopups();
  if (!s.commands.empty()) s.settle = std::max(s.settle, 2);
  s.Apply(context);
  if (s.settle > 0) --s.settle;
  s.jobs_running = s.search.busy() || s.jobs.running() > s.jobs.stopping() ||
                   s.later.running() > s.later.stopping();
}

bool Viewer::waits_for_verdict() const { return state_->waits_for_verdict; }
bool Viewer::shows_fleet() const { return state_->ShowsFleet(); }

bool Viewer::moving() const {
  const State& s = *state_;
  const bool pictures = !s.pictures.empty() || !s.timelines_to_save.empty();
  // Without an open profile the timeline is not drawn, and its last answer no longer counts.
  const bool fits = s.workspace.fit > 0 && !s.profiles().empty();
  return s.settle > 0 || fits || pictures || InputWaits() ||
         (!s.profiles().empty() && !s.ShowsFleet() && s.timeline.moving());
}

bool Viewer::animating() const {
  const State& s = *state_;
  const bool top = s.ShowsFleet() ? s.fleet.animating() : s.timeline.waiting();
  const bool waiting = !s.profiles().empty() && (top || s.panels.animating());
  return moving() || waiting || s.analyses.busy() || s.open.aligns_clocks() ||
         s.open.finds_steps() || s.jobs_running;
}

bool Viewer::searching() const { return state_->search.busy(); }

bool Viewer::stopping() const {
  return state_->jobs.stopping() > 0 || state_->later.stopping() > 0 ||
         state_->searches.stopping() > 0;
}

std::string Viewer::BusyWith() const {
  const State& s = *state_;
  std::string out;
  const auto add = [&out](bool busy, const std::string& what) {
    if (busy) out += (out.empty() ? "" : ", ") + what;
  };
  add(s.settle > 0, "layout");
  add(InputWaits(), "input");
  add(!s.commands.empty(), "commands");
  add(!s.pictures.empty() || !s.timelines_to_save.empty(), "pictures");
  const bool timeline = !s.profiles().empty() && !s.ShowsFleet();
  add(timeline && (s.timeline.moving() || s.timeline.waiting()), "the timeline");
  for (const std::string& panel : s.panels.Busy()) add(true, "panel " + panel);
  add(s.analyses.busy(), "analyses");
  add(s.open.aligns_clocks(), "clocks");
  add(s.open.finds_steps(), "steps");
  add(s.jobs_running, "jobs");
  add(stopping(), "jobs that were told to stop");
  return out;
}

double Viewer::EndsIn() const {
  if (state_->note.empty()) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(state_->note_until - Clock::now()).count();
}

void Viewer::SetContentScale(float scale) { state_->config.content_scale = scale; }
CommandQueue& Viewer::commands() { return state_->commands; }
Settings& Viewer::settings() { return state_->settings; }
const ViewState& Viewer::view() const { return state_->view; }
void Viewer::Note(std::string text) { state_->Do(ShowNote{std::move(text)}); }

bool Viewer::TakePicture(PictureRequest* out) {
  auto& pictures = state_->pictures;
  if (pictures.empty() || pictures.front().wait > 0) return false;
  *out = std::move(pictures.front());
  pictures.erase(pictures.begin());
  return true;
}

std::string Viewer::TimelineSvg() const {
  const State& s = *state_;
  return s.timeline.Svg(s.open.of_timeline(), s.view, s.theme, s.fonts);
}

std::string Viewer::DefaultLayoutIni() const { return state_->default_ini; }

bool Viewer::ShowPanel(const std::string& panel_id) {
  if (FindPanel(PanelOf(panel_id)) == nullptr) return false;
  state_->commands.Push("panel.show", {.text = panel_id});
  return true;
}

bool Viewer::SelectByName(const std::string& name) {
  const EventRef found = FirstNamed(state_->profiles(), name);
  if (found.valid()) state_->commands.Push("select.reveal", {.event = found});
  return found.valid();
}

}  // namespace stepscope
