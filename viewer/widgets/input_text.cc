#include "viewer/widgets/input_text.h"

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

}  // namespace stepscope
