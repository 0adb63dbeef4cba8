// The overlays of errors, above the welcome page and profiles.
#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

using testing::ViewerFixture;

TEST_CASE("error: a host without Stepscope gets a copy by a click, other errors offer none") {
  ViewerFixture f({1280, 800});
  f.session.error = "node7: Stepscope is not installed there";
  f.Frame(3);
  CHECK(DrawnText().Has("not installed there"));
  CHECK(DrawnText().Find("Copy Stepscope there") == nullptr);
  f.Push("file.install_there");
  CHECK(f.services.installs == 0);

  f.session.can_install = true;
  f.Frame(3);
  const TextPiece button = DrawnText().At("Copy Stepscope there"), close = DrawnText().At("Close");
  CHECK(button.max.x < close.min.x);
  f.Click(button.middle().x, button.middle().y);
  f.Frame(2);
  CHECK(f.services.installs == 1);
  f.Click(close.middle().x, close.middle().y);
  f.Frame(2);
  CHECK(f.services.dismissed == 1);
}

}  // namespace
}  // namespace stepscope
