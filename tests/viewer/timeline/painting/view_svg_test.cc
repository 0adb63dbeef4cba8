// Tests that the vector picture holds what the screen shows, and of the commands that ask for it.
#include "viewer/timeline/painting/view_svg.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

size_t Count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

CommandArgs TextArgs(const std::string& text) {
  CommandArgs args;
  args.text = text;
  return args;
}

}  // namespace

TEST_CASE("view svg: slices, their names and those of tracks, for any reader of XML") {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU <0>", PlaneKind::kGpu);
  maker.Track(gpu, "Stream #1", TrackKind::kStream,
              {{"f<int>&", 0, kPsPerMs}, {"g\xFF", 2 * kPsPerMs, kPsPerMs}});
  maker.Counter(gpu, "power", {1, 4, 2});
  ViewerFixture f;
  f.Open(maker.Finish());
  const std::string svg = f.viewer->TimelineSvg();
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(Count(svg, "<g") == Count(svg, "</g>"));
  CHECK(Count(svg, "f&lt;int&gt;&amp;") == 2);  // the title of the slice, and its label
  CHECK(svg.find("GPU &lt;0&gt;") != std::string::npos);
  CHECK(svg.find("g\xEF\xBF\xBD") != std::string::npos);
  CHECK(svg.find("<path d=\"M") != std::string::npos);  // the counter
}

TEST_CASE("view svg: what is out of sight is not in it") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs args;
  args.range = {0, 80 * kPsPerUs};
  f.Push("view.set_range", args);
  f.WaitIdle();
  const std::string svg = f.viewer->TimelineSvg();
  CHECK(svg.find("sgemm_128x64 \xC2\xB7 90") != std::string::npos);
  CHECK(svg.find("bn_fw_tr") == std::string::npos);
}

TEST_CASE("export picture: with a path at once, without one where the dialog says") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Push("file.export_svg", TextArgs("/tmp/a.svg"));
  f.Frame(3);
  CHECK(f.services.saved_path == "/tmp/a.svg");
  CHECK_FALSE(f.services.replaced);
  CHECK(f.services.saved.starts_with("<svg"));
  f.services.saved.clear();
  f.Push("file.export_png");
  CommandArgs over = TextArgs("/tmp/b.svg");  // the ending says what it is
  over.replace = true;
  f.Push("file.write", over);
  f.Frame(3);
  CHECK(f.services.saved_path == "/tmp/b.svg");
  CHECK(f.services.replaced);
  CHECK(f.services.saved.starts_with("<svg"));
}

TEST_CASE("export picture: a PNG is that part of the window") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.viewer->commands().Push("file.export_png", TextArgs("/tmp/a.png"));
  PictureRequest picture;
  for (int i = 0; i < 4 && !f.viewer->TakePicture(&picture); ++i) f.Frame();
  CHECK(picture.name == "/tmp/a.png");
  CHECK(picture.width > 1000);
  CHECK(picture.height > 200);
  CHECK(picture.y >= 0);
}

TEST_CASE("view svg: the length of a measured range stands on the ruler, not on the steps") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Push("measure.set", {.range = {2 * kPsPerMs, 5 * kPsPerMs}});
  f.WaitIdle();
  const std::string svg = f.viewer->TimelineSvg();
  const DrawnText text;
  const TextPiece& length = text.At("3 ms");
  const TextPiece& tick = text.At("4 ms");
  // On the line of the ruler's ticks, and so in the picture.
  CHECK(std::abs(length.middle().y - tick.middle().y) < 5);
  const auto y_of = [&](const char* what) {
    const size_t at = svg.find(what), tag = svg.rfind("<text", at), y = svg.find(" y=\"", tag);
    REQUIRE(at != std::string::npos);
    return std::stod(svg.substr(y + 4));
  };
  CHECK(std::abs(y_of(">3 ms<") - y_of(">4 ms<")) < 5);
}
