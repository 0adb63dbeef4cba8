// The rule `outlier-steps`: steps much longer than the median one, and the class in which they
// are longer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/statistics.h"

#include "model/analysis/findings/idle_loss.h"

namespace stepscope {
namespace {

constexpr size_t kLeastComparedSteps = 4;

// The steps of one host that count.
struct HostSteps {
  std::vector<uint32_t> all, outliers;
  double median = 0, least = 0;  // ps; a step of at least `least` is an outlier
};

HostSteps Split(const FindingContext& input, HostId host, double threshold) {
  HostSteps steps;
  std::vector<double> times, off;
  for (const uint32_t s : input.steps()) {
    const Step& step = input.db().steps[s];
    if (step.host != host) continue;
    steps.all.push_back(s);
    times.push_back(step.times.total);
  }
  steps.median = Median(times);
  for (const double t : times) off.push_back(std::abs(t - steps.median));
  // Times that vary anyway have no outliers: an outlier is five median deviations longer.
  steps.least = steps.median + std::max(steps.median * threshold / 100, 5 * Median(off));
  for (const uint32_t s : steps.all) {
    if (input.db().steps[s].times.total >= steps.least) steps.outliers.push_back(s);
  }
  return steps;
}

const char* NameOf(StepTimeClass c) {
  static constexpr std::array<const char*, kStepTimeClasses> kNames = {
      "compute",
      "copying to the device",
      "copying to the host",
      "copying on devices",
      "waiting for participants of collectives",
      "time in collectives",
      "waiting for input",
      "time in blocking calls",
      "compilation",
      "kernel launch",
      "waiting for queued work",
      "host work",
      "work between steps",
      "idle time without a recorded cause"};
  return kNames[static_cast<size_t>(c)];
}

// The class with the largest excess over the median of the other steps, and the excess.
std::pair<StepTimeClass, double> Difference(const FindingContext& input, const HostSteps& steps) {
  std::pair<StepTimeClass, double> most{StepTimeClass::kUnknown, 0};
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    std::vector<double> usual;
    double more = 0;
    for (const uint32_t s : steps.all) usual.push_back(input.db().steps[s].class_times[c]);
    const double median = Median(usual);
    for (const uint32_t s : steps.outliers) more += input.db().steps[s].class_times[c] - median;
    more /= static_cast<double>(steps.outliers.size());
    if (more > most.second) most = {static_cast<StepTimeClass>(c), more};
  }
  return most;
}

void FindOfHost(const FindingContext& input, HostId host, double threshold,
                std::vector<RuleFinding>* out) {
  const HostSteps steps = Split(input, host, threshold);
  if (steps.outliers.empty() || steps.all.size() < kLeastComparedSteps || steps.median <= 0) return;
  double excess = 0, longest = 0;
  for (const uint32_t s : steps.outliers) {
    excess += input.db().steps[s].times.total - steps.median;
    longest = std::max(longest, input.db().steps[s].times.total);
  }
  const auto [loss, more] = Difference(input, steps);
  const double ms = static_cast<double>(kPsPerMs);
  const size_t n = steps.outliers.size();
  RuleFinding found;
  found.title = fmt::format("{} of {} steps {}: {}{}, median {}", n, steps.all.size(),
                            n == 1 ? "is an outlier" : "are outliers", n == 1 ? "" : "up to ",
                            MsText(longest / ms), MsText(steps.median / ms));
  if (more > 0) {
    found.title += fmt::format("; {}{} is extra {}", MsText(more / ms), n == 1 ? "" : " of each",
                               NameOf(loss));
  }
  if (more > 0 && IsIdle(loss)) {
    const IdleLoss causes = SumIdle(
        input,
        [&, c = loss](const IdleCause& cause) {
          return cause.loss == c &&
                 std::binary_search(steps.outliers.begin(), steps.outliers.end(), cause.step);
        },
        threshold);
    if (!causes.cause.empty()) found.title += ", most of it in " + causes.cause;
    found.link.rows = causes.link.rows;
    found.link.total = causes.link.total;
  }
  if (found.link.rows.empty()) {  // then the steps' markers
    std::vector<EventRow> rows;
    for (const uint32_t s : steps.outliers) {
      const Step& step = input.db().steps[s];
      if (!step.rows.empty() && rows.size() < FindingContext::kMostEvents)
        rows.push_back(step.rows.front());
    }
    found.link = LinkTo(EventRows(std::move(rows)));
  }
  found.title += ".";
  found.measured = 100 * (longest / steps.median - 1);
  found.saving_ms = excess / ms / static_cast<double>(steps.all.size());
  found.assumption = fmt::format(
      "All steps are as long as the median one; the saving is spread over all {} steps. It may be "
      "in other findings as well.",
      steps.all.size());
  found.devices = input.Devices();
  std::erase_if(found.devices,
                [&](PlaneId d) { return input.trace().planes[d.value].host != host; });
  found.steps = steps.outliers;
  found.link.range = input.db().steps[steps.outliers.front()].span;
  out->push_back(std::move(found));
}

}  // namespace

void FindOutlierSteps(const FindingContext& input, double threshold,
                      std::vector<RuleFinding>* out) {
  for (uint32_t h = 0; h < input.trace().hosts.size(); ++h)
    FindOfHost(input, HostId(h), threshold, out);
}

}  // namespace stepscope
