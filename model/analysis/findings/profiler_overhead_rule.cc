// The rule `profiler-overhead`: recording Python frames slows the host that is being judged.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/grouping/frame_roles.h"
#include "model/analysis/tables/in_unit.h"
#include "model/jobs/job.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

// Recording the call and the return of a Python function: two callbacks of the interpreter.
constexpr double kFrameUs = 0.5;

std::vector<bool> FramesByMeta(const Trace& trace) {
  const NameTable& names = trace.names();
  std::vector<bool> frames(names.metas.size());
  for (size_t m = 0; m < frames.size(); ++m)
    frames[m] = ParsePythonFrame(names.strings.View(names.metas[m].name)).has_value();
  return frames;
}

struct FrameCount {
  double frames = 0;  // in the steps that count
  std::vector<EventRow> rows;
};

FrameCount CountFrames(const FindingContext& input, const Track& thread,
                       const std::vector<bool>& frames) {
  FrameCount count;
  for (const Lane& lane : input.trace().set.LanesOf(thread)) {
    for (const uint32_t s : input.steps()) {
      const auto [first, last] = EventsIn(lane, input.db().steps[s].span);
      for (uint32_t i = first; i < last; ++i) {
        if (!frames[lane.meta[i]]) continue;
        ++count.frames;
        if (count.rows.size() < FindingContext::kMostEvents)
          count.rows.emplace_back(lane.first_row + i);
      }
    }
  }
  return count;
}

// The thread with the most frames is the one that Python holds back.
FrameCount MostFrames(const FindingContext& input, const std::vector<bool>& frames) {
  std::set<const Track*> all;
  for (const auto& [device, of_device] : LaunchThreads(input))
    all.insert(of_device.begin(), of_device.end());
  const std::vector<const Track*> threads(all.begin(), all.end());
  std::vector<FrameCount> counts(threads.size());
  ParallelFor(threads.size(),
              [&](size_t t) { counts[t] = CountFrames(input, *threads[t], frames); });
  const auto most = std::max_element(
      counts.begin(), counts.end(),
      [](const FrameCount& a, const FrameCount& b) { return a.frames < b.frames; });
  return most != counts.end() ? std::move(*most) : FrameCount();
}

bool HostBound(const FindingContext& input) {
  const std::optional<StepPart> leads = input.verdict().leads;
  return leads == StepPart::kHost || leads == StepPart::kLaunch;
}

}  // namespace

void FindProfilerOverhead(const FindingContext& input, double threshold,
                          std::vector<RuleFinding>* out) {
  if (!HostBound(input) || input.db().device_steps.empty() || input.step_ms() <= 0) return;
  const std::vector<bool> by_meta = FramesByMeta(input.trace());
  if (std::find(by_meta.begin(), by_meta.end(), true) == by_meta.end()) return;
  FrameCount count = MostFrames(input, by_meta);
  const double each = count.frames / static_cast<double>(input.steps().size());
  const double rate = each / input.step_ms();
  if (rate < threshold) return;
  const double waits = input.LossMs(StepTimeClass::kHost) + input.LossMs(StepTimeClass::kLaunch);
  RuleFinding found;
  found.title = fmt::format(
      "Recording {:.0f} Python functions per millisecond slows the host: a part of what the device "
      "waits for is the profiler's cost.",
      rate);
  found.measured = rate;
  found.saving_ms = std::min(each * kFrameUs / 1000, waits);
  found.assumption = fmt::format(
      "Recording a frame costs {} \u00b5s, as far as the device waits for the host; without a "
      "profiler the program loses none of it.{} {}",
      kFrameUs, SharedWith("host-op and launch-bound"), input.Uncertainty());
  found.most = FindingSeverity::kNote;
  found.devices = input.Devices();
  found.steps = input.steps();
  found.link.total = static_cast<uint64_t>(count.frames);
  found.link.rows = EventRows(std::move(count.rows));
  out->push_back(std::move(found));
}

}  // namespace stepscope
