#include "viewer/core/fonts.h"

#include <imgui.h>

#include <filesystem>
#include <span>

#include "viewer/core/theme.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSystemRoots[] = {"/usr/share/fonts", "/usr/local/share/fonts"};

// Where distributions put the faces, relative to a font root; the first that exists is used.
constexpr const char* kUi[] = {"opentype/inter/Inter-Regular.otf",
                               "truetype/inter/Inter-Regular.ttf", "inter/Inter-Regular.otf",
                               "truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
                               "truetype/dejavu/DejaVuSans.ttf"};
constexpr const char* kBold[] = {"opentype/inter/Inter-SemiBold.otf",
                                 "truetype/inter/Inter-SemiBold.ttf", "inter/Inter-SemiBold.otf",
                                 "truetype/roboto/unhinted/RobotoTTF/Roboto-Medium.ttf",
                                 "truetype/dejavu/DejaVuSans-Bold.ttf"};
constexpr const char* kMono[] = {"truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
                                 "jetbrains-mono/JetBrainsMono-Regular.ttf",
                                 "truetype/dejavu/DejaVuSansMono.ttf"};
constexpr const char* kMonoBold[] = {"truetype/jetbrains-mono/JetBrainsMono-SemiBold.ttf",
                                     "jetbrains-mono/JetBrainsMono-SemiBold.ttf",
                                     "truetype/dejavu/DejaVuSansMono-Bold.ttf"};
constexpr const char* kIcons[] = {"truetype/fork-awesome/forkawesome-webfont.ttf",
                                  "fork-awesome/forkawesome-webfont.ttf"};

class Finder {
 public:
  explicit Finder(const std::vector<std::string>& roots) : roots_(roots) {
    roots_.insert(roots_.end(), std::begin(kSystemRoots), std::end(kSystemRoots));
  }

  std::string Find(std::span<const char* const> names) const {
    for (const char* name : names) {
      for (const std::string& root : roots_) {
        std::error_code error;
        std::string path = root + "/" + name;
        if (fs::is_regular_file(path, error)) return path;
      }
    }
    return {};
  }

 private:
  std::vector<std::string> roots_;
};

void Merge(const std::string& path, float offset_y) {
  if (path.empty()) return;
  ImFontConfig config;
  config.MergeMode = true;
  config.GlyphOffset = ImVec2(0, offset_y);
  if (offset_y != 0) config.SizePixels = TypeSize::kUi;  // the size that the offset is meant for
  ImGui::GetIO().Fonts->AddFontFromFileTTF(path.c_str(), 0, &config);
}

ImFont* Add(const std::string& path) {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  ImFont* font = path.empty() ? nullptr : atlas->AddFontFromFileTTF(path.c_str());
  return font != nullptr ? font : atlas->AddFontDefaultVector();
}

}  // namespace

Fonts LoadFonts(const std::vector<std::string>& roots) {
  const Finder finder(roots);
  const std::string icons = finder.Find(kIcons);
  const std::string ui = finder.Find(kUi);
  Fonts fonts;
  fonts.icons = !icons.empty();
  fonts.ui = Add(ui);
  Merge(icons, 1);
  fonts.bold = Add(finder.Find(kBold));
  Merge(icons, 1);
  // JetBrains Mono has no thin space (U+2009): missing glyphs come from the UI face.
  fonts.mono = Add(finder.Find(kMono));
  Merge(ui, 0);
  fonts.mono_bold = Add(finder.Find(kMonoBold));
  Merge(ui, 0);
  ImGui::GetIO().FontDefault = fonts.ui;
  return fonts;
}

}  // namespace stepscope
