// The welcome page, and the overlays of loads and errors.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "viewer/shell/shell.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

void DrawFormats(const ShellInput& input) {
  SectionTitle(input.panel, "Formats");
  TextIn(input.panel, Role::kText2,
         "A log directory at any height (it looks for plugins/profile/<run>), a run, a folder of "
         "files, or one file, which may be compressed as .gz or .zst:");
  for (const std::string& format : input.panel.session.formats)
    TextIn(input.panel, Role::kText2, format);
}

bool PrimaryButton(const ShellInput& input, const char* text) {
  const Theme& theme = input.panel.theme;
  ImGui::PushStyleColor(ImGuiCol_Button, theme[Role::kAccent]);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered,
                        Mix(theme[Role::kAccent], theme[Role::kText], 0.15f));
  ImGui::PushStyleColor(ImGuiCol_Text, theme.TextOn(theme[Role::kAccent]));
  const bool pressed = ImGui::Button(text);
  ImGui::PopStyleColor(3);
  return pressed;
}

void DrawRecent(const ShellInput& input, float width) {
  const auto& recent = input.panel.session.recent;
  SectionTitle(input.panel, "Recent profiles");
  if (recent.empty()) {
    ImGui::TextDisabled("Profiles that you open are listed here.");
    return;
  }
  for (size_t i = 0; i < std::min<size_t>(recent.size(), 10); ++i) {
    const RecentProfile& profile = recent[i];
    ImGui::PushID(static_cast<int>(i));
    const float row = ImGui::GetFrameHeight();
    const ImVec2 p = ImGui::GetCursorScreenPos();
    ImGui::BeginDisabled(!profile.exists);
    if (ImGui::Selectable("##recent", false, 0, {width, row}))
      input.panel.commands.Push("file.open", {.text = profile.path});
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("%s%s", profile.path.c_str(),
                          profile.exists ? "" : " is not there any more");
    const Pen pen = MakePen(input.panel.theme, input.panel.fonts);
    std::array<char, 1024> buffer{};
    const float date = pen.Px(110);
    const std::string_view path =
        MiddleCut(profile.path, width - date - pen.Px(30), buffer.data(), buffer.size());
    const float y = p.y + (row - pen.Px(TypeSize::kUi)) / 2;
    if (pen.fonts.icons)
      pen.Text(pen.fonts.ui, TypeSize::kUi, p.x + pen.Px(4), y, pen.theme[Role::kText3],
               icon::kClock);
    pen.Text(pen.fonts.ui, TypeSize::kUi, p.x + pen.Px(28), y,
             pen.theme[profile.exists ? Role::kText : Role::kText3], path);
    if (profile.opened_unix_s > 0) {
      pen.TextRight(pen.fonts.mono, TypeSize::kSmall, p.x + width - pen.Px(6), y,
                    pen.theme[Role::kText3], LocalTime(profile.opened_unix_s, "%Y-%m-%d"));
    }
    ImGui::PopID();
  }
}

}  // namespace

void DrawWelcome(const ShellInput& input) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const Theme& theme = input.panel.theme;
  ImGui::SetNextWindowPos(viewport->WorkPos);
  ImGui::SetNextWindowSize(viewport->WorkSize);
  if (ImGui::Begin("##welcome", nullptr, kRaisedFlags | ImGuiWindowFlags_NoBringToFrontOnFocus)) {
    const Pen pen = MakePen(theme, input.panel.fonts);
    const float width = std::min(viewport->WorkSize.x - pen.Px(64), pen.Px(680));
    const float left = std::floor((viewport->WorkSize.x - width) / 2);
    ImGui::SetCursorPos({left, std::max(pen.Px(32), viewport->WorkSize.y * 0.14f)});
    ImGui::BeginGroup();
    ImGui::PushTextWrapPos(left + width);
    ImGui::PushFont(input.panel.fonts.bold, 28);
    ImGui::TextUnformatted("Stepscope");
    ImGui::PopFont();
    TextIn(input.panel, Role::kText2,
           "Where does a training step go? Open a profile, or drop one onto this window.");
    ImGui::Dummy({0, pen.Px(14)});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {pen.Px(16), pen.Px(8)});
    if (PrimaryButton(input, "Open folder\xE2\x80\xA6"))
      input.panel.commands.Push("file.open_folder");
    ImGui::SetItemTooltip("Ctrl+Shift+O");
    ImGui::SameLine();
    if (ImGui::Button("Open file\xE2\x80\xA6")) input.panel.commands.Push("file.open");
    ImGui::SetItemTooltip("Ctrl+O");
    if (!input.panel.session.sample_path.empty()) {
      ImGui::SameLine();
      if (ImGui::Button("Try the sample")) input.panel.commands.Push("file.open_sample");
      ImGui::SetItemTooltip("%s", input.panel.session.sample_path.c_str());
    }
    ImGui::PopStyleVar();
    ImGui::Dummy({0, pen.Px(18)});
    DrawRecent(input, width);
    ImGui::Dummy({0, pen.Px(18)});
    DrawFormats(input);
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
  }
  ImGui::End();
}

