#include "viewer/panels/step_chart.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct XprofClass {
  double StepBreakdown::*field;
  const char* label;
  Kind kind;
};
constexpr XprofClass kXprofClasses[] = {
    {&StepBreakdown::compute, "Device compute", Kind::kDeviceCompute},
    {&StepBreakdown::device_to_device, "Device to device", Kind::kDeviceToDevice},
    {&StepBreakdown::collectives, "Collectives", Kind::kCollective},
    {&StepBreakdown::host_compute, "Host compute", Kind::kHostCompute},
    {&StepBreakdown::launch, "Kernel launch", Kind::kKernelLaunch},
    {&StepBreakdown::input, "Input", Kind::kInput},
    {&StepBreakdown::output, "Output", Kind::kOutput},
    {&StepBreakdown::compile, "Compilation", Kind::kCompilation},
    {&StepBreakdown::other, "All others", Kind::kOther},
};

ClassSummary Summary(const std::vector<double>& values) {
  ClassSummary s;
  if (values.empty()) return s;
  for (double v : values) s.mean += v;
  s.mean /= static_cast<double>(values.size());
  double squares = 0;
  for (double v : values) squares += (v - s.mean) * (v - s.mean);
  if (values.size() > 1) s.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return s;
}

// The hosts whose steps follow each other; none where all are of one host.
std::vector<BarGroup> HostsOf(const PanelContext& context, std::span<const Step> steps) {
  std::vector<BarGroup> hosts;
  const Trace* trace = context.profile != nullptr ? context.profile->trace.get() : nullptr;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i > 0 && steps[i].host == steps[i - 1].host) continue;
    hosts.push_back({i, trace != nullptr ? std::string(trace->HostName(steps[i].host)) : ""});
  }
  if (hosts.size() < 2) hosts.clear();
  return hosts;
}

const char* NoteOf(const Step& step, bool all_inferred) {
  if (step.partial) return "partial: cut by the begin or end of the recording";
  if (step.warmup) return "warm-up: the first step, much longer than the others";
  // Inferred steps are paler only beside marked ones.
  return step.inferred && !all_inferred ? "inferred: nothing in the profile marks it" : "";
}

}  // namespace

std::vector<StepClassMs> DivideSteps(std::span<const Step> steps, bool as_xprof) {
  std::vector<StepClassMs> classes;
  if (as_xprof) {
    for (const XprofClass& c : kXprofClasses) {
      std::vector<double>& ms = classes.emplace_back(StepClassMs{{c.label, c.kind, {}}, {}}).ms;
      for (const Step& step : steps) ms.push_back(std::max(InMs(step.times.*c.field), 0.0));
    }
    return classes;
  }
  for (size_t i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    classes.push_back({{LabelOf(part), LossKind(part), part}, {}});
  }
  for (const Step& step : steps) {
    const StepPartTimes times = PartTimesOf(step);
    for (size_t i = 0; i < kStepParts; ++i) classes[i].ms.push_back(std::max(InMs(times[i]), 0.0));
  }
  std::erase_if(classes, [](const StepClassMs& c) {
    return std::none_of(c.ms.begin(), c.ms.end(), [](double ms) { return ms > 0; });
  });
  return classes;
}

ClassSummary StepChart::SumOf(Kind kind) const {
  for (size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].kind == kind) return sums_[i];
  }
  return {};
}

void StepChart::SetLabels(const PanelContext& context, std::span<const Step> steps) {
  bars_ = {};
  bars_.title = "step_times";
  bars_.groups = HostsOf(context, steps);
  partial_ = inferred_ = 0;
  for (const Step& step : steps) partial_ += !step.counts(), inferred_ += step.inferred;
  const bool all_inferred = inferred_ == steps.size() && partial_ < steps.size();
  for (const Step& step : steps) {
    bars_.labels.push_back(step.label);
    bars_.notes.emplace_back(NoteOf(step, all_inferred));
  }
}

void StepChart::Update(const PanelContext& context, std::span<const Step> steps, bool as_xprof,
                       uint64_t key) {
  if (key == key_ && theme_ == context.theme.kind) return;
  key_ = key;
  theme_ = context.theme.kind;
  SetLabels(context, steps);
  // If no step counts, all do, as in the analysis.
  const bool all = partial_ == steps.size();
  counted_ = all ? steps.size() : steps.size() - partial_;
  const auto summarise = [&](const std::vector<double>& values) {
    std::vector<double> counted;
    for (size_t i = 0; i < values.size(); ++i)
      if (all || steps[i].counts()) counted.push_back(values[i]);
    return Summary(counted);
  };
  classes_.clear(), sums_.clear();
  for (StepClassMs& c : DivideSteps(steps, as_xprof)) {
    classes_.push_back(c.of);
    sums_.push_back(summarise(c.ms));
    // The legend leaves out classes that never occur.
    if (std::any_of(c.ms.begin(), c.ms.end(), [](double ms) { return ms > 0; }))
      bars_.series.push_back({c.of.label, context.theme[c.of.kind], std::move(c.ms)});
  }
  std::vector<double> totals;
  for (const Step& step : steps) totals.push_back(std::max(InMs(step.times.total), 0.0));
  total_ = summarise(totals);
  bars_.reference = total_.mean;
  bars_.reference_label = fmt::format("average {:.{}f}", total_.mean, total_.mean < 10 ? 2 : 1);
}

void StepChart::Draw(const PanelContext& context, std::span<const Step> steps, ImVec2 size) {
  const float top = ImGui::GetCursorPosY();
  std::string note = "ms, by step";
  if (!bars_.groups.empty())
    note += ", " + Counted(bars_.groups.size(), "hosts") + " one after another";
  if (inferred_ > 0) note += ", " + GroupDigits(inferred_) + " inferred";
  SectionTitle(context, "Step time", note.c_str());
  if (bars_.labels.empty() && !context.view.Filter().empty()) {
    WrappedIn(context, Role::kText2, "No whole step lies in the limits of all panels.");
    if (ImGui::SmallButton("Remove the limits")) context.commands.Push("filter.clear");
    return;
  }
  if (bars_.labels.empty()) {
    WrappedIn(context, Role::kText2, "No steps were found in this profile.");
    return;
  }
  DrawLegend(context, bars_.series, &state_, false);
  const float height = std::max(size.y - (ImGui::GetCursorPosY() - top), BaseEm() * 5.5f);
  const int clicked =
      DrawStepBars(context, "##steps", bars_, key_, &state_, ImVec2(size.x, height));
  if (clicked >= 0 && static_cast<size_t>(clicked) < steps.size())
    GoTo(context, LinkTo(steps[static_cast<size_t>(clicked)]));
}

}  // namespace stepscope
