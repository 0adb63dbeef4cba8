#include "viewer/shell/open_question.h"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "viewer/shell/raised_window.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
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
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetWorkCenter(), ImGuiCond_Always,
                          {0.5f, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ScaledSize(20), ScaledSize(16)});
  // Keys are read below: Enter must not press the button that Dear ImGui chose.
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoNav;
  const bool shown = [&] {
    const DialogStyle style(input.panel.theme);
    return ImGui::BeginPopupModal(kWindow, nullptr, flags);
  }();
  ImGui::PopStyleVar();
  if (!shown) return;
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
