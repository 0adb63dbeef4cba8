// The rule `impossible-durations`: the profiler lost the ends of events on a device's queue.
#include <fmt/format.h>

#include "model/analysis/findings/finding_context.h"

namespace stepscope {

void FindImpossibleDurations(const FindingContext& input, double threshold,
                             std::vector<RuleFinding>* out) {
  const Diagnostic* lost = input.trace().diagnostics.Find(RecordingLoss::kImpossibleDuration);
  if (lost == nullptr || static_cast<double>(lost->count) < threshold) return;
  RuleFinding found;
  const bool one = lost->count == 1;
  found.title = fmt::format(
      "{} of a device's queue last{} beyond the begin of the next one{} by an impossible time: the "
      "profiler lost {}, and {} cut where the next one begins.",
      one ? "1 event" : fmt::format("{} events", lost->count), one ? "s" : "", one ? "" : "s",
      one ? "its end" : "their ends", one ? "it is" : "they are");
  found.measured = static_cast<double>(lost->count);
  found.assumption = "No time is saved. The events may have been shorter than they are shown.";
  for (const std::string& place : lost->first) found.assumption += " " + place + ".";
  found.least = FindingSeverity::kWarning;
  out->push_back(std::move(found));
}

}  // namespace stepscope
