// The verdict: what most step time is lost to, and the losses by size (docs/rules.md#verdict).
// Judge finds the facts of the first sentence; Verdict::InWords puts them into words, and nothing
// else does. Pure functions of the steps; any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/grouping/host_role.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/naming/program.h"
#include "model/analysis/recording/recording.h"
#include "model/analysis/steps/exposed_time.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/result_table.h"
#include "model/analysis/tpu/async_waits.h"

namespace stepscope {

struct LossCause {
  std::string name;
  double percent = 0;  // of the loss
};

struct Loss {
  StepPart part = StepPart::kUnknown;
  double ps = 0;       // mean over the steps that count
  double percent = 0;  // share of the step time
  // The share of the devices that wait; differs from `percent` for kCollectiveWait, where the late
  // device does not wait.
  double of_waiting = 0;
  std::vector<LossCause> causes;    // the largest, at most three
  HostRole role = HostRole::kWork;  // of the first cause
  bool own_range = false;           // the first cause is one (IsOwnRange)
  RowLink link;

  std::string CausesText() const;  // "aten::index 61 %, aten::copy_ 12 %"; may be empty
};

// The rank of a job for which the others wait in their collectives (ranks/ranks.h).
struct LateRank {
  int64_t rank = 0;    // its number
  double percent = 0;  // of each step that the other ranks wait for it
  double of_loss = 0;  // of the time in collectives, 0 to 1
  std::string cause;   // why it is late; empty: not known
  std::string remedy;  // what to try; empty: as for collectives
  bool leads = false;  // the sentence begins with it
};

// The largest kind of work of a busy GPU.
struct KernelWork {
  KernelCategory category = KernelCategory::kOther;
  double percent = 0;         // of the kernels' time
  double matrix_percent = 0;  // of that in kernels that use the matrix unit
};

struct Verdict {
  // Whether the recording has enough of the steps for a verdict.
  enum class Recorded : uint8_t {
    kAll,
    kPart,       // the verdict is of a part: `lacks` says what lacks
    kTooLittle,  // hardly any work of the device, as `lacks` says; nothing leads
    kNoStep,     // no step and hardly any work; nothing leads
    kNoDevice,   // the work of devices was not recorded, as `lacks` says; nothing leads
    kForeign,    // no program of TensorFlow, JAX or PyTorch; nothing leads
  };
  Recorded recorded = Recorded::kAll;
  // The loss that leads, or kCompute where none does; nullopt: nothing can be judged.
  std::optional<StepPart> leads;
  double percent = 0;            // of `leads`
  std::vector<Loss> losses;      // by size; none is 0
  double work_percent = 0;       // of the step: the device computes, copies and fills
  double on_device_percent = 0;  // the part of it in copies and fills
  std::optional<LateRank> late_rank;
  std::optional<KernelWork> kernel_work;

  // The words' subjects.
  enum class Whole : uint8_t { kRecording, kOneStep, kEachStep };
  Whole whole = Whole::kEachStep;
  DeviceKind kind = DeviceKind::kCpuOnly;
  Program program;
  std::string devices;  // "the GPUs", "GPU 1" where the others are idle, "the program"
  bool several_devices = false;
  std::string host_work;          // what a program without devices does: HostWorkWords
  bool programs_as_ops = false;   // as StepDatabase::programs_as_ops
  bool ops_on_host = false;       // half of the host's work is ops that run there
  bool cause_outlasts = false;    // the unexplained time ends while its cause goes on
  std::optional<AsyncWait> wait;  // of a TPU: the wait that causes the first loss
  std::string lacks;              // UnrecordedText, LostLaunchesText or HardlyAnyWorkText
  std::string idle_devices;       // IdleDevicesText

  // For scripts: IdOf(*leads), "too_little" or "unknown".
  std::string_view id() const;
  // Whether steps are divided among causes: not where the device's part is missing.
  bool judges_steps() const {
    return recorded != Recorded::kNoDevice && recorded != Recorded::kForeign;
  }
  // The first sentence, its grade, and what to try. O(losses).
  Finding InWords() const;
  // The loss that leads; null if none does.
  const Loss* First() const { return leads && IsLoss(*leads) ? &losses.front() : nullptr; }
};

// Gives ExposedKinds of the trace and its steps.
using KindsOfSteps = std::function<std::shared_ptr<const ExposedKinds>()>;

// `whole`: no step was found, and db's one step is the span of all device events (WholeSpan).
// `kinds` is called only where copies or collectives matter.
// `waits`: what the cores of TPUs wait for (AsyncWaitsOf), which the sentence then describes.
// `on_host`: by MetaId, the ops that run on the host (HostSideOps), which the sentence then names.
// `recording`: what was recorded; null: everything.
Verdict Judge(const Trace& trace, const StepDatabase& db, bool whole, const KindsOfSteps& kinds,
              std::span<const AsyncWait> waits = {}, std::span<const uint8_t> on_host = {},
              const Recording* recording = nullptr);

// As ProgramOf(trace), and whether graphs launch most of the device's work. O(names + tracks).
Program ProgramOf(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
