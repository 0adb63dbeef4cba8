// The overlays of errors, above the welcome page and profiles.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

using test::ViewerFixture;

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

TEST_CASE("error: a profile that came in part says so, and offers the rest") {
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1920, 1080)}) {
    ViewerFixture f(size);
    f.Open(test::TrainingTrace());
    f.session.profiles.back().cut = true;
    ++f.session.generation;
    f.session.error = "node7: the connection ended, after 1.0 MB: what came is shown";
    f.Frame(3);
    CHECK(DrawnText().Has("This could not be opened"));
    f.session.rest_of = f.session.profiles.back().id;
    f.Frame(3);
    CHECK_FALSE(DrawnText().Has("This could not be opened"));
    CHECK(DrawnText().Has("Not all of the profile has come"));
    const TextPiece title = DrawnText().At("Not all of the profile has come");
    const TextPiece close = DrawnText().At("Close");
    // The strip above offers the same.
    const DrawnText drawn;
    const auto rest =
        std::find_if(drawn.pieces().begin(), drawn.pieces().end(), [&](const TextPiece& piece) {
          return piece.text == "Load the rest" && piece.min.y > title.max.y;
        });
    REQUIRE(rest != drawn.pieces().end());
    CHECK(rest->max.x < close.min.x);
    f.Click(rest->middle().x, rest->middle().y);
    f.Frame(2);
    CHECK(f.services.rest_of == f.session.rest_of);
  }
}

TEST_CASE("loading: bytes that an earlier load got are told apart, and are not in the rate") {
  ViewerFixture f({1280, 800});
  LoadingView& loading = f.session.loading.emplace();
  loading.path = "ssh://node7/x";
  loading.stage = "Receiving the rest of the profile";
  loading.seconds = 3;
  loading.stage_seconds = 2;
  loading.bytes_done = 12'400'000;
  loading.bytes_before = 3'000'000;
  f.Frame(3);
  CHECK(DrawnText().Has("12.4 MB"));
  CHECK(DrawnText().Has("3.0 MB already here"));
  CHECK(DrawnText().Has("4.7 MB/s"));
}

}  // namespace
}  // namespace stepscope
