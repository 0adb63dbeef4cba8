// FindingInput: what rules read, computed once for all of them and most of it on first use. Not
// thread-safe; the context must outlive it.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/findings/device_scan.h"
#include "model/analysis/findings/finding.h"
#include "model/analysis/memory_profile.h"
#include "model/analysis/steps.h"
#include "model/analysis/verdict.h"

namespace stepscope {

// What an idle time has to do with, whatever its class: such causes belong to one rule only.
enum class CauseTheme : uint8_t { kNone, kLossScaling, kAllocation };

class FindingInput {
 public:
  static constexpr size_t kMostEvents = 1000;  // of one finding

  FindingInput(AnalysisContext& context, const AnalysisParams& params,
               const FindingThresholds& thresholds, std::stop_token stop);

  AnalysisContext& context() const { return context_; }
  const AnalysisParams& params() const { return params_; }
  const FindingThresholds& thresholds() const { return thresholds_; }
  const std::stop_token& stop() const { return stop_; }
  const Trace& trace() const { return context_.trace(); }
  const StepDatabase& db() const { return *db_; }
  const Verdict& verdict() const { return verdict_; }

  // The steps that averages are over, as indices; all where none counts.
  const std::vector<uint32_t>& steps() const { return steps_; }
  bool Counts(uint32_t step) const { return counts_[step]; }
  double step_ms() const { return step_ms_; }  // mean over them and over devices
  double PercentOfStep(double ms) const { return step_ms_ > 0 ? 100 * ms / step_ms_ : 0; }
  // Mean over the steps that count and over devices.
  double LossMs(LossClass loss) const { return loss_ms_[static_cast<size_t>(loss)]; }
  double StepMsOfAll() const;  // mean over all steps, whether they count or not
  // How many devices a step was divided on; 1 for a CPU.
  uint32_t DevicesOf(uint32_t step) const { return devices_of_step_[step]; }
  CauseTheme ThemeOf(const IdleCause& cause) const;
  std::vector<PlaneId> Devices() const;  // those with steps, by name
  std::vector<uint32_t> AllSteps() const;

  // Of `kernel_stats`; null where the profile has no kernels.
  const AnalysisResult* Kernels() const;
  const std::vector<DeviceScan>& Scans() const;
  const MemoryProfile& Memory() const;
  LateTimes Late() const;  // the sum of Scans()
  // The longest that a device waits for participants in each step, mean over the steps that count;
  // of one host, or of all where it is invalid.
  double LongestWaitMs(HostId host = {}) const;

  bool whole() const { return whole_; }  // no steps: the recording stands for one
  // Mean over the host's steps that count, in which hosts differ; 0 where it has none.
  double StepMsOf(HostId host) const;

  // For titles: "The GPUs wait", "an average step of 20.0 ms". What titles say of a step is a mean
  // too, and `measured` the quotient of both.
  std::string Waits() const;
  std::string EveryStep() const { return EveryStep(step_ms_); }
  std::string EveryStep(double step_ms) const;
  std::string NameOf(PlaneId device) const;
  // How sure a mean over steps is: "Mean of 9 steps, which vary by 2 %."
  std::string Uncertainty() const;

 private:
  void Average();

  AnalysisContext& context_;
  const AnalysisParams& params_;
  const FindingThresholds& thresholds_;
  const std::stop_token stop_;
  std::shared_ptr<const StepDatabase> db_;
  Verdict verdict_;
  bool whole_ = false;  // the span of all events stands for a step
  std::vector<uint32_t> steps_, devices_of_step_;
  std::vector<bool> counts_;
  std::vector<CauseTheme> themes_;  // by meta
  std::array<double, kLossClasses> loss_ms_{};
  double step_ms_ = 0;
  mutable std::shared_ptr<const AnalysisResult> kernels_;
  mutable std::optional<std::vector<DeviceScan>> scans_;
  mutable std::shared_ptr<const MemoryProfile> memory_;
};

// "4.2 ms": three digits.
std::string MsText(double ms);
std::string PercentText(double percent);
// What ops of many names have in common: "resnet/block3/Mul_2" and "resnet/block4/Mul" are "Mul".
std::string OpKind(std::string_view op);
// " Not to be added to what RULE saves: it is the same time." for assumptions.
std::string SharedWith(const char* rule);

}  // namespace stepscope
