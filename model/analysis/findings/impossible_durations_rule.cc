// The rule `impossible-durations`: the profiler lost the ends of events on a device's queue.
#include <fmt/format.h>

#include <algorithm>

#include "model/analysis/findings/finding_context.h"

namespace stepscope {
namespace {

constexpr size_t kMostNamed = 2;  // events in the title

}  // namespace

void FindImpossibleDurations(const FindingContext& input, double threshold,
                             std::vector<RuleFinding>* out) {
  const Diagnostic* lost = input.trace().diagnostics.Find(RecordingLoss::kImpossibleDuration);
  if (lost == nullptr || static_cast<double>(lost->count) < threshold) return;
  RuleFinding found;
  const bool one = lost->count == 1;
  found.title =
      one ? "1 event of a device's queue lasts beyond the begin of the next one by an impossible "
            "time: the profiler lost its end, and it is cut where the next one begins."
          : fmt::format(
                "{} events of a device's queue last beyond the begin of the next ones by "
                "an impossible time: the profiler lost their ends, and they are cut where "
                "the next one begins.",
                lost->count);
  for (size_t i = 0; i < std::min(kMostNamed, lost->first.size()); ++i)
    found.title += fmt::format(" {}.", lost->first[i]);
  found.measured = static_cast<double>(lost->count);
  found.assumption = "No time is saved. The events may have been shorter than they are shown.";
  found.least = FindingSeverity::kWarning;
  out->push_back(std::move(found));
}

}  // namespace stepscope
