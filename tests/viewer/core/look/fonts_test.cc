#include "viewer/core/look/fonts.h"

#include <doctest/doctest.h>

#include "tests/viewer/panel_fixture.h"

namespace stepscope {
namespace {

TEST_CASE("every face has the character that stands for bytes that are no text") {
  PanelFixture f;
  for (ImFont* font : {f.fonts.ui, f.fonts.bold, f.fonts.mono, f.fonts.mono_bold})
    CHECK(font->IsGlyphInFont(0xfffd));
}

}  // namespace
}  // namespace stepscope
