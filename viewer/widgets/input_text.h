// Text boxes for std::string, and one that may be asked to take the keyboard. UI thread only.
#pragma once

#include <imgui.h>

#include <string>

namespace stepscope {

bool InputText(const char* label, const char* hint, std::string* text,
               ImGuiInputTextFlags flags = 0);

// A box that takes the keyboard when asked. Dear ImGui gives it two frames later; what is typed
// meanwhile is put into the box, not lost and not taken for the keys of commands.
struct TextBox {
  std::string text;
  bool waiting = false;  // asked for the keyboard, has not got it
  bool append = false;   // what is typed goes behind the text; otherwise it replaces it

  // Call it before Draw, in the box's window. `typed` was typed already.
  void Focus(const std::string& typed, bool keep_text);
  bool Draw(const char* label, const char* hint, ImGuiInputTextFlags flags = 0);  // true: changed

 private:
  bool TakeTyped(const std::string& typed);
  bool changed_ = false, end_ = false;
};

// The text that was typed in this frame, from byte `from` on.
std::string TypedText(size_t from = 0);

}  // namespace stepscope
