#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

using test::ViewerFixture;

const char* const kWho = "Claude (python3, process 4711)";

TEST_CASE("status bar: says who moves the window, and a click ends it") {
  ViewerFixture f({1280, 800});
  f.Open(test::TrainingTrace());
  f.WaitIdle();
  CHECK(DrawnText().Find("End") == nullptr);

  f.Push("app.agents");
  CHECK(f.services.agents_allowed == true);
  f.session.agents.allowed = true;
  f.Frame(2);
  CHECK(DrawnText().Find("Agents may move this window") != nullptr);
  f.session.agents.who = kWho;
  f.Frame(2);
  CHECK(DrawnText().Find("Moved by " + std::string(kWho)) != nullptr);

  f.services.agents_allowed.reset();
  const ImVec2 end = DrawnText().At("End").middle();
  f.Click(end.x, end.y);
  f.Frame(2);
  CHECK(f.services.agents_allowed == false);
}

TEST_CASE("status bar: a long name leaves room for the switch, also without a profile") {
  for (const bool open : {true, false}) {
    ViewerFixture f({1000, 700});
    if (open) f.Open(test::TrainingTrace());
    f.session.agents = {true, std::string(200, 'x')};
    f.Frame(4);
    const TextPiece end = DrawnText().At("End");
    CHECK(end.max.x < 1000);
  }
}

TEST_CASE("a first picture does not pass for the profile: strip, pages and status bar say so") {
  ViewerFixture f({1280, 800});
  f.Open(test::TrainingTrace());
  f.session.profiles.back().arriving = true;
  ++f.session.generation;
  f.Frame(3);
  const DrawnText arriving;
  CHECK(arriving.Find("slices of a first picture") != nullptr);
  CHECK(arriving.Has("analysed once all of it has come"));
  CHECK(arriving.Has("This page is made once all of the profile has come."));
  CHECK(arriving.Find("to load") == nullptr);
  f.session.profiles.back().arriving = false;
  ++f.session.generation;
  f.Frame(3);
  CHECK(DrawnText().Find("slices of a first picture") == nullptr);
  CHECK(DrawnText().Find("to load") != nullptr);
}

TEST_CASE("status bar: why agents cannot be allowed is said") {
  ViewerFixture f;
  f.Open(test::TrainingTrace());
  f.services.agents_error = "/run/user/1: others may enter it";
  f.Push("app.agents");
  f.Frame(2);
  CHECK(DrawnText().Has("others may enter it"));
}

}  // namespace
}  // namespace stepscope
