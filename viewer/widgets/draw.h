// Small drawing helpers over ImDrawList: text that is right-aligned or cut with an ellipsis,
// pixel-snapped lines and boxes, icon buttons. Sizes are in pixels. UI thread, inside a frame.
#pragma once

#include <imgui.h>

#include <string_view>

#include "viewer/core/look/fonts.h"
#include "viewer/core/look/texel_sink.h"
#include "viewer/core/look/theme.h"

namespace stepscope {

inline constexpr const char kEllipsis[] = "\xE2\x80\xA6";

// A place to draw, with font sizes in scaled pixels. The virtual functions are the shapes of which
// everything else is made: a Pen adds them to `list`, a SvgPen (view_svg.cc) writes them.
struct Pen {
  ImDrawList* list;  // null: a vector picture
  const Theme& theme;
  const Fonts& fonts;
  float unit;  // pixels of 1/14 of the UI font: 1 at scale 1

  Pen(ImDrawList* to, const Theme& colors, const Fonts& faces, float pixels)
      : list(to), theme(colors), fonts(faces), unit(pixels) {}
  virtual ~Pen() = default;

  bool has_titles() const { return list == nullptr; }  // else Box ignores them

  float Px(float at_scale_1) const;  // whole pixels
  float Width(ImFont* font, float size, std::string_view text) const;
  float Text(ImFont* font, float size, float x, float y, Rgba color,
             std::string_view text) const;  // returns the right edge
  float TextRight(ImFont* font, float size, float right, float y, Rgba color,
                  std::string_view text) const;
  // Draws in [x, right], cut at the end. Returns false if fewer than `least` letters fit. *whole
  // tells whether the text is uncut.
  bool TextFit(ImFont* font, float size, float x, float right, float y, Rgba color,
               std::string_view text, bool* whole = nullptr) const;
  void HLine(float x0, float x1, float y, Rgba color) const;
  void VLine(float x, float y0, float y1, Rgba color) const;

  // `title`: what a vector picture says when the mouse is over it.
  void Box(float x, float y, float w, float h, Rgba color, float rounding = 0,
           std::string_view title = {}) const;

  virtual void Fill(ImVec2 min, ImVec2 max, Rgba color, float rounding,
                    std::string_view title) const;
  virtual void Frame(float x, float y, float w, float h, Rgba color, float rounding = 0,
                     float thickness = 1) const;
  virtual void Triangle(ImVec2 a, ImVec2 b, ImVec2 c, Rgba color) const;
  virtual void Line(ImVec2 a, ImVec2 b, Rgba color, float thickness) const;
  // From `a` to `b`, pulled towards `c` and `d`.
  virtual void Curve(ImVec2 a, ImVec2 c, ImVec2 d, ImVec2 b, Rgba color, float thickness) const;
  virtual void Disc(ImVec2 middle, float radius, Rgba color) const;
  virtual void Circle(ImVec2 middle, float radius, Rgba color, float thickness) const;
  virtual void Hatch(texel::Pattern pattern, ImVec2 min, ImVec2 max, Rgba color) const;
  virtual void Letters(ImFont* font, float pixels, ImVec2 at, Rgba color,
                       std::string_view text) const;
  // Until PopClip, nothing is drawn outside of the box and of those pushed before.
  virtual void PushClip(float x, float y, float right, float bottom) const;
  virtual void PopClip() const;
};

// Size in pixels (TypeSize times the scale) of the current frame.
float ScaledSize(float at_scale_1);
Pen MakePen(const Theme& theme, const Fonts& fonts);  // on the current window's list

// A square button with an icon; `fallback` is its text without an icon font. The tooltip names it
// and its key.
bool IconButton(const char* id, const char* icon, const char* fallback, const char* tooltip,
                bool on, const Fonts& fonts, const Theme& theme, float size);

// Cuts a text in the middle so that it fits: "/home/…/run/file". `head_share` of the letters that
// remain stand before the ellipsis: the end of a path, run and file, matters more. Returns a view
// of the buffer.
std::string_view MiddleCut(std::string_view text, float width, char* buffer, size_t size,
                           double head_share = 1.0 / 3);

}  // namespace stepscope
