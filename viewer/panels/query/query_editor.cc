#include "viewer/panels/query/query_editor.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr size_t kMostWords = 10;  // that stand below the box
constexpr const char* kBox = "##sql";

}  // namespace

void QueryEditor::Set(std::string other) {
  text = std::move(other);
  cursor_ = text.size();
  replaced_ = true;
}

// Writes what all completions have in common in place of the word at the cursor.
void QueryEditor::Complete(ImGuiInputTextCallbackData* data) const {
  const std::string_view now(data->Buf, static_cast<size_t>(data->BufTextLen));
  const auto cursor = static_cast<size_t>(data->CursorPos);
  const auto words = Completions(now, cursor, reports_, 1000);
  const std::string start = CommonStart(words);
  const auto word = static_cast<int>(WordBefore(now, cursor).size());
  if (start.size() <= static_cast<size_t>(word)) return;
  data->DeleteChars(data->CursorPos - word, word);
  data->InsertChars(data->CursorPos, start.c_str());
}

int QueryEditor::Callback(ImGuiInputTextCallbackData* data) {
  auto* editor = static_cast<QueryEditor*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    editor->text.resize(static_cast<size_t>(data->BufTextLen));
    data->Buf = editor->text.data();
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    editor->Complete(data);
  } else {
    editor->cursor_ = static_cast<size_t>(data->CursorPos);
  }
  return 0;
}

void QueryEditor::DrawWords(const PanelContext& context) {
  const FaceScope small(context, Face::kMono);
  const auto words = Completions(text, cursor_, reports_, kMostWords);
  if (words.empty()) {
    TextIn(context, Role::kText3, "Tab completes names, Ctrl+Enter runs");
    return;
  }
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, BaseEm());
    if (i > 0 && ImGui::GetCursorScreenPos().x + TextWidth(words[i]) > right) break;
    ImGui::PushID(static_cast<int>(i));
    if (LinkText(context, "word", words[i])) chosen_ = words[i];
    ImGui::PopID();
  }
}

bool QueryEditor::Draw(const PanelContext& context, std::span<const QueryTable> reports,
                       float height) {
  reports_ = reports;
  const ImGuiID id = ImGui::GetID(kBox);
  if (!std::exchange(chosen_, {}).empty()) ImGui::ActivateItemByID(id);
  if (std::exchange(replaced_, false)) {
    if (ImGuiInputTextState* state = ImGui::GetInputTextState(id))
      state->ReloadUserBufAndMoveToEnd();
  }
  bool run = false;
  {
    const FaceScope mono(context, Face::kMono, TypeSize::kUi);
    constexpr ImGuiInputTextFlags kFlags =
        ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackCompletion |
        ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_EnterReturnsTrue;
    run = ImGui::InputTextMultiline(kBox, text.data(), text.capacity() + 1, ImVec2(-1, height),
                                    kFlags, &Callback, this);
  }
  DrawWords(context);
  if (!chosen_.empty()) {
    const std::string_view word = WordBefore(text, cursor_);
    std::string other = text.substr(0, cursor_ - word.size()) + chosen_;
    const size_t cursor = other.size();
    other += text.substr(cursor_);
    Set(std::move(other));
    cursor_ = cursor;
  }
  return run;
}

}  // namespace stepscope
