// Tests that Python stacks leave the timeline and come back, on stacks that PyTorch recorded.
#include "viewer/timeline/layout/python_frames.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "loaders/loader.h"
#include "tests/support/source_paths.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

std::shared_ptr<const Trace> Stacks() {
  Progress progress;
  auto trace = LoadPath(test::SourcePath("tests/data/torch_cpu_stack.json.gz"), {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

bool IsFrame(const Trace& trace, EventRow row) {
  return trace.names().metas[trace.set.Meta(row).value].category == EventCategory::kPythonFunction;
}

size_t Bright(const ViewerFixture& f) {
  size_t n = 0;
  for (const uint32_t t : f.canvas().texels) {
    const uint32_t alpha = texel::Alpha(t);
    n += (alpha & texel::kOpaque) != 0 && (alpha & texel::kDim) == 0 ? 1u : 0u;
  }
  return n;
}

EventRow First(const Trace& trace, std::string_view name) {
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    if (trace.set.Name(EventRow(row)) == name) return EventRow(row);
  }
  return EventRow();
}

// Waits for the job that hides frames.
void Settle(ViewerFixture& f) {
  f.Frame(2);
  for (int i = 0; i < 5000 && f.viewer->animating(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    f.Frame();
  }
  REQUIRE_FALSE(f.viewer->animating());
}

EventRow FirstFrame(const Trace& trace) {
  uint32_t row = 0;
  while (row < trace.set.rows && !IsFrame(trace, EventRow(row))) ++row;
  return EventRow(row);
}

}  // namespace

TEST_CASE("python frames: what is left is every other slice, nested among its like") {
  const auto trace = Stacks();
  const auto rest = LeaveOutPython(*trace);
  REQUIRE(rest);
  CHECK(rest->set.rows == 3152 + 16);  // cpu_op and user_annotation, by python's json
  size_t wrong_event = 0, frames = 0;
  std::vector<uint32_t> by_depth;
  for (const Lane& lane : rest->set.lanes) {
    CHECK(lane.kind == LaneKind::kNested);
    by_depth.push_back(lane.size());
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const EventRow own = rest->set.source[lane.first_row + i];
      wrong_event += trace->set.Start(own) != lane.start[i] ||
                             trace->set.Duration(own) != lane.dur[i] ||
                             rest->row[own.value] != EventRow(lane.first_row + i)
                         ? 1u
                         : 0u;
      frames += IsFrame(*trace, own) ? 1u : 0u;
    }
  }
  // Python's json and a stack gave these numbers. ProfilerStep is the outermost again, though its
  // frame overlaps it.
  CHECK(by_depth == std::vector<uint32_t>{4, 140, 968, 1128, 596, 328, 4});
  CHECK(wrong_event == 0);
  CHECK(frames == 0);
}

TEST_CASE("python frames: a trace without any has nothing to leave out") {
  CHECK(LeaveOutPython(*TrainingTrace()) == nullptr);
}

TEST_CASE(
    "python frames: H takes them off the timeline and brings them back, as the settings say") {
  ViewerFixture f;
  f.Open(Stacks());
  const uint32_t all = f.canvas().rows;
  f.Key(ImGuiKey_H);
  Settle(f);
  CHECK(f.canvas().rows == 4 + 7 + 1);  // headings, ops, memory
  CHECK(all > f.canvas().rows);
  CHECK_FALSE(f.viewer->settings().python_frames);
  const uint32_t hidden = f.canvas().rows;
  f.Key(ImGuiKey_H);
  Settle(f);
  CHECK(f.canvas().rows == all);
  ViewerFixture again({1920, 1080}, "timeline.python_frames = false\n");
  again.Open(Stacks());
  Settle(again);
  CHECK(again.canvas().rows == hidden);
}

TEST_CASE(
    "python frames: while hidden, ops are found, shown bright and clicked; a frame comes back") {
  ViewerFixture f;
  const auto trace = Stacks();
  f.Open(trace);
  f.Key(ImGuiKey_H);
  Settle(f);
  const uint32_t hidden = f.canvas().rows;
  const EventRow op = First(*trace, "aten::addmm"), frame = FirstFrame(*trace);
  REQUIRE(op.valid());
  REQUIRE(IsFrame(*trace, frame));
  const EventRef ref{f.session.profiles[0].id, 0, op};
  f.Push("view.set_range",
         {.text = {},
          .range = {trace->set.Start(op), trace->set.Start(op) + trace->set.Duration(op)},
          .event = {},
          .events = {}});
  f.Push("select.show_events", {.text = {}, .range = {}, .event = {}, .events = {ref}});
  f.Frame(40);
  CHECK(f.viewer->view().selected == ref);
  CHECK(Bright(f) >= f.canvas().width / 2);
  CHECK(f.canvas().rows <= hidden);  // the op is in sight as it is
  f.Push("select.clear");
  f.Push("select.clear");
  REQUIRE_FALSE(f.viewer->view().selected.valid());
  // The row of the op: below the heading, under what encloses it.
  const float x = f.canvas().x + static_cast<float>(f.canvas().width) / 2;
  bool clicked = false;
  for (float y = f.canvas().y + 30; y < f.canvas().y + 400 && !clicked; y += 8) {
    f.Click(x, y);
    const EventRow row = f.viewer->view().selected.row;
    CHECK_FALSE((row.valid() && IsFrame(*trace, row)));
    clicked = row == op;
  }
  CHECK(clicked);
  f.Push("select.reveal", {.text = {}, .range = {}, .event = {ref.trace, 0, frame}, .events = {}});
  f.Frame(3);
  CHECK(f.viewer->settings().python_frames);
}
