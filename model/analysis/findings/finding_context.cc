#include "model/analysis/findings/finding_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "model/analysis/findings/kernels/kernels_in_steps.h"
#include "model/analysis/findings/step_verdict.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/naming/short_label.h"
#include "model/analysis/ranks/ranks.h"
#include "model/analysis/steps/builders/tpu_steps.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/ascii.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 8> kLossScaling = {
    "LossScale",   "loss_scale",       "lossscale",        "GradScaler",
    "grad_scaler", "non_finite_check", "amp_update_scale", "IsFinite"};
constexpr std::array<std::string_view, 8> kAllocations = {
    "cudaMalloc", "cudaFree", "cuMemAlloc",  "cuMemFree",
    "hipMalloc",  "hipFree",  "hipMemAlloc", "cudaHostAlloc"};

CauseTheme ThemeOfName(std::string_view name) {
  if (ContainsAny(name, kLossScaling)) return CauseTheme::kLossScaling;
  return BeginsWithAny(name, kAllocations) ? CauseTheme::kAllocation : CauseTheme::kNone;
}

}  // namespace

FindingContext::FindingContext(AnalysisContext& context, const AnalysisParams& params,
                               const FindingThresholds& thresholds)
    : context_(context),
      params_(params),
      thresholds_(thresholds),
      steps_of_part_(context.Get<JudgedSteps>(params)),
      db_(steps_of_part_->selected) {
  whole_ =
      steps_of_part_->without_steps && steps_of_part_->whole_time && db_->kind != DeviceKind::kTpu;
  if (whole_) db_ = steps_of_part_->judged;
  program_ = ProgramOf(trace(), *db_);
  verdict_ = context.Get<StepVerdict>(params)->verdict;
  if (verdict_.leads == StepPart::kCompute)
    verdict_.kernel_work = LargestKernelWork(context, params);
  const NameTable& names = trace().names();
  themes_.resize(names.metas.size());
  for (size_t m = 0; m < themes_.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    themes_[m] = ThemeOfName(name);
  }
  Average();
}

void FindingContext::Average() {
  const std::vector<Step>& steps = db_->steps;
  const bool all =
      std::none_of(steps.begin(), steps.end(), [](const Step& s) { return s.counts(); });
  counts_.resize(steps.size());
  for (uint32_t s = 0; s < steps.size(); ++s) {
    counts_[s] = all || steps[s].counts();
    if (counts_[s]) steps_.push_back(s);
  }
  devices_of_step_.assign(steps.size(), 0);
  for (const DeviceStep& d : db_->device_steps) ++devices_of_step_[d.step];
  for (uint32_t& devices : devices_of_step_) devices = std::max(devices, 1u);
  const double n = static_cast<double>(std::max<size_t>(1, steps_.size()));
  for (const uint32_t s : steps_) {
    step_ms_ += InMs(steps[s].times.total) / n;
    for (size_t c = 0; c < kStepTimeClasses; ++c) loss_ms_[c] += InMs(steps[s].class_times[c]) / n;
  }
}

CauseTheme FindingContext::ThemeOf(const IdleCause& cause) const {
  for (const MetaId meta : {cause.event, cause.inside}) {
    if (meta.value < themes_.size() && themes_[meta.value] != CauseTheme::kNone)
      return themes_[meta.value];
  }
  return CauseTheme::kNone;
}

std::vector<PlaneId> FindingContext::Devices() const {
  std::set<PlaneId> found;
  for (const DeviceStep& d : db_->device_steps) found.insert(d.device);
  std::vector<PlaneId> devices(found.begin(), found.end());
  std::sort(devices.begin(), devices.end(),
            [this](PlaneId a, PlaneId b) { return NameOf(a) < NameOf(b); });
  return devices;
}

std::vector<uint32_t> FindingContext::AllSteps() const {
  std::vector<uint32_t> all(db_->steps.size());
  for (uint32_t s = 0; s < all.size(); ++s) all[s] = s;
  return all;
}

std::span<const KernelGroup> FindingContext::AllKernels() const {
  return all_kernels_.Get([&] { return context_.Get<KernelStats>(params_); })->kernels;
}

std::span<const KernelGroup> FindingContext::Kernels() const {
  if (db_->device_steps.empty()) return {};
  return kernels_.Get([&] { return context_.Get<KernelsInSteps>(params_); })->kernels;
}

double FindingContext::DeviceSteps() const {
  const auto& steps = db_->device_steps;
  return static_cast<double>(std::count_if(
      steps.begin(), steps.end(), [this](const DeviceStep& d) { return counts_[d.step]; }));
}

const std::vector<DeviceScan>& FindingContext::Scans() const {
  return scans_.Get([&] {
    std::vector<double> weights(db_->steps.size());
    for (const uint32_t s : steps_) weights[s] = WeightOf(s);
    return ScanDevices(context_, *db_, weights);
  });
}

double FindingContext::WeightOf(uint32_t step) const {
  return counts_[step] ? 1 / static_cast<double>(steps_.size()) / devices_of_step_[step] : 0;
}

const std::vector<KernelSequence>& FindingContext::Sequences() const {
  return sequences_.Get([&] { return FindKernelSequences(context_, db(), AllKernels()); });
}

