// Tests of the critical path on the timeline: it is asked for, found in the background, drawn,
// and hidden again.
#include "viewer/timeline/interaction/path_view.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

constexpr const char* kPathColor = "stroke=\"#e0a93b\"";  // Role::kWarning

}  // namespace

TEST_CASE("critical path: a command shows it and selects its events, and hides it again") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs range;
  range.range = {kPsPerMs, 3 * kPsPerMs};
  f.Push("path.show", range);
  f.WaitIdle();
  const ViewState& view = f.viewer->view();
  const std::string svg = f.viewer->TimelineSvg();
  CHECK(svg.find(kPathColor) != std::string::npos);
  // 8 kernels a millisecond on one stream.
  CHECK(view.shown.size() == 16);
  const TrackSet& set = f.session.profiles[0].trace->set;
  for (const EventRef& event : view.shown.events()) CHECK(set.Start(event.row) >= kPsPerMs);
  f.Push("path.show");
  f.WaitIdle();
  CHECK(f.viewer->TimelineSvg().find(kPathColor) == std::string::npos);
  CHECK(view.shown.empty());
}

TEST_CASE("critical path: Escape takes it away, and one command shows it again") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs range;
  range.range = {kPsPerMs, 3 * kPsPerMs};
  f.Push("path.show", range);
  f.WaitIdle();
  f.Push("select.clear");
  f.WaitIdle();
  CHECK(f.viewer->TimelineSvg().find(kPathColor) == std::string::npos);
  CHECK(f.viewer->view().shown.empty());
  f.Push("path.show");
  f.WaitIdle();
  CHECK(f.viewer->TimelineSvg().find(kPathColor) != std::string::npos);
}

TEST_CASE("critical path: without a range it is of the step in sight, else of the view") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs range;
  range.range = {2 * kPsPerMs, 4 * kPsPerMs};
  f.Push("view.set_range", range);
  f.Push("path.show");
  f.WaitIdle();
  // No steps are known, so the path covers the view, which stays.
  CHECK(f.viewer->view().shown.size() == 16);
  CHECK(f.visible() == range.range);
}

TEST_CASE("critical path: in words") {
  TraceMaker maker;
  for (const char* gpu : {"GPU 0", "GPU 1"})
    maker.Track(maker.Plane(gpu, PlaneKind::kGpu), "Stream", TrackKind::kStream,
                {{"k", 0, 10 * kPsPerMs}});
  const auto trace = maker.Finish();
  CriticalPath path;
  CHECK(PathText(path, *trace) == "No critical path: no device works here");
  path.device = PlaneId(0);
  path.span = {0, 10 * kPsPerMs};
  // The path goes over to the device whose participant of a collective came last.
  path.parts = {{PathPart::Kind::kDevice, EventRow(1), {0, 3 * kPsPerMs}},
                {PathPart::Kind::kDevice, EventRow(0), {3 * kPsPerMs, 4 * kPsPerMs}}};
  path.times = {4 * kPsPerMs, kPsPerMs, 3 * kPsPerMs, 0};
  const std::string text = PathText(path, *trace);
  CHECK(text.starts_with("Critical path: 3"));
  CHECK(text.find(" on GPU 1, 1") != std::string::npos);
  CHECK(text.find(" on GPU 0, ") != std::string::npos);
  CHECK(text.find(" launches, ") != std::string::npos);
  CHECK(text.find(" not recorded") != std::string::npos);
  CHECK(text.find("blocking") == std::string::npos);
}

TEST_CASE("critical path: its own events light up, not those around them") {
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  maker.Track(host, "main", TrackKind::kThread,
              {{"step", 0, 10 * kPsPerMs}, {"launch", kPsPerMs, 2 * kPsPerMs}});
  const auto trace = maker.Finish();
  CriticalPath path;
  // The function around the launch lies on the path for a tenth of its time.
  path.parts = {{PathPart::Kind::kHost, EventRow(0), {0, kPsPerMs}},
                {PathPart::Kind::kLaunch, EventRow(1), {kPsPerMs, 6 * kPsPerMs}}};
  CHECK(PathEvents(path, *trace) == std::vector{EventRow(1)});
  path.parts.pop_back();
  CHECK(PathEvents(path, *trace) == std::vector{EventRow(0)});  // nothing else is there
}
