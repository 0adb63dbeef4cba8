// QueryEditor: a box for SQL of several lines that completes words. Tab completes; the words that
// are possible stand below the box. UI thread only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "viewer/core/panel.h"
#include "viewer/panels/query/query_words.h"

struct ImGuiInputTextCallbackData;

namespace stepscope {

class QueryEditor {
 public:
  std::string text;

  // Returns true when Ctrl+Enter is pressed in the box.
  bool Draw(const PanelContext& context, std::span<const QueryTable> reports, float height);
  // Shows another text, also while the box has the keyboard.
  void Set(std::string other);

 private:
  static int Callback(ImGuiInputTextCallbackData* data);
  void Complete(ImGuiInputTextCallbackData* data) const;
  void DrawWords(const PanelContext& context);

  std::span<const QueryTable> reports_;
  size_t cursor_ = 0;
  std::string chosen_;     // a word that was clicked: takes the place of the one at the cursor
  bool replaced_ = false;  // the text was set
};

}  // namespace stepscope