LateTimes FindingContext::Late() const {
  LateTimes sum;
  for (const DeviceScan& scan : Scans()) sum.Add(scan.late);
  return sum;
}

double FindingContext::LongestWaitMs(HostId host) const {
  std::vector<Ps> longest(db_->steps.size());
  for (const DeviceStep& d : db_->device_steps)
    longest[d.step] = std::max(longest[d.step], At(d.class_times, StepTimeClass::kCollectiveWait));
  double sum = 0, n = 0;
  for (const uint32_t s : steps_) {
    if (host.valid() && db_->steps[s].host != host) continue;
    sum += InMs(static_cast<double>(longest[s]));
    ++n;
  }
  return n > 0 ? sum / n : 0;
}

const MemoryProfile& FindingContext::Memory() const {
  return *memory_.Get([&] { return context_.Get<MemoryProfile>(params_); });
}

std::string FindingContext::NameOf(PlaneId device) const {
  if (device.value >= trace().planes.size()) return "CPU";
  const Plane& plane = trace().planes[device.value];
  return plane.display_name.empty() ? std::string(trace().names().strings.View(plane.name))
                                    : plane.display_name;
}

std::string FindingContext::Waits() const {
  if (db_->kind == DeviceKind::kCpuOnly) return "The program waits";
  const bool several = Devices().size() > 1;
  return "The " + program_.device + (several ? "s wait" : " waits");
}

std::string FindingContext::Remedy(std::string_view id) const { return RemedyFor(id, program_); }

const char* FindingContext::InEachStep() const {
  if (whole_) return "";
  return db_->steps.size() == 1 ? " in the step" : " in each step";
}

std::string FindingContext::EveryStep(double step_ms) const {
  if (whole_) return "the recording's " + MsText(step_ms);
  if (db_->steps.size() == 1) return "the " + MsText(step_ms) + " step";
  return "an average step of " + MsText(step_ms);
}

double FindingContext::StepMsOf(HostId host) const {
  double sum = 0, n = 0;
  for (const uint32_t s : steps_) {
    if (db_->steps[s].host != host) continue;
    sum += InMs(db_->steps[s].times.total);
    ++n;
  }
  return n > 0 ? sum / n : 0;
}

double FindingContext::StepMsOfAll() const {
  double sum = 0;
  for (const Step& step : db_->steps) sum += InMs(step.times.total);
  return db_->steps.empty() ? 0 : sum / static_cast<double>(db_->steps.size());
}

std::string FindingContext::Uncertainty() const {
  if (whole_) return "No steps were found: all of the recording stands for one.";
  if (steps_.size() < 2) return "One step was recorded: another may differ.";
  const StepSummary times = Summarize(db_->steps, &StepBreakdown::total);
  std::string text = fmt::format("Mean of {} steps", steps_.size());
  if (times.mean > 0)
    text += fmt::format(", which vary by {}", PercentText(100 * times.deviation / times.mean));
  if (db_->inferred) text += ", found without markers";
  if (db_->inferred && db_->confidence < 0.995)
    text += " (" + PercentText(100 * db_->confidence, 0) + " sure)";
  return text + ".";
}

std::string MsText(double ms) {
  if (ms >= 100) return fmt::format("{:.0f} ms", ms);
  if (ms >= 10) return fmt::format("{:.1f} ms", ms);
  return fmt::format("{:.{}f} ms", ms, ms >= 0.1 ? 2 : 3);
}

std::string OpKind(std::string_view op) {
  // Ops with slashes for scopes have no blanks; "Torch-Compiled Region: 0/0" is no such op.
  if (op.starts_with("aten::") || op.find_first_of("( ") != std::string_view::npos)
    return InSentence(op);
  op = op.substr(op.rfind('/') + 1);
  const size_t last = op.find_last_not_of("0123456789");
  const bool numbered =
      last != std::string_view::npos && last > 0 && last + 1 < op.size() && op[last] == '_';
  return InSentence(numbered ? op.substr(0, last) : op);
}

void AppendEvents(const EventRows& more, std::vector<EventRow>* events) {
  for (const EventRow event : more) {
    if (events->size() >= FindingContext::kMostEvents) return;
    events->push_back(event);
  }
}

std::string SharedWith(const char* rule) {
  return fmt::format(" Not to be added to the saving of {}: it is the same time.", rule);
}

ThreadsOfDevices LaunchThreads(const FindingContext& input) {
  constexpr size_t kSample = 1024;
  const LaunchLinks& launches = input.context().Get<Grouping>().launches;
  const TrackSet& set = input.trace().set;
  const size_t stride = std::max<size_t>(1, launches.size() / kSample);
  std::set<std::pair<PlaneId, TrackId>> found;
  for (size_t i = 0; i < launches.size(); i += stride) {
    const TrackId stream = set.TrackOf(EventRow(launches[i].device_row));
    const TrackId thread = set.TrackOf(EventRow(launches[i].launch_row));
    if (!stream.valid() || !thread.valid()) continue;
    found.emplace(set.tracks[stream.value].plane, thread);
  }
  ThreadsOfDevices threads;
  for (const auto& [device, thread] : found) threads[device].push_back(&set.tracks[thread.value]);
  return threads;
}

}  // namespace stepscope
