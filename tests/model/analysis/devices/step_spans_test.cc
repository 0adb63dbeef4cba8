// Events of devices that begin in no step that counts.
#include "model/analysis/devices/step_spans.h"

#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::KinetoText;

struct LeftOut {
  std::vector<Ps> begins;  // us
  Ps time = 0;
};

LeftOut LeftOutOf(const Trace& trace, const StepDatabase& steps, std::vector<EventRow> rows) {
  const StepSpans spans(steps);
  LeftOut found;
  LeftOutRows(trace.set, spans).ForEach(EventRows(std::move(rows)), [&](EventRow row, Ps time) {
    found.begins.push_back(trace.set.Start(row) / kPsPerUs);
    found.time += time;
  });
  return found;
}

}  // namespace

TEST_CASE("step spans: events that begin in no step of their device are left out, in any order") {
  KinetoText text;
  for (int k = 0; k < 6; ++k) text.Kernel("gemm", k + 1, 100 * k, 10);
  text.On(1, 7).Kernel("gemm", 9, 250, 20);  // no step has this device
  const auto trace = LoadBytes("t.json", text.Text(), {}).value();
  std::vector<EventRow> kernels;
  PlaneId device;
  for (uint32_t row = 0; row < trace->set.rows; ++row) {
    kernels.emplace_back(row);
    const Track& track = trace->set.tracks[trace->set.TrackOf(EventRow(row)).value];
    if (trace->set.Start(EventRow(row)) == 0) device = track.plane;
  }
  REQUIRE(kernels.size() == 7);
  StepDatabase steps;
  CHECK(LeftOutOf(*trace, steps, kernels).begins.empty());  // without steps all of it counts
  for (const Ps begin : {100, 300}) {
    DeviceStep step;
    step.step = static_cast<uint32_t>(steps.steps.size());
    step.device = device;
    step.span = {begin * kPsPerUs, (begin + 100) * kPsPerUs};
    steps.steps.emplace_back();
    steps.device_steps.push_back(step);
  }
  const LeftOut found = LeftOutOf(*trace, steps, kernels);
  CHECK(found.begins == std::vector<Ps>{0, 200, 400, 500, 250});
  CHECK(found.time == 60 * kPsPerUs);
  std::reverse(kernels.begin(), kernels.end());
  CHECK(LeftOutOf(*trace, steps, kernels).begins == std::vector<Ps>{250, 500, 400, 200, 0});
}

}  // namespace stepscope
