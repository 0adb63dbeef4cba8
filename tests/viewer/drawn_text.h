// DrawnText: the text of a frame, read back from its vertices, so that a test sees what a person
// reads, whatever draws it. Every glyph has its place in the font atlas; its texture coordinates
// tell which it is.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/viewer/panel_fixture.h"

namespace stepscope {

// Text that was drawn in one line without a gap.
struct TextPiece {
  std::string text;
  ImVec2 min, max;  // in pixels of the display
  ImVec2 middle() const { return {(min.x + max.x) * 0.5f, (min.y + max.y) * 0.5f}; }
};

class DrawnText {
 public:
  // Reads the last frame rendered. Text outside of its clip rectangle is left out.
  DrawnText();

  const std::vector<TextPiece>& pieces() const { return pieces_; }
  // The first piece that is this text, or null.
  const TextPiece* Find(std::string_view text) const;
  // The same, which has to be there: fails the test.
  const TextPiece& At(std::string_view text) const;
  // Whether some piece contains the text.
  bool Has(std::string_view text) const;
  // The pieces on the line of this text that stand to its right, from left to right, with " | "
  // between them. Empty: there are none, or no such text.
  std::string RightOf(std::string_view text) const;
  // All pieces, a line each in the order of drawing: for messages of tests that fail.
  std::string All() const;

 private:
  std::vector<TextPiece> pieces_;
};

// Draws until nothing is computed any more, and at least five times: sizes settle in the first
// frames.
DrawnText DrawCalm(PanelFixture& fixture, Panel& panel);
// The same of what is no panel.
DrawnText DrawCalm(PanelFixture& fixture, const std::function<void(const PanelContext&)>& draw);

}  // namespace stepscope
