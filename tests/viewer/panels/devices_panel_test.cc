// The devices panel shows tables of several analyses; each has the numbers that the trace is made
// with. Times are in us.
#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"

namespace stepscope {
namespace {

// GPU 0 works 60 of 100 us, 20 of them on a copy of 4 MB; both kernels wait 6 us for their stream.
std::shared_ptr<const Trace> OneDevice() {
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 100);
  t.Launch(1, 0, 4).Kernel("gemm", 1, 10, 20).Launch(2, 50, 4).Kernel("gemm", 2, 60, 20);
  t.Launch(3, 82, 4, "cudaMemcpyAsync");
  t.Device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 3, 90, 20, "\"bytes\":4000000");
  return LoadBytes("t.json", t.Text(test::kH100), {}).value();
}

DrawnText AfterClickOn(std::string_view title, PanelFixture& f, Panel& panel) {
  const ImVec2 at = DrawCalm(f, panel).At(title).middle();
  f.Click(at.x, at.y, [&](const PanelContext& context) { panel.Draw(context); });
  return DrawCalm(f, panel);
}

TEST_CASE("devices: the first page says how busy a GPU is, others what it does and what waits") {
  PanelFixture f;
  OpenTrace(f, OneDevice());
  const auto panel = FindPanel("devices")->create();
  const DrawnText devices = AfterClickOn("Devices", f, *panel);
  {
    CAPTURE(devices.All());
    CHECK(devices.RightOf("t").starts_with(
        "GPU 0 | NVIDIA H100 80GB HBM3 | 60.0 % | 60.00 | 100.0 | "));
  }
  const DrawnText delay = AfterClickOn("Launch delay", f, *panel);
  {
    CAPTURE(delay.All());
    // 6, 6 and 4 us from the end of the call.
    CHECK(delay.RightOf("GPU 0") ==
          "Stream #7 | 3 | 0 | 5.333 | 6.000 | 6.000 | 6.000 | 0.311 | 1");
  }
  const DrawnText copies = AfterClickOn("Copies", f, *panel);
  {
    CAPTURE(copies.All());
    CHECK(copies.RightOf("GPU 0") == "Host to device | pinned | 1 | 3.815 | 20.00 | 200.0");
  }
}

TEST_CASE("devices: a profile without devices says so") {
  PanelFixture f;
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 100);
  OpenTrace(f, LoadBytes("t.json", t.Text(), {}).value());
  const auto panel = FindPanel("devices")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("No device has events in this profile."));
}

TEST_CASE("devices: what is of an average step says so, and not that it is of the whole trace") {
  PanelFixture f;
  test::KinetoText t;
  for (int s = 0; s < 5; ++s) {
    const double at = 1000 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 999);
    t.Launch(s + 1, at + 600, 5).On(0, 7).Kernel("gemm", s + 1, at + 610, 390);
  }
  OpenTrace(f, LoadBytes("t.json", t.Text(test::kH100), {}).value());
  const auto panel = FindPanel("devices")->create();
  const DrawnText causes = AfterClickOn("Why devices are idle", f, *panel);
  CAPTURE(causes.All());
  CHECK(causes.Has("average of "));
  CHECK_FALSE(causes.Has("Whole trace"));
  CHECK(AfterClickOn("Devices", f, *panel).Has("Whole trace"));
}

}  // namespace
}  // namespace stepscope
