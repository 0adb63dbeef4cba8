// Reads back as pixels what the window's programs of OpenGL draw.
#include <doctest/doctest.h>
#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/window/headless.h"
#include "app/window/surface.h"
#include "tests/viewer/gl/shaded_texel.h"
#include "viewer/gl/program.h"
#include "viewer/gl/row_texture.h"
#include "viewer/gl/solid_fills.h"

namespace stepscope {
namespace {

constexpr PixelSize kCanvasSize{400, 300};

struct Canvas {
  Canvas() {
    auto made = HeadlessSurface::Create(kCanvasSize, 1, waker);
    if (!made.ok()) return;
    surface = std::move(made).value();
    context = ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplOpenGL3_Init("#version 330 core");
  }
  ~Canvas() {
    if (context == nullptr) return;
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(context);
  }
  // Draws one frame on a grey ground.
  template <class DrawFn>
  Image Picture(float scale, SolidFills* fills, const DrawFn& draw) {
    ImGuiIO& io = ImGui::GetIO();
    ImGui_ImplOpenGL3_NewFrame();
    surface->BeginFrame();
    io.DisplaySize = {static_cast<float>(surface->size().width) / scale,
                      static_cast<float>(surface->size().height) / scale};
    io.DisplayFramebufferScale = {scale, scale};
    ImGui::NewFrame();
    draw(ImGui::GetBackgroundDrawList());
    ImGui::Render();
    surface->BindTarget();
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0.25f, 0.25f, 0.25f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const auto commands = [] {
      int sum = 0;
      for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) sum += list->CmdBuffer.Size;
      return sum;
    };
    const int before = commands();
    if (fills != nullptr) fills->Split(*ImGui::GetDrawData());
    added = commands() - before;
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    CHECK(glGetError() == GL_NO_ERROR);
    return ReadPixels(surface->size().width, surface->size().height);
  }