std::string LoadingText(const LoadingView& loading) {
  const double done = static_cast<double>(loading.bytes_done) / 1e6;
  std::string text;
  if (loading.bytes_total > 0) {
    text = fmt::format("{:.0f} of {:.0f} MB", done, static_cast<double>(loading.bytes_total) / 1e6);
  } else if (loading.bytes_done > 0) {
    const double before = static_cast<double>(loading.bytes_before) / 1e6;
    text = fmt::format("{:.1f} MB", done);
    if (before > 0) text += fmt::format(", {:.1f} MB already here", before);
    text += fmt::format("   {:.1f} MB/s", (done - before) / std::max(loading.stage_seconds, 0.1));
  }
  if (loading.events > 0)
    text += fmt::format("   {:.2f} M events", static_cast<double>(loading.events) / 1e6);
  return text + fmt::format("{}{:.1f} s", text.empty() ? "" : "   ", loading.seconds);
}

void DrawLoading(const ShellInput& input) {
  constexpr double kPatience = 0.15;
  const auto& loading = input.panel.session.loading;
  if (!loading || loading->seconds < kPatience) return;
  // A first picture is to be seen while the rest comes.
  ImVec2 place = ImGui::GetMainViewport()->GetWorkCenter();
  if (loading->previewed) place.y += ImGui::GetMainViewport()->WorkSize.y / 2 - ScaledSize(48);
  ImGui::SetNextWindowPos(place, ImGuiCond_Always, {0.5f, loading->previewed ? 1.0f : 0.5f});
  const RaisedWindow window(input.panel.theme, "##loading", 460, Role::kLine);
  if (!window) return;
  std::array<char, 1024> buffer{};
  const float inner = ImGui::GetContentRegionAvail().x;
  const std::string_view path = MiddleCut(loading->path, inner, buffer.data(), buffer.size());
  SectionTitle(input.panel, loading->stage.empty() ? "Opening" : loading->stage);
  ImGui::TextDisabled("%.*s", static_cast<int>(path.size()), path.data());
  const bool known = loading->bytes_total > 0;
  const float done = known ? static_cast<float>(static_cast<double>(loading->bytes_done) /
                                                static_cast<double>(loading->bytes_total))
                           : -0.6f * static_cast<float>(ImGui::GetTime());
  ImGui::ProgressBar(known ? std::min(done, 1.0f) : done, {inner, ScaledSize(6)}, "");
  ImGui::PushFont(input.panel.fonts.mono, TypeSize::kSmall);
  ImGui::TextDisabled("%s", LoadingText(*loading).c_str());
  ImGui::PopFont();
  const float button = ScaledSize(96);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + inner - button);
  if (ImGui::Button("Cancel", {button, 0})) input.panel.commands.Push("file.cancel");
  ImGui::SetItemTooltip("Escape");
}

void DrawError(const ShellInput& input) {
  const std::string& error = input.panel.session.error;
  if (error.empty()) return;
  const ProfileId part_of = input.panel.session.rest_of;
  const bool part = part_of.valid();
  const Role role = part ? Role::kWarning : Role::kBad;
  PlaceBelowMenu(24);
  const RaisedWindow window(input.panel.theme, "##error", 560, role);
  if (!window) return;
  ImGui::PushFont(input.panel.fonts.bold, TypeSize::kTitle);
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(input.panel.theme[role]), "%s",
                     part ? "Not all of the profile has come" : "This could not be opened");
  ImGui::PopFont();
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(error.c_str());
  ImGui::PopTextWrapPos();
  ImGui::Dummy({0, ScaledSize(4)});
  const float button = ScaledSize(96);
  const float inner = ImGui::GetContentRegionAvail().x;
  if (ImGui::Button("Copy", {button, 0})) input.panel.services.SetClipboard(error);
  if (input.panel.session.can_install) {
    ImGui::SameLine();
    if (PrimaryButton(input, "Copy Stepscope there"))
      input.panel.commands.Push("file.install_there");
    ImGui::SetItemTooltip(
        "Copies this program into ~/.cache/stepscope there, and opens the profile");
  }
  if (part) {
    ImGui::SameLine();
    if (PrimaryButton(input, "Load the rest"))
      input.panel.commands.Push("file.load_rest", {.profile = part_of});
    ImGui::SetItemTooltip("Gets what is missing only, and keeps what is shown until then");
  }
  ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + inner - button);
  if (ImGui::Button("Close", {button, 0})) input.panel.services.DismissError();
  ImGui::SetItemTooltip("Escape");
}

