// A small profile of a GPU with marked steps, and what holds for the losses of any profile.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "model/analysis/steps/steps.h"
#include "tests/support/loaded.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::test {

struct HostEvent {
  const char* name;
  int64_t begin_us, us;
};

// Steps of 1000 us: a kernel of 500 us is launched at 400 us of the step; before that the host does
// `host_events` on the thread that launches. The marker covers the first 950 us. All times are
// multiplied by `factor`.
inline std::shared_ptr<const Trace> GpuSteps(std::vector<HostEvent> host_events,
                                             int64_t factor = 1) {
  const int64_t us = factor * kPsPerUs;
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  for (int64_t s = 0; s < 5; ++s) {
    const int64_t t = s * 1000 * us;
    host.Event("train", t, 950 * us).Stat("_r", int64_t{1}).Stat("step_num", s);
    for (const HostEvent& e : host_events) host.Event(e.name, t + e.begin_us * us, e.us * us);
    host.Event("cuLaunchKernel", t + 400 * us, 10 * us)
        .Stat("correlation_id", static_cast<uint64_t>(s + 1));
    kernels.Event("kernel", t + 420 * us, 500 * us)
        .Stat("correlation_id", static_cast<uint64_t>(s + 1));
  }
  return test::Loaded("h.xplane.pb", b.Bytes());
}

// The classes of each step sum to its time, the causes to its idle time, and a device's steps
// follow each other without a gap.
inline void CheckTilesAndSums(const StepDatabase& db) {
  for (size_t i = 0; i < db.device_steps.size(); ++i) {
    CAPTURE(i);
    const DeviceStep& d = db.device_steps[i];
    Ps sum = 0, caused = 0, idle = 0;
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      CHECK(d.class_times[c] >= 0);
      sum += d.class_times[c];
      if (IsIdle(static_cast<StepTimeClass>(c))) idle += d.class_times[c];
    }
    CHECK(sum == d.span.length());
    for (const IdleCause& cause : db.causes) {
      if (cause.step == d.step && cause.device == d.device) caused += cause.time;
    }
    CHECK(caused == idle);
    for (size_t k = i + 1; k < db.device_steps.size(); ++k) {  // the next step of the device
      if (db.device_steps[k].device != d.device) continue;
      CHECK(db.device_steps[k].span.begin == d.span.end);
      break;
    }
  }
}

}  // namespace stepscope::test