  Waker waker;
  std::unique_ptr<HeadlessSurface> surface;
  ImGuiContext* context = nullptr;
  int added = 0;  // commands that the split added to the last picture
};

bool Skipped(const Canvas& canvas) {
  if (canvas.context == nullptr) MESSAGE("SKIPPED: no OpenGL without a display");
  return canvas.context == nullptr;
}

// Makes what draws with programs of OpenGL. Its programs must be usable.
template <class Drawer, class... Args>
auto Usable(Args... args) {
  auto drawer = std::make_unique<Drawer>(args...);
  REQUIRE(drawer->WhyUnusable() == "");
  return drawer;
}

// Areas and text that cover each other, so that the order of drawing shows.
void DrawMixed(ImDrawList* list) {
  list->AddRectFilled({0, 0}, {190, 140}, IM_COL32(20, 60, 90, 255));
  list->AddText({10, 10}, IM_COL32_WHITE, "covered in part");
  list->AddRectFilled({40, 5}, {150, 60}, IM_COL32(200, 30, 40, 128));
  list->AddRectFilled({20.5f, 70.25f}, {120.75f, 130.5f}, IM_COL32(30, 200, 40, 255), 9);
  list->AddTriangleFilled({60, 20}, {180, 120}, {20, 110}, IM_COL32(90, 30, 200, 200));
  list->AddRectFilledMultiColor({100, 60}, {195, 145}, IM_COL32(255, 0, 0, 255),
                                IM_COL32(0, 255, 0, 255), IM_COL32(0, 0, 255, 90),
                                IM_COL32(255, 255, 0, 255));
  list->PushClipRect({30, 100}, {90, 148});
  list->AddRectFilled({0, 90}, {300, 290}, IM_COL32(120, 120, 10, 255));
  list->AddText({35, 105}, IM_COL32_BLACK, "over an area");
  list->PopClipRect();
  list->AddText({35, 125}, IM_COL32_WHITE, "the last word");
}

TEST_CASE("large areas are drawn by a program of their own, and the picture is the same") {
  Canvas canvas;
  if (Skipped(canvas)) return;
  const auto fills = Usable<SolidFills>();
  for (const float scale : {1.0f, 2.0f}) {
    CAPTURE(scale);
    canvas.Picture(scale, nullptr, DrawMixed);  // the atlas gets its letters
    const Image usual = canvas.Picture(scale, nullptr, DrawMixed);
    CHECK(canvas.added == 0);
    const Image split = canvas.Picture(scale, fills.get(), DrawMixed);
    CHECK(canvas.added >= 10);
    CHECK(usual.rgb == split.rgb);
    // The state is as before: a frame after it has the same pixels, too.
    CHECK(canvas.Picture(scale, nullptr, DrawMixed).rgb == usual.rgb);
  }
}

TEST_CASE("triangles are found that need no texture") {
  Canvas canvas;
  if (Skipped(canvas)) return;
  std::vector<SolidRun> small, large;
  canvas.Picture(1, nullptr, [&](ImDrawList* list) {
    list->AddRectFilled({0, 0}, {100, 50}, IM_COL32(1, 2, 3, 255));   // 5,000 pixels
    list->AddRectFilled({0, 50}, {100, 60}, IM_COL32(1, 2, 3, 255));  // with it
    list->AddRectFilled({0, 0}, {10, 10}, IM_COL32(1, 2, 3, 100));    // 100 pixels
    list->AddText({0, 0}, IM_COL32_WHITE, "w");
    list->AddRectFilled({-50, 0}, {50, 100}, IM_COL32(1, 2, 3, 90));  // half of it is in sight
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    large = FindSolidRuns(*list, list->CmdBuffer[0], white, 4000);
    small = FindSolidRuns(*list, list->CmdBuffer[0], white, 50);
  });
  REQUIRE(large.size() == 2);
  CHECK(large[0].begin == 0);
  CHECK(large[0].end == 12);
  CHECK(large[0].opaque);
  CHECK(!large[1].opaque);
  REQUIRE(small.size() == 3);
  CHECK(small[1].begin == 12);
  CHECK(small[1].end == 18);
}

// Rows whose looks change after few and after many columns. The first row begins out of sight.
struct Rows {
  static constexpr uint32_t kWidth = 380, kHeight = 20;
  static constexpr std::array<TexelLine::Kind, 4> kKinds = {TexelLine::kSlices, TexelLine::kArea,
                                                            TexelLine::kStack, TexelLine::kSlices};
  std::vector<uint32_t> texels;
  std::vector<TexelLine> lines;
  explicit Rows(uint32_t seed) {
    std::mt19937 random(seed);
    for (uint16_t row = 0; row < kKinds.size(); ++row) {
      uint32_t t = 0;
      for (uint32_t x = 0; x < kWidth; ++x) {
        if (x % 110 == 0 || (x > 280 && x % 3 == 0)) t = TexelFor(kKinds[row], random);
        texels.push_back(t);
      }
      for (uint16_t y = row == 0 ? 5 : 0; y < kHeight; ++y)
        lines.push_back({row, y, kHeight, static_cast<uint16_t>(kKinds[row])});
    }
  }
  static uint32_t TexelFor(TexelLine::Kind kind, std::mt19937& random) {
    const auto any = static_cast<uint32_t>(random());
    if (kind == TexelLine::kArea) return any;
    if (kind == TexelLine::kSlices)
      return any % 4 == 0 ? texel::kEmpty
                          : texel::Make(any, random() % 2 == 0 ? texel::kOpaque : 20,
                                        random() % 3 == 0 ? texel::kDim : 0);
    const uint32_t low = any % 100;
    return low | (low + 60) << 8 | (low + 120) << 16;
  }
  TexelFrame Frame(float x, float y) const {
    TexelFrame frame;
    frame.x = x;
    frame.y = y;
    frame.width = kWidth;
    frame.rows = static_cast<uint32_t>(kKinds.size());
    frame.texels = texels;
    frame.lines = lines;
    frame.dirty_end = frame.rows;
    frame.background = test::kGround;
    frame.stack = test::kStackColors;
    return frame;
  }
};

// Counts pixels of the picture, which has the rows at (10, 30), that differ from what the shaders
// draw on the ground.
size_t WrongPixels(const Image& picture, const Rows& rows) {
  size_t wrong = 0;
  for (size_t i = 0; i < rows.lines.size(); ++i) {
    const TexelLine& line = rows.lines[i];
    const auto kind = static_cast<TexelLine::Kind>(line.kind);
    const bool gap = kind == TexelLine::kSlices && line.y + 1 == line.height;
    for (uint32_t x = 0; x < Rows::kWidth; ++x) {
      test::Color color = test::Shaded(kind, rows.texels[size_t{line.row} * Rows::kWidth + x],
                                       line.y, line.height, TexelFrame().dim);
      if (gap) color[3] = 0;
      const uint8_t* drawn =
          &picture.rgb[3 * ((30 + i) * static_cast<size_t>(picture.width) + 10 + x)];
      bool right = true;
      for (size_t c = 0; c < 3; ++c) {
        const float expected = (color[c] * color[3] + 0.25f * (1 - color[3])) * 255;
        right = right && std::fabs(expected - static_cast<float>(drawn[c])) <= 1.6f;
      }
      wrong += !right;
    }
  }
  return wrong;
}

TEST_CASE("rows of texels are drawn as their shaders say, in pieces or whole") {
  Canvas canvas;
  if (Skipped(canvas)) return;
  for (const bool in_pieces : {true, false}) {
    CAPTURE(in_pieces);
    const auto sink = Usable<RowTexture>(in_pieces);
    for (const PixelSize size : {kCanvasSize, PixelSize{640, 360}}) {
      REQUIRE(canvas.surface->Resize(size).ok());
      for (uint32_t seed = 0; seed < 5; ++seed) {
        const Rows rows(seed);
        const Image picture = canvas.Picture(
            1, nullptr, [&](ImDrawList* list) { sink->Draw(rows.Frame(10, 30), list); });
        CHECK(WrongPixels(picture, rows) == 0);
      }
    }
  }
}

TEST_CASE("rows of texels between large areas, in several lists, leave the picture the same") {
  Canvas canvas;
  if (Skipped(canvas)) return;
  const auto fills = Usable<SolidFills>();
  const auto sink = Usable<RowTexture>(true);
  const Rows rows(1);
  const auto draw = [&](ImDrawList* list) {
    DrawMixed(list);
    sink->Draw(rows.Frame(10, 30), list);
    list->AddRectFilled({200, 10}, {390, 60}, IM_COL32(10, 200, 90, 255));
    list->AddRectFilled({210, 20}, {390, 70}, IM_COL32(90, 20, 90, 120));  // the list ends with it
    ImDrawList* const above = ImGui::GetForegroundDrawList();
    above->AddRectFilled({220, 40}, {300, 290}, IM_COL32(200, 200, 90, 255));
    above->AddText({230, 60}, IM_COL32_BLACK, "above");
    above->AddRectFilled({230, 140}, {310, 280}, IM_COL32(0, 90, 200, 200));
  };
  canvas.Picture(1, nullptr, draw);  // the atlas gets its letters
  const Image usual = canvas.Picture(1, nullptr, draw);
  CHECK(canvas.Picture(1, fills.get(), draw).rgb == usual.rgb);
  CHECK(canvas.added >= 10);
  CHECK(canvas.Picture(1, nullptr, draw).rgb == usual.rgb);
}

TEST_CASE("a program that cannot be used says why") {
  Canvas canvas;
  if (Skipped(canvas)) return;
  const std::string version = "#version 330 core\n";
  const std::string vertex =
      version + "out vec2 v_at;\nvoid main() { v_at = vec2(0); gl_Position = vec4(0); }\n";
  const auto reading = [&](const std::string& type) {
    return version + "in " + type + " v_at;\nout vec4 o;\nvoid main() { o = vec4(v_at.x); }\n";
  };
  const std::string fragment = reading("vec2");
  GlProgram program(vertex, fragment);
  CHECK(program.WhyUnusable() == "");
  for (const std::string& wrong : {std::string("no shader"), reading("vec4")}) {
    CAPTURE(wrong);
    CHECK(GlProgram(vertex, wrong).WhyUnusable() != "");
  }
  GlProgram moved(std::move(program));
  CHECK(program.id() == 0);
  CHECK(program.WhyUnusable() == "there is no program");
  CHECK(moved.WhyUnusable() == "");
  CHECK(glGetError() == GL_NO_ERROR);
}

TEST_CASE("at twice the pixels a row of texels is twice as large") {
  Canvas canvas;
  if (Skipped(canvas)) return;
  const auto sink = Usable<RowTexture>(true);
  const Rows rows(1);
  const auto draw = [&](ImDrawList* list) { sink->Draw(rows.Frame(5, 4), list); };
  const Image once = canvas.Picture(1, nullptr, draw);
  REQUIRE(canvas.surface->Resize({800, 600}).ok());
  const Image twice = canvas.Picture(2, nullptr, draw);
  size_t wrong = 0;
  for (size_t y = 0; y < 600; ++y) {
    for (size_t x = 0; x < 800; ++x)
      wrong += !std::equal(&twice.rgb[3 * (y * 800 + x)], &twice.rgb[3 * (y * 800 + x)] + 3,
                           &once.rgb[3 * (y / 2 * 400 + x / 2)]);
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace stepscope
