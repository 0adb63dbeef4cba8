#include "viewer/core/state/recent_texts.h"

#include <algorithm>

namespace stepscope {
namespace {

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<std::string> RecentTexts(std::string_view setting) {
  std::vector<std::string> texts;
  while (!setting.empty()) {
    const size_t end = std::min(setting.find(';'), setting.size());
    const std::string text(WithoutBlanks(setting.substr(0, end)));
    setting.remove_prefix(std::min(end + 1, setting.size()));
    if (!text.empty() && texts.size() < kMaxRecentTexts &&
        std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(text);
  }
  return texts;
}

std::string WithRecentText(std::string_view setting, std::string_view text) {
  std::string joined;
  for (const std::string& kept : RecentTexts(std::string(text) + ";" + std::string(setting)))
    joined += (joined.empty() ? "" : "; ") + kept;
  return joined;
}

}  // namespace stepscope
