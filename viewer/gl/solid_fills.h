// SolidFills: large areas of one colour, such as bars, headings and charts, need neither the font
// atlas nor, where they are opaque, what lies below. Dear ImGui draws all triangles with one
// program that reads both, which a software renderer pays for at every pixel. SolidFills splits the
// lists of a frame, so that such areas get a program of their own. The picture stays the same. A
// graphics processor loses more by changing programs than it saves (IsSoftwareRenderer). It owns
// its GL objects, so its context must be current whenever it is used and when it goes. UI thread
// only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "viewer/gl/program.h"

struct ImDrawCmd;
struct ImDrawData;
struct ImDrawList;
struct ImVec2;

namespace stepscope {

// Triangles of a command that need no texture: indices [begin, end) of the command's own.
struct SolidRun {
  uint32_t begin = 0, end = 0;
  bool opaque = false;  // all corners are
};

// Finds the runs that fill at least `least` pixels, in ascending order. A pixel that is filled
// twice counts twice. `white` is the place of the atlas whose texel is white. O(triangles)
std::vector<SolidRun> FindSolidRuns(const ImDrawList& list, const ImDrawCmd& command, ImVec2 white,
                                    float least);

class SolidFills {
 public:
  SolidFills();
  SolidFills(const SolidFills&) = delete;
  SolidFills& operator=(const SolidFills&) = delete;

  // Splits the lists of a frame that ImGui::Render() has finished. The backend draws them once,
  // before the next call. The lists stay as they are if the program cannot be used. O(triangles)
  void Split(ImDrawData& data);
  // Returns why the program cannot be used; empty: it can.
  std::string WhyUnusable() const { return program_.WhyUnusable(); }

 private:
  // Triangles are drawn by Dear ImGui's program, or by that without a texture.
  enum DrawMode : uint8_t { kUsual, kBlended, kOpaque, kModes };
  struct Change {  // what a callback is told
    SolidFills* self = nullptr;
    DrawMode mode = kUsual;
  };
  void SplitList(ImDrawList& list);
  void Prepare();
  void Use(DrawMode mode);
  static void Callback(const ImDrawList* list, const ImDrawCmd* command);

  const GlProgram program_;
  const bool usable_;
  int projection_ = -1;                 // place of the uniform
  int usual_program_ = 0;               // of Dear ImGui
  std::array<float, 4> window_{};       // of this frame: left, top, right, bottom
  bool prepared_ = false;               // this frame's vertex array and uniform are set
  std::array<Change, kModes> changes_;  // the lists point at them
};

}  // namespace stepscope
