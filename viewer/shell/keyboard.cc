#include "viewer/shell/keyboard.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/ascii.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/state/settings.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {

void InputOwner::FollowPopups() {
  const bool open = !ImGui::GetCurrentContext()->OpenPopupStack.empty();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  if (open) io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  if (std::exchange(popups_, open) && !open) ImGui::SetNavCursorVisible(false);
}

uint64_t InputOwner::MousePress() {
  bool held = false;
  for (ImGuiMouseButton button = 0; button < ImGuiMouseButton_COUNT; ++button) {
    if (ImGui::IsMouseClicked(button)) ++presses_;
    held = held || ImGui::IsMouseDown(button) || ImGui::IsMouseReleased(button);
  }
  return held ? presses_ : 0;
}

BoundKeys::BoundKeys(const KeyBindings& bindings) {
  bool ok = true;
  for (const CommandDesc& command : Commands()) {
    for (const KeyChord& chord : ParseChords(bindings.Of(command.id), &ok))
      keys_.push_back({chord, &command, nullptr});
  }
  for (const PanelDesc& panel : Panels()) {
    for (const KeyChord& chord : ParseChords(bindings.Of("panel." + std::string(panel.id)), &ok))
      keys_.push_back({chord, nullptr, &panel});
  }
}

void BoundKeys::Push(const ViewerContext& context, bool only_menu, CommandQueue* commands) const {
  for (const Key& key : keys_) {
    const bool menu = key.command != nullptr && key.command->id == "app.menu";
    if ((only_menu && !menu) || !Pressed(key.chord)) continue;
    if (key.command != nullptr && key.command->enabled(context)) {
      CommandArgs args;
      if (key.chord.character != 0) args.text = TypedText(1);
      if (key.chord.repeat) args.steps = HoldSpeed(key.chord);
      commands->Push(key.command->id, std::move(args));
    }
    if (key.panel != nullptr) commands->Push("panel.show", {.text = key.panel->id});
  }
}

namespace {

std::string TitleOf(std::string_view id) {
  if (const CommandDesc* command = FindCommand(id)) return command->title;
  const PanelDesc* panel = id.starts_with("panel.") ? FindPanel(id.substr(6)) : nullptr;
  return panel != nullptr ? panel->title : std::string(id);
}

std::string_view Keys(const PanelContext& context, std::string_view id) {
  return context.keys.Of(id);
}

}  // namespace

void KeyEditor::Choose(const PanelContext& context, const std::string& id, const char* keys) const {
  const std::optional<std::string> wanted = keys != nullptr ? std::optional(keys) : std::nullopt;
  context.commands.PushSetting(&Settings::custom_keys,
                               WithKeys(context.settings.custom_keys, id, wanted));
}

void KeyEditor::NewFrame(const PanelContext& context, bool open) {
  if (!open) GiveUp();
  if (!capturing()) return;
  const std::string chord = PressedChord();
  if (chord.empty()) return;
  ended_ = ImGui::GetFrameCount();
  if (chord == "Escape") return GiveUp();
  owner_ = context.keys.OwnerOf(chord);
  if (owner_.empty() || owner_ == id_) {
    Choose(context, id_, chord.c_str());
    return GiveUp();
  }
  wanted_ = chord;
}

void KeyEditor::DrawKeys(const PanelContext& context, const char* id) {
  ImGui::PushID(id);
  const bool own = id_ == id;
  const std::string keys(Keys(context, id));
  const std::string text = own && capturing() ? "Press keys\u2026"
                           : own              ? wanted_
                           : keys.empty()     ? "\u2013"
                                              : keys;
  const bool chosen = HasRule(context.settings.custom_keys, id);
  ImGui::PushStyleColor(ImGuiCol_Button, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme[own || chosen  ? Role::kAccent
                                                     : keys.empty() ? Role::kText3
                                                                    : Role::kText]);
  // A focused button may take the chord itself for a click.
  const bool fresh = ImGui::GetFrameCount() - ended_ > 1;
  ImGui::PushStyleVarY(ImGuiStyleVar_FramePadding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, ImVec2(0, 0.5f));
  // As wide as the column: a command without keys has a short text, and is as easy to hit.
  if (ImGui::Button((text + "###keys").c_str(), ImVec2(-1, 0)) && fresh && !capturing()) {
    GiveUp();
    id_ = id;
  }
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
  if (!own) ImGui::SetItemTooltip("Click and press other keys; right click for more");
  if (ImGui::BeginPopupContextItem("keys menu")) {
    if (ImGui::MenuItem("Remove keys", nullptr, false, !keys.empty())) Choose(context, id, "");
    if (ImGui::MenuItem("Restore default keys", nullptr, false, chosen))
      Choose(context, id, nullptr);
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

bool KeyEditor::DrawQuestion(const PanelContext& context, const char* id) {
  if (id_ != id) return false;
  if (capturing()) {
    TextIn(context, Role::kText2, "Press the new keys; Escape keeps the old ones");
    return true;
  }
  TextIn(context, Role::kWarning, wanted_ + " already runs \u201c" + TitleOf(owner_) + "\u201d.");
  ImGui::SameLine();
  if (ImGui::SmallButton("Reassign")) {
    Choose(context, id_, wanted_.c_str());
    GiveUp();
  }
  ImGui::SameLine();
  if (ImGui::SmallButton("Keep")) GiveUp();
  return true;
}

// The box takes what is typed into the window: it needs no click, and leaves Escape alone.
void KeyEditor::TakeTyped() {
  if (capturing() || ImGui::IsAnyItemActive() || ImGui::IsWindowAppearing() ||
      !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows))
    return;
  for (const ImWchar c : ImGui::GetIO().InputQueueCharacters) {
    if (c >= ' ' && c <= '~') find_ += static_cast<char>(c);
  }
  if (!find_.empty() && ImGui::IsKeyPressed(ImGuiKey_Backspace)) find_.pop_back();
}

void KeyEditor::DrawFind() {
  TakeTyped();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 18);
  InputText("##find", "Find a command or a key", &find_);
}

bool KeyEditor::Finds(std::string_view title, std::string_view what, std::string_view keys) const {
  std::string_view rest = find_;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string word = Lower(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!ContainsLower(title, word) && !ContainsLower(what, word) && !ContainsLower(keys, word))
      return false;
  }
  return true;
}

void KeyEditor::DrawResetAll(const PanelContext& context) const {
  if (context.settings.custom_keys.empty()) return;
  if (ImGui::Button("Restore all default keys"))
    context.commands.PushSetting(&Settings::custom_keys, {});
}

}  // namespace stepscope