namespace {

constexpr const char kWindow[] = "How to open them###open_question";

struct Answer {
  const char* label;
  const char* what;
  const char* name;  // the text of "file.answer"
  ImGuiKey key;
};
constexpr std::array<Answer, 3> kTogether = {
    {{"Compare", "Opens them as two profiles and compares them (C)", "compare", ImGuiKey_C},
     {"Merge", "Opens them as one profile with a host for each file (M)", "merge", ImGuiKey_M},
     {"Cancel", "Opens nothing (Escape)", "cancel", ImGuiKey_Escape}}};
constexpr std::array<Answer, 3> kBeside = {
    {{"Compare", "Opens it as well and compares the two (C)", "compare", ImGuiKey_C},
     {"Open instead", "Closes what is open (O)", "instead", ImGuiKey_O},
     {"Cancel", "Opens nothing (Escape)", "cancel", ImGuiKey_Escape}}};

// "Open bert_h100.json.gz?"
std::string TitleOf(const OpenQuestion& question) {
  if (!question.beside)
    return "These profiles do not look like one run. How should they be opened?";
  if (question.paths.size() != 1) return fmt::format("Open {} profiles?", question.paths.size());
  const std::string_view path = question.paths.front();
  return fmt::format("Open {}?", path.substr(path.find_last_of('/') + 1));
}

void DrawPath(const ShellInput& input, const std::string& path) {
  std::array<char, 1024> buffer{};
  const std::string_view shown = MiddleCut(path, ScaledSize(420), buffer.data(), buffer.size());
  TextIn(input.panel, Role::kText2, shown);
}

// The answer chosen by keys or the mouse in this frame; null if none.
const Answer* DrawAnswers(const ShellInput& input, std::span<const Answer> answers) {
  int* chosen = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("chosen"), 0);
  if (ImGui::IsWindowAppearing()) *chosen = 0;
  const int count = static_cast<int>(answers.size());
  const bool back = ImGui::IsKeyPressed(ImGuiKey_LeftArrow) ||
                    ImGui::IsKeyPressed(ImGuiKey_UpArrow) ||
                    (ImGui::IsKeyPressed(ImGuiKey_Tab) && ImGui::GetIO().KeyShift);
  const bool on = ImGui::IsKeyPressed(ImGuiKey_RightArrow) ||
                  ImGui::IsKeyPressed(ImGuiKey_DownArrow) ||
                  (ImGui::IsKeyPressed(ImGuiKey_Tab) && !ImGui::GetIO().KeyShift);
  *chosen = (*chosen + count + (on ? 1 : 0) - (back ? 1 : 0)) % count;
  const bool take = ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                    ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
  const Answer* taken = take ? &answers[static_cast<size_t>(*chosen)] : nullptr;
  const Theme& theme = input.panel.theme;
  for (int i = 0; i < count; ++i) {
    const Answer& answer = answers[static_cast<size_t>(i)];
    if (i > 0) ImGui::SameLine();
    const Rgba fill = theme[i == *chosen ? Role::kAccent : Role::kRaised];
    ImGui::PushStyleColor(ImGuiCol_Button, fill);
    ImGui::PushStyleColor(ImGuiCol_Text, theme.TextOn(fill));
    if (ImGui::Button(answer.label) || ImGui::IsKeyPressed(answer.key, false)) taken = &answer;
    ImGui::PopStyleColor(2);
    ImGui::SetItemTooltip("%s", answer.what);
  }
  ImGui::TextDisabled("%s", answers[static_cast<size_t>(*chosen)].what);
  return taken;
}

}  // namespace

void DrawOpenQuestion(const ShellInput& input) {
  const auto& question = input.panel.session.question;
  if (!question) return;
  if (!ImGui::IsPopupOpen(kWindow)) ImGui::OpenPopup(kWindow);
  // Keys are read below: Enter must not press the button that Dear ImGui chose.
  if (!BeginDialog(input.panel.theme, kWindow, ImGuiWindowFlags_NoNav)) return;
  SectionTitle(input.panel, TitleOf(*question));
  for (const std::string& path : question->paths) DrawPath(input, path);
  const Profile* open = input.panel.profile;
  if (question->beside && open != nullptr)
    TextIn(input.panel, Role::kText2, "\u201c" + open->label + "\u201d is open.");
  ImGui::Spacing();
  const Answer* taken = DrawAnswers(input, question->beside ? kBeside : kTogether);
  if (taken != nullptr) {
    input.panel.commands.Push("file.answer", {.text = taken->name});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace stepscope
