// The rule `small-collectives`: collectives so short that they take their latency only.
#include <fmt/format.h>

#include <algorithm>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

// A ring within a machine answers in 10 to 20 us however few bytes it moves (NCCL's tests).
constexpr Ps kLongestLatency = 20 * kPsPerUs;

struct SmallSum {
  double ms = 0, count = 0, broadcasts = 0;  // of an average step, mean over devices
  double broadcast_ms = 0;
  Ps shortest = kMaxPs;
  Ps all = 0, hidden = 0;  // of all collectives
  std::vector<PlaneId> devices;
  RowLink link;
};

SmallSum SmallSumOf(const FindingContext& input) {
  SmallSum sum;
  for (const DeviceScan& scan : input.Scans()) {
    const SmallCollectives& small = scan.small_collectives;
    sum.ms += InMs(small.time), sum.count += small.count;
    sum.broadcasts += small.broadcasts, sum.broadcast_ms += InMs(small.broadcast_time);
    sum.all += scan.collective_time, sum.hidden += scan.collective_hidden;
    if (small.rows.empty()) continue;
    sum.shortest = std::min(sum.shortest, small.shortest);
    sum.devices.push_back(scan.device);
    sum.link.total += small.events;
    if (sum.link.rows.size() + small.rows.size() <= FindingContext::kMostEvents)
      sum.link.rows.Append(EventRows(small.rows));
  }
  return sum;
}

// The buffers that DistributedDataParallel sends before each forward pass.
bool AreBuffers(const FindingContext& input, const SmallSum& sum) {
  return input.program().framework == Framework::kTorch && sum.broadcasts >= sum.count / 2;
}

}  // namespace

void FindSmallCollectives(const FindingContext& input, double threshold,
                          std::vector<RuleFinding>* out) {
  const SmallSum sum = SmallSumOf(input);
  if (sum.count < 2 || sum.all <= 0) return;
  const bool buffers = AreBuffers(input, sum);
  const Ps latency = std::min(sum.shortest, kLongestLatency);
  const double exposed = 1 - static_cast<double>(sum.hidden) / static_cast<double>(sum.all);
  const double saving = exposed * (buffers ? sum.broadcast_ms : (sum.count - 1) * InMs(latency));
  if (input.PercentOfStep(saving) < threshold) return;
  RuleFinding found;
  found.title =
      fmt::format("{:.0f} collectives in {} take under {:.0f} \u00b5s each, {} together{}.",
                  sum.count, input.EveryStep(), InUs(SmallCollectives::kLongest), MsText(sum.ms),
                  buffers ? "; most are broadcasts" : "");
  found.measured = input.PercentOfStep(saving);
  found.saving_ms = saving;
  found.assumption = buffers
                         ? "None of the broadcasts is needed."
                         : fmt::format(
                               "One collective does what they do, and saves the latency of the "
                               "others, {:.3g} \u00b5s each; those that kernels hide save nothing.",
                               InUs(latency));
  found.assumption += SharedWith("allreduce") + " " + input.Uncertainty();
  if (buffers) found.remedy = input.Remedy("small-collectives.buffers");
  found.devices = sum.devices;
  found.steps = input.AllSteps();
  found.link = sum.link;
  out->push_back(std::move(found));
}

}  // namespace stepscope
