// ImGui::InputTextWithHint for std::string.
#pragma once

#include <imgui.h>

#include <string>

namespace stepscope {

bool InputText(const char* label, const char* hint, std::string* text,
               ImGuiInputTextFlags flags = 0);

}  // namespace stepscope
