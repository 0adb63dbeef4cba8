// Small drawing helpers over ImDrawList: text that is right-aligned or cut with an ellipsis,
// pixel-snapped lines and boxes, icon buttons. Sizes are in pixels. UI thread, inside a frame.
#pragma once

#include <imgui.h>

#include <string_view>

#include "viewer/core/look/fonts.h"
#include "viewer/core/look/theme.h"

namespace stepscope {

inline constexpr const char kEllipsis[] = "\xE2\x80\xA6";

// A place to draw with a font size in scaled pixels.
struct Pen {
  ImDrawList* list;
  const Theme& theme;
  const Fonts& fonts;
  float unit;  // pixels of 1/14 of the UI font: 1 at scale 1

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
  void Box(float x, float y, float w, float h, Rgba color, float rounding = 0) const;
  void Frame(float x, float y, float w, float h, Rgba color, float rounding = 0,
             float thickness = 1) const;
  void HLine(float x0, float x1, float y, Rgba color) const;
  void VLine(float x, float y0, float y1, Rgba color) const;
};

// Size in pixels (TypeSize times the scale) of the current frame.
float ScaledSize(float at_scale_1);
Pen MakePen(const Theme& theme, const Fonts& fonts);  // on the current window's list

// A square button with an icon; `fallback` is its text without an icon font. The tooltip names it
// and its key.
bool IconButton(const char* id, const char* icon, const char* fallback, const char* tooltip,
                bool on, const Fonts& fonts, const Theme& theme, float size);

// Cuts a text in the middle so that it fits: "/home/…/run/file". A given share of what remains
// stands before the ellipsis; the end of a path (run and file) matters more. Writes into the buffer
// and returns a view of it.
std::string_view MiddleCut(std::string_view text, float width, char* buffer, size_t size,
                           double head_share = 1.0 / 3);

}  // namespace stepscope
