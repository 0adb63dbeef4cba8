// The diagnostics panel shows what was counted, the worst first, and the chosen row in full.
#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> TraceWith(const Diagnostics& diagnostics) {
  test::TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  maker.Track(host, "python3", TrackKind::kThread, {{"op", 0, kPsPerMs}});
  maker.trace().diagnostics = diagnostics;
  return maker.Finish();
}

TEST_CASE(
    "diagnostics: a row says how bad, what, and how many; its places stand below, a line each") {
  Diagnostics diagnostics;
  diagnostics.Count("test.clipped", Severity::kWarning, "Clipped.", "a.pb byte 17", 2);
  diagnostics.Count("test.clipped", Severity::kWarning, "Clipped.", "a.pb byte 40", 235);
  diagnostics.Count("test.note", Severity::kInfo, "Noted.", "b.pb", 3);
  PanelFixture f;
  OpenTrace(f, TraceWith(diagnostics));
  const auto panel = FindPanel("diagnostics")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.RightOf("warning").find("237") != std::string::npos);
  CHECK(text.RightOf("warning").find("Clipped.") != std::string::npos);
  CHECK(text.RightOf("info").find("3") != std::string::npos);
  CHECK(text.At("info").min.y > text.At("warning").min.y);
  CHECK(text.At("a.pb byte 40").min.y > text.At("a.pb byte 17").min.y);
  CHECK(text.pieces().back().text == "a.pb byte 40");  // the first row is the chosen one
}

TEST_CASE("diagnostics: a profile that loads without trouble has nothing to tell") {
  PanelFixture f;
  OpenTrace(f, TraceWith({}));
  const auto panel = FindPanel("diagnostics")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("Nothing was repaired, dropped or clipped: the file was read as it is."));
}

}  // namespace
}  // namespace stepscope
