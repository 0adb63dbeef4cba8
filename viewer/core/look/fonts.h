// Fonts: the faces that the viewer draws with, built into the program or found in the system's font
// folders, and the code points of icons. This folder is how everything looks: fonts, theme, colours
// and short forms of names, and TimeAxis, which turns times into pixels. UI thread only.
#pragma once

#include <string_view>

struct ImFont;

namespace stepscope {

// All faces are set after LoadFonts(). The atlas of the ImGui context owns them.
struct Fonts {
  ImFont* ui = nullptr;
  ImFont* bold = nullptr;
  ImFont* mono = nullptr;
  ImFont* mono_bold = nullptr;
  bool icons = false;  // Fork Awesome was found; without it, buttons carry words
};

// Adds the faces to the atlas of the current ImGui context: those in the program, else those in the
// usual folders of the system, else DejaVu, else the font in Dear ImGui.
Fonts LoadFonts();

namespace icon {  // Fork Awesome, UTF-8
inline constexpr const char kOpen[] = "\xEF\x81\xBC", kSearch[] = "\xEF\x80\x82",
                            kOk[] = "\xEF\x81\x98", kClose[] = "\xEF\x80\x8D",
                            kSun[] = "\xEF\x86\x85", kMoon[] = "\xEF\x86\x86",
                            kHelp[] = "\xEF\x81\x99", kPointer[] = "\xEF\x89\x85",
                            kPan[] = "\xEF\x81\x87", kZoom[] = "\xEF\x80\x8E",
                            kRange[] = "\xEF\x81\xBE", kCopy[] = "\xEF\x83\x85",
                            kTarget[] = "\xEF\x81\x9B", kChip[] = "\xEF\x8B\x9B",
                            kServer[] = "\xEF\x88\xB3", kWarn[] = "\xEF\x81\xB1",
                            kFolder[] = "\xEF\x81\xBB", kFile[] = "\xEF\x85\x9B",
                            kUp[] = "\xEF\x83\x98", kInfo[] = "\xEF\x81\x9A",
                            kClock[] = "\xEF\x80\x97";
}  // namespace icon

// The faces that were built into the program (STEPSCOPE_EMBED_FONTS). Packages of distributions
// have none and depend on the system's.
// The bytes of the font file of a name, such as "Inter-Regular.otf". They live as long as the
// program. Empty: the program has no such file. Any thread.
std::string_view EmbeddedFont(std::string_view file_name);

}  // namespace stepscope
