#include "model/analysis/pages/xprof_bottlenecks.h"

#include <fmt/format.h>

#include "model/analysis/naming/remedies.h"

namespace stepscope {
namespace {

constexpr double kHighlyInputBound = 20, kInputBound = 5, kUnexplained = 3;  // percent of the step
constexpr double kHigh = 15, kModerate = 3;

// Percent of the step time, mean over the steps that count.
struct StepShares {
  // XProf's input has the copies to the device in it; ours has waits alone.
  StepShares(const std::vector<Step>& steps, bool as_xprof) {
    const double whole = Summarize(steps, &StepBreakdown::total).mean;
    if (whole <= 0) return;
    const auto percent = [&](double StepBreakdown::*field) {
      return 100 * Summarize(steps, field).mean / whole;
    };
    copies = percent(&StepBreakdown::host_to_device);
    input = percent(&StepBreakdown::input) - (as_xprof ? 0 : copies);
    launch = percent(&StepBreakdown::launch);
    collectives = percent(&StepBreakdown::collectives);
    output = percent(&StepBreakdown::output), other = percent(&StepBreakdown::other);
    copies += output;
  }
  double input = 0, launch = 0, collectives = 0, output = 0, other = 0;
  double copies = 0;  // from and to the host
};

std::string GradeOf(double percent) {
  return percent >= kHigh ? "high" : percent >= kModerate ? "moderate" : "no";
}

std::string BottleneckOf(const StepShares& shares) {
  if (shares.input >= kHighlyInputBound) return "host";
  return shares.input >= kInputBound || shares.other >= kUnexplained ? "both" : "device";
}

Finding NoSteps(const Program& program) {
  return {Finding::Grade::kInfo, "No step time could be measured.",
          RemedyFor("mark-steps", program), "overview"};
}

Finding InputFinding(const StepShares& shares, const Program& program) {
  if (shares.input >= kInputBound) {
    const bool highly = shares.input >= kHighlyInputBound;
    return {highly ? Finding::Grade::kBad : Finding::Grade::kWarning,
            fmt::format("{} input-bound: {:.1f} % of the step time is spent waiting for input.",
                        highly ? "Highly" : "Moderately", shares.input),
            "See which stage of the input pipeline takes the time.", "input_pipeline"};
  }
  if (shares.other >= kUnexplained) {
    return {Finding::Grade::kWarning,
            fmt::format("Possibly input-bound: {:.1f} % of the step time is neither on the device "
                        "nor explained.",
                        shares.other),
            "Look in the timeline at what the host does in the gaps.", "timeline"};
  }
  return {Finding::Grade::kGood,
          fmt::format("Not input-bound: {:.1f} % of the step time is spent waiting for input.",
                      shares.input),
          RemedyFor("device", program), "kernel_stats"};
}

Finding::Grade SeverityOf(double percent) {
  return percent >= kHigh ? Finding::Grade::kBad : Finding::Grade::kWarning;
}

void AddFindings(const std::vector<Step>& steps, const StepShares& shares, const Program& program,
                 std::vector<Finding>* findings) {
  findings->push_back(steps.empty() ? NoSteps(program) : InputFinding(shares, program));
  if (shares.launch >= kModerate) {
    findings->push_back(
        {SeverityOf(shares.launch),
         fmt::format("{:.1f} % of the step time the device waits for kernels to be launched.",
                     shares.launch),
         RemedyFor("launch-bound", program), "kernel_stats"});
  }
  if (shares.collectives >= kModerate) {
    findings->push_back(
        {SeverityOf(shares.collectives),
         fmt::format("{:.1f} % of the step time is collectives that no kernel hides.",
                     shares.collectives),
         "Overlap them with the backward pass, or look for a late participant.", "timeline"});
  }
}

}  // namespace

void AddXprofBottlenecks(const std::vector<Step>& steps, const std::vector<Step>& judged,
                         const Program& program, bool as_xprof, AnalysisResult* result) {
  const StepShares shares(judged, as_xprof);
  const std::string bottleneck = steps.empty() ? "unknown" : BottleneckOf(shares);
  const char* how = "input / step time, over all steps; from 20 %: host, from 5 %: both";
  const auto share = [&](const char* id, const char* label, double percent,
                         const char* of = "of the step time") {
    result->properties.push_back({id, label, percent, Unit::kPercent, of});
  };
  share("input_percent", as_xprof ? "Input" : "Waiting for input", shares.input, how);
  share("kernel_launch_percent", "Kernel launch", shares.launch);
  share("collectives_percent", "Collectives", shares.collectives,
        as_xprof ? "of the step time" : "of the step time, waiting for participants included");
  if (!as_xprof)
    share("copies_percent", "Copies", shares.copies, "of the step time, from and to the host");
  share("output_percent", as_xprof ? "Output" : "Copies to the host", shares.output);
  share("other_percent", "Other", shares.other);
  if (as_xprof) AddFindings(steps, shares, program, &result->findings);
  const auto text = [&](const char* id, const char* xprof_label, const char* label,
                        std::string value, const char* from = "high from 15 %, moderate from 3 %") {
    result->properties.push_back(
        {id, as_xprof ? xprof_label : label, std::move(value), Unit::kNone, from});
  };
  text("bottleneck", "Bottleneck", "Bottleneck by XProf's rule", bottleneck, how);
  text("kernel_launch_bottleneck", "Kernel launch", "Kernel launch, grade", GradeOf(shares.launch));
  text("device_collectives_bottleneck", "Collectives", "Collectives, grade",
       GradeOf(shares.collectives));
  // XProf does not report unexplained time again where the bottleneck is named after it.
  const bool named = as_xprof && bottleneck == "both" && shares.input < kInputBound;
  text("all_other_bottleneck", "Other", "Other, grade", named ? "no" : GradeOf(shares.other));
}

}  // namespace stepscope
