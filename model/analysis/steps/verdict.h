// The verdict: what most step time is lost to, in one sentence, and the losses by size
// (docs/rules.md#verdict). Pure functions of the steps; any thread.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/naming/program.h"
#include "model/analysis/steps/exposed_time.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/result_table.h"
#include "model/analysis/tpu/async_waits.h"

namespace stepscope {

// A loss: the classes that one remedy is for. Copies to and from the host are one.
struct Loss {
  std::string id;      // "input", "copies"
  std::string label;   // "Waiting for input"
  double ps = 0;       // mean over the steps that count
  double percent = 0;  // share of the step time
  // The share of the devices that wait; differs from `percent` for collective_wait, where the late
  // device does not wait.
  double of_waiting = 0;
  // By share of the loss: "aten::index 61 %, aten::copy_ 12 %". May be empty.
  std::string causes;
  RowLink link;
};

struct Verdict {
  // The id of the loss that leads; "device", "too_little" or "unknown" if none does.
  std::string id = "unknown";
  // As `id`, but of what was recorded where `id` is "too_little"; empty if nothing can be judged.
  std::string leads;
  double percent = 0;        // of `leads`
  Finding finding;           // the sentence, its grade, and what to try
  std::vector<Loss> losses;  // by size, without compute; none is 0
  std::string others;        // the sentence's end: ". Next largest: copies, 11 %."
  std::string late_rank;     // the rank that the sentence names (ranks/ranks.h); else empty
};

// Gives ExposedKinds of the trace and its steps.
using KindsOfSteps = std::function<std::shared_ptr<const ExposedKinds>()>;

// `whole`: no step was found, and db's one step is the span of all device events (WholeSpan).
// `kinds` is called only where copies or collectives matter.
// `waits`: what the cores of TPUs wait for (AsyncWaitsOf), which the sentence then describes.
// `on_host`: by MetaId, the ops that run on the host (HostSideOps), which the sentence then names.
Verdict Judge(const Trace& trace, const StepDatabase& db, bool whole, const KindsOfSteps& kinds,
              std::span<const AsyncWait> waits = {}, std::span<const uint8_t> on_host = {});

// As ProgramOf(trace), and whether graphs launch most of the device's work. O(names + tracks).
Program ProgramOf(const Trace& trace, const StepDatabase& db);

// The groups that tables divide a step's time into: what the device computes, what it copies and
// fills itself, then the losses of a verdict.
struct StepTimeGroup {
  const char* id;     // "device", "input"
  const char* label;  // "Compute", "Waiting for input"
};
std::vector<StepTimeGroup> StepTimeGroups();
// ps by StepTimeGroups(); they sum to the step.
std::vector<double> GroupedStepTimes(const Step& step);

}  // namespace stepscope
