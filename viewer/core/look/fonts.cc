#include "viewer/core/look/fonts.h"

#include <imgui.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "viewer/core/look/theme.h"

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

// A face: its bytes in the program, or the path of a file. Both are empty if none was found.
struct Face {
  std::string_view bytes;
  std::string path;

  explicit operator bool() const { return !bytes.empty() || !path.empty(); }
};

std::string InstalledFont(const char* name) {
  for (const char* root : kSystemRoots) {
    std::error_code error;
    std::string path = std::string(root) + "/" + name;
    if (fs::is_regular_file(path, error)) return path;
  }
  return {};
}

Face FindFace(std::span<const char* const> names) {
  for (const char* name : names) {
    Face face{EmbeddedFont(fs::path(name).filename().string()), {}};
    if (face.bytes.empty()) face.path = InstalledFont(name);
    if (face) return face;
  }
  return {};
}

ImFont* AddFace(const Face& face, ImFontConfig config) {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  if (face.bytes.empty()) return atlas->AddFontFromFileTTF(face.path.c_str(), 0, &config);
  config.FontDataOwnedByAtlas = false;  // ImGui reads it only
  return atlas->AddFontFromMemoryTTF(const_cast<char*>(face.bytes.data()),
                                     static_cast<int>(face.bytes.size()), 0, &config);
}

void Merge(const Face& face, float offset_y) {
  if (!face) return;
  ImFontConfig config;
  config.MergeMode = true;
  config.GlyphOffset = ImVec2(0, offset_y);
  if (offset_y != 0) config.SizePixels = TypeSize::kUi;  // the size that the offset is meant for
  AddFace(face, config);
}

ImFont* Add(const Face& face) {
  ImFont* font = face ? AddFace(face, {}) : nullptr;
  return font != nullptr ? font : ImGui::GetIO().Fonts->AddFontDefaultVector();
}

}  // namespace

Fonts LoadFonts() {
  const Face icons = FindFace(kIcons), ui = FindFace(kUi), mono = FindFace(kMono);
  Fonts fonts;
  fonts.icons = static_cast<bool>(icons);
  // Inter has no U+FFFD, and JetBrains Mono no thin space (U+2009): each has the other's.
  fonts.ui = Add(ui);
  Merge(icons, 1);
  Merge(mono, 0);
  fonts.bold = Add(FindFace(kBold));
  Merge(icons, 1);
  Merge(mono, 0);
  fonts.mono = Add(mono);
  Merge(ui, 0);
  fonts.mono_bold = Add(FindFace(kMonoBold));
  Merge(ui, 0);
  ImGui::GetIO().FontDefault = fonts.ui;
  return fonts;
}

}  // namespace stepscope
