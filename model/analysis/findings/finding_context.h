// FindingContext: what rules read, computed once for all rules, most of it on first use. Views
// its arguments, which must outlive it. Thread-safe: of several rules that ask for one part, one
// computes it and the others help.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/findings/device_scan.h"
#include "model/analysis/findings/finding.h"
#include "model/analysis/findings/kernels/kernel_sequences.h"
#include "model/analysis/findings/kernels/kernels_in_steps.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/naming/program.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "model/jobs/lazy.h"

namespace stepscope {

// The subject of an idle time's cause, whatever its class. A cause with a theme belongs to one
// rule only.
enum class CauseTheme : uint8_t { kNone, kLossScaling, kAllocation };

class FindingContext {
 public:
  static constexpr size_t kMostEvents = 1000;  // of one finding

  FindingContext(AnalysisContext& context, const AnalysisParams& params,
                 const FindingThresholds& thresholds);

  AnalysisContext& context() const { return context_; }
  const AnalysisParams& params() const { return params_; }
  const FindingThresholds& thresholds() const { return thresholds_; }
  const Trace& trace() const { return context_.trace(); }
  const StepDatabase& db() const { return *db_; }
  const Verdict& verdict() const { return verdict_; }

  // Indices of the steps that averages are over: those that count, or all if none counts.
  const std::vector<uint32_t>& steps() const { return steps_; }
  bool Counts(uint32_t step) const { return counts_[step]; }
  double step_ms() const { return step_ms_; }  // mean over these steps and over devices
  double PercentOfStep(double ms) const { return step_ms_ > 0 ? 100 * ms / step_ms_ : 0; }
  // A class's time in an average step, mean over the steps that count and over devices.
  double LossMs(StepTimeClass loss) const { return loss_ms_[static_cast<size_t>(loss)]; }
  double StepMsOfAll() const;  // mean over all steps, whether they count or not
  // The number of devices whose time of the step is divided into classes; 1 for a CPU.
  uint32_t DevicesOf(uint32_t step) const { return devices_of_step_[step]; }
  CauseTheme ThemeOf(const IdleCause& cause) const;
  std::vector<PlaneId> Devices() const;  // the devices with steps, by name
  std::vector<uint32_t> AllSteps() const;

  // All kernels of the part that params ask for.
  std::span<const KernelGroup> AllKernels() const;
  // Those in the steps that findings are of; none if no device has steps. `DeviceSteps` is how many
  // steps of devices these are.
  std::span<const KernelGroup> Kernels() const;
  double DeviceSteps() const;
  const std::vector<DeviceScan>& Scans() const;
  const MemoryProfile& Memory() const;
  const std::vector<KernelSequence>& Sequences() const;
  const Program& program() const { return program_; }
  // Says what to try, for this program (naming/remedies.h).
  std::string Remedy(std::string_view id) const;
  // The weight of a device's time of the step in averages; 0 if the step does not count.
  double WeightOf(uint32_t step) const;
  LateTimes Late() const;  // the sum of Scans()
  // The longest wait of a device for participants in each step, mean over the steps that count.
  // `host`: only steps of this host; invalid: of all hosts.
  double LongestWaitMs(HostId host = {}) const;

  bool whole() const { return whole_; }  // there are no steps: the whole recording stands for one
  // The mean time of the host's steps that count, because hosts differ; 0 if it has none.
  double StepMsOf(HostId host) const;

  // Parts of titles: "The GPUs wait", "an average step of 20.0 ms". Times in titles are means
  // too; `measured` is their quotient.
  std::string Waits() const;
  std::string EveryStep() const { return EveryStep(step_ms_); }
  std::string EveryStep(double step_ms) const;
  // " in each step", " in the step" of one; empty without steps.
  const char* InEachStep() const;
  std::string NameOf(PlaneId device) const;
  // Says how sure a mean over steps is: "Mean of 9 steps, which vary by 2 %."
  std::string Uncertainty() const;

 private:
  void Average();

  AnalysisContext& context_;
  const AnalysisParams& params_;
  const FindingThresholds& thresholds_;
  Program program_;
  std::shared_ptr<const JudgedSteps> steps_of_part_;
  std::shared_ptr<const StepDatabase> db_;
  Verdict verdict_;
  bool whole_ = false;  // see whole()
  std::vector<uint32_t> steps_, devices_of_step_;
  std::vector<bool> counts_;
  std::vector<CauseTheme> themes_;  // by meta
  std::array<double, kStepTimeClasses> loss_ms_{};
  double step_ms_ = 0;
  mutable Lazy<std::shared_ptr<const KernelStats>> all_kernels_;
  mutable Lazy<std::shared_ptr<const KernelsInSteps>> kernels_;
  mutable Lazy<std::vector<DeviceScan>> scans_;
  mutable Lazy<std::shared_ptr<const MemoryProfile>> memory_;
  mutable Lazy<std::vector<KernelSequence>> sequences_;
};

// The idle intervals of at least the length asked for, and their sums by step, class and cause.
ResultTable GapTable(const FindingContext& input);
ResultTable GapCauseTable(const FindingContext& input);

// "4.20 ms": three significant digits.
std::string MsText(double ms);
// The kind of an op by its name: "resnet/block3/Mul_2" and "resnet/block4/Mul" are of the kind
// "Mul".
std::string OpKind(std::string_view op);
// Appends events as long as there are fewer than kMostEvents.
void AppendEvents(const EventRows& more, std::vector<EventRow>* events);
// A sentence for assumptions: " Not to be added to the saving of RULE: it is the same time."
std::string SharedWith(const char* rule);

// The host threads that launch the work of devices. Pure.

using ThreadsOfDevices = std::map<PlaneId, std::vector<const Track*>>;

// By device, the threads that launch its work, by a sample of at least 1024 launches.
// O(launches in the sample * log events).
ThreadsOfDevices LaunchThreads(const FindingContext& input);

}  // namespace stepscope
