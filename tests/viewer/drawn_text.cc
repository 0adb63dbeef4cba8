#include "tests/viewer/drawn_text.h"

#include <doctest/doctest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

namespace stepscope {
namespace {

using TexturePoint = std::pair<float, float>;

struct KnownGlyph {
  const ImFontGlyph* glyph = nullptr;
  const ImFontBaked* font = nullptr;
  float space = 0;  // the width of a blank in its font
};

// By the left top corner, which stays where a clip rectangle cuts a glyph at the right or below.
std::map<TexturePoint, KnownGlyph> GlyphsByTexture() {
  std::map<TexturePoint, KnownGlyph> glyphs;
  auto& pool = ImGui::GetIO().Fonts->Builder->BakedPool;
  for (int i = 0; i < pool.Size; ++i) {
    ImFontBaked& baked = pool[i];
    if (baked.WantDestroy) continue;
    const float space = baked.GetCharAdvance(' ');
    for (const ImFontGlyph& g : baked.Glyphs) {
      if (g.Visible) glyphs[{g.U0, g.V0}] = {&g, &baked, space};
    }
  }
  return glyphs;
}

// Puts glyphs together to pieces in the order in which they were drawn.
class PieceReader {
 public:
  explicit PieceReader(std::vector<TextPiece>* pieces) : pieces_(*pieces) {}
  void Read(const ImDrawList& list) {
    for (const ImDrawCmd& cmd : list.CmdBuffer) {
      if (cmd.UserCallback != nullptr) continue;
      for (unsigned i = 0; i + 3 <= cmd.ElemCount; i += 3) ReadTriangle(list, cmd, i);
    }
  }

 private:
  void ReadTriangle(const ImDrawList& list, const ImDrawCmd& cmd, unsigned at) {
    const auto vertex = [&](unsigned i) -> const ImDrawVert& {
      const auto index = static_cast<int>(cmd.IdxOffset + at + i);
      return list.VtxBuffer[static_cast<int>(cmd.VtxOffset + list.IdxBuffer[index])];
    };
    // The first triangle of a glyph ends at its right bottom, the second one at its left bottom.
    const ImDrawVert &first = vertex(0), &last = vertex(2);
    if (last.uv.x <= first.uv.x) return;
    const auto known = glyphs_.find({first.uv.x, first.uv.y});
    if (known == glyphs_.end()) return;
    const ImVec4& clip = cmd.ClipRect;
    const float x = (first.pos.x + last.pos.x) * 0.5f, y = (first.pos.y + last.pos.y) * 0.5f;
    if (x < clip.x || x > clip.z || y < clip.y || y > clip.w) return;
    Add(known->second, first.pos, last.pos);
  }

  void Add(const KnownGlyph& known, ImVec2 min, ImVec2 max) {
    const ImFontGlyph& glyph = *known.glyph;
    const float x = min.x - glyph.X0, y = min.y - glyph.Y0, gap = x - pen_x_;
    const auto near = [](float a, float b) { return std::abs(a - b) < 0.75f; };
    // A blank, or a thin one between digits. What stands further apart is other text.
    const bool blank = near(gap, known.space) || (gap >= 1 && gap < known.font->Size * 0.3f);
    if (known.font != font_ || !near(y, pen_y_) || !(near(gap, 0) || blank)) {
      pieces_.push_back({{}, min, max});
    } else if (blank) {
      pieces_.back().text += ' ';
    }
    std::array<char, 5> utf8{};
    ImTextCharToUtf8(utf8.data(), glyph.Codepoint);
    TextPiece& piece = pieces_.back();
    piece.text += utf8.data();
    piece.min = {std::min(piece.min.x, min.x), std::min(piece.min.y, min.y)};
    piece.max = {std::max(piece.max.x, max.x), std::max(piece.max.y, max.y)};
    pen_x_ = x + glyph.AdvanceX;
    pen_y_ = y;
    font_ = known.font;
  }

  std::map<TexturePoint, KnownGlyph> glyphs_ = GlyphsByTexture();
  std::vector<TextPiece>& pieces_;
  const ImFontBaked* font_ = nullptr;  // of the last glyph
  float pen_x_ = 0, pen_y_ = 0;        // behind it
};

}  // namespace

DrawnText::DrawnText() {
  PieceReader reader(&pieces_);
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) reader.Read(*list);
}

const TextPiece* DrawnText::Find(std::string_view text) const {
  const auto found = std::find_if(pieces_.begin(), pieces_.end(),
                                  [&](const TextPiece& piece) { return piece.text == text; });
  return found != pieces_.end() ? &*found : nullptr;
}

const TextPiece& DrawnText::At(std::string_view text) const {
  const TextPiece* piece = Find(text);
  REQUIRE_MESSAGE(piece != nullptr, std::string(text), " is not drawn:\n", All());
  return *piece;
}

bool DrawnText::Has(std::string_view text) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const TextPiece& piece) {
    return piece.text.find(text) != std::string::npos;
  });
}

std::string DrawnText::RightOf(std::string_view text) const {
  const TextPiece* left = Find(text);
  if (left == nullptr) return {};
  std::vector<const TextPiece*> right;
  for (const TextPiece& piece : pieces_) {
    const float y = piece.middle().y;
    if (piece.min.x > left->max.x && y > left->min.y - 4 && y < left->max.y + 4)
      right.push_back(&piece);
  }
  std::stable_sort(right.begin(), right.end(),
                   [](const TextPiece* a, const TextPiece* b) { return a->min.x < b->min.x; });
  std::string out;
  for (const TextPiece* piece : right) out += (out.empty() ? "" : " | ") + piece->text;
  return out;
}

std::string DrawnText::All() const {
  std::string out;
  for (const TextPiece& piece : pieces_) out += piece.text + "\n";
  return out;
}

namespace {

DrawnText DrawUntil(PanelFixture& f, const std::function<void(const PanelContext&)>& draw,
                    const std::function<bool()>& busy) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  for (int calm = 0; calm < 5 && std::chrono::steady_clock::now() < limit;) {
    f.Frame(draw);
    calm = busy() ? 0 : calm + 1;
    if (calm == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK_FALSE(busy());
  return {};
}

}  // namespace

DrawnText DrawCalm(PanelFixture& fixture, Panel& panel) {
  return DrawUntil(
      fixture, [&](const PanelContext& context) { panel.Draw(context); },
      [&] { return panel.animating() || fixture.analyses.busy(); });
}

DrawnText DrawCalm(PanelFixture& fixture, const std::function<void(const PanelContext&)>& draw) {
  return DrawUntil(fixture, draw, [&] { return fixture.analyses.busy(); });
}

}  // namespace stepscope
