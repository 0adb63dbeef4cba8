#include "viewer/widgets/input_text.h"

#include <imgui_internal.h>

#include <array>

namespace stepscope {
namespace {

int Resize(ImGuiInputTextCallbackData* data) {
  auto* text = static_cast<std::string*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    text->resize(static_cast<size_t>(data->BufTextLen));
    data->Buf = text->data();
  }
  return 0;
}

}  // namespace

bool InputText(const char* label, const char* hint, std::string* text, ImGuiInputTextFlags flags) {
  return ImGui::InputTextWithHint(label, hint, text->data(), text->capacity() + 1,
                                  flags | ImGuiInputTextFlags_CallbackResize, &Resize, text);
}

std::string TypedText(size_t from) {
  std::string out;
  for (const ImWchar c : ImGui::GetIO().InputQueueCharacters) {
    if (c < 32 || c == 127) continue;
    std::array<char, 5> bytes{};
    ImTextCharToUtf8(bytes.data(), c);
    out += bytes.data();
  }
  return from < out.size() ? out.substr(from) : std::string();
}

bool TextBox::TakeTyped(const std::string& typed) {
  if (typed.empty()) return false;
  if (!append) text.clear();
  text += typed;
  append = end_ = true;
  return true;
}

void TextBox::Focus(const std::string& typed, bool keep_text) {
  waiting = true;
  append = end_ = keep_text;
  changed_ = TakeTyped(typed) || changed_;
}

bool TextBox::Draw(const char* label, const char* hint, ImGuiInputTextFlags flags) {
  const ImGuiID id = ImGui::GetID(label);
  const bool active = ImGui::GetActiveID() == id;
  if (waiting && !active) {
    // By id: asking for the next item's focus does not reach into a menu bar.
    ImGui::ActivateItemByID(id);
    changed_ = TakeTyped(TypedText()) || changed_;
    ImGui::GetIO().InputQueueCharacters.resize(0);
  }
  // A box that has the keyboard already would overwrite the new text with its own.
  if (waiting && active) {
    if (ImGuiInputTextState* state = ImGui::GetInputTextState(id))
      state->ReloadUserBufAndMoveToEnd();
  }
  const bool edited = InputText(label, hint, &text, flags);
  if (waiting && ImGui::GetActiveID() == id) {
    waiting = false;
    // A box that is given the keyboard selects its text: the next letter would replace it.
    ImGuiInputTextState* state = ImGui::GetInputTextState(id);
    if (end_ && state != nullptr) state->ReloadUserBufAndMoveToEnd();
  }
  const bool changed = changed_ || edited;
  changed_ = false;
  return changed;
}

}  // namespace stepscope
