// StepItems: what one profile does in an average step, item by item (docs/compare.md#items). A
// step's time on a device is divided among what runs on it, its idle time among the causes. The
// items' times sum to the mean step. Plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/steps/losses.h"
#include "model/analysis/steps/steps.h"
#include "model/compare/significance.h"
#include "model/event_rows.h"
#include "model/ids.h"

namespace stepscope::compare {

// kWait: a collective waits for its last participant.
enum class WorkKind : uint8_t { kOp, kKernel, kCopy, kCollective, kWait, kInput, kLaunch, kIdle };
const char* IdOf(WorkKind kind);  // as in the tables
// Whether the item is work of a device; if not, the device waits or is idle.
inline bool IsWork(WorkKind kind) { return kind <= WorkKind::kCollective; }
// The kind of an item about which nothing but its class of time is known.
WorkKind KindOf(StepTimeClass loss);

// A step on one device. The samples of a device are numbered from 0 in the order of time.
struct StepSample {
  uint32_t device = ~uint32_t{0}, step = 0;
  uint32_t steps = 1;  // of the device
  bool operator==(const StepSample&) const = default;
};

// The samples of steps that are not divided by devices, by step: a host stands for a device.
std::vector<StepSample> SamplesOf(std::span<const Step> steps, const std::vector<bool>& typical);

// A mean over steps and how the steps scatter, from values added sample by sample. Each value is
// added with the weight of its sample, so that the total is the mean. Add all values of a sample
// before those of the next, and the samples of a device together, in their order.
class StepSum {
 public:
  void Add(StepSample sample, double value) {
    if (sample != sums_.sample) Close(sample, &sums_);
    sums_.open += value;
  }
  double total() const { return sums_.total + sums_.of_device + sums_.open; }
  // The scatter of the steps on a device, from `samples` samples of all devices; a sample without a
  // value has 0. The devices of one step count as one value, because they wait for each other.
  // Nothing (n = 0) below 3 steps, which tell nothing.
  Scatter ScatterOf(size_t samples, size_t devices) const;

 private:
  struct Sums {
    StepSample sample;
    double open = 0;       // of `sample`
    double before = 0;     // of the sample before it, if `follows`
    bool follows = false;  // there is one on its device
    double of_device = 0;  // sum of the samples of its device before it
    double total = 0;      // of the devices before
    double means = 0;      // squares of the sums of these devices / their samples
    double squares = 0;    // of the samples
    double changes = 0;    // squares of what the samples differ by from the ones before
  };
  static void Close(StepSample next, Sums* sums);
  Sums sums_;
};

// Times are ps of an average step, mean over devices.
struct StepItem {
  WorkKind kind = WorkKind::kOp;
  StepTimeClass loss = StepTimeClass::kCompute;
  std::string name;
  StepSum time;   // its part of the step; items that run at once share the time
  StepSum waits;  // the device is idle because the item's events are still being launched
  StepSum after;  // copies: the device is idle because the host waited for the copy
  double count = 0, busy = 0;  // events and their whole durations; idle items: intervals
  KernelCategory category = KernelCategory::kOther;
  std::vector<std::string> place;  // scopes and host events around it, innermost first
  std::string shape;               // grid and block of its first kernel: "8,1,1 256,1,1"
  uint32_t order = 0;              // rank by first occurrence
  EventRows rows;                  // its events, at most kItemRows
};

// Device work of one kernel for one op. The tables of kernels, ops and copies add it up. Times are
// ps of an average step, mean over devices.
struct StepWork {
  uint32_t item = 0;  // index into StepItems::items
  std::string op, kernel;
  std::string shape;                     // grid and block of the first of its kernels
  double count = 0, busy = 0, time = 0;  // events, whole durations, part of the step
  double bytes = 0, sized = 0;           // copies whose size is recorded: bytes and ps
  KernelCategory category = KernelCategory::kOther;
  EventRows rows;
};

struct StepItems {
  std::vector<StepItem> items;
  std::vector<StepWork> work;
  size_t samples = 0;  // typical steps, one for each device
  size_t devices = 1;  // devices of a step
  double mean = 0;     // ps: the mean typical step, to which the items sum
};

// Events that an item links to. A window shows no more at once (kMaxHighlightedEvents), and says
// so.
inline constexpr size_t kItemRows = 1'000'000;

// Appends a valid row, up to kItemRows rows.
inline void KeepRow(EventRow row, std::vector<EventRow>* rows) {
  if (row.valid() && rows->size() < kItemRows) rows->push_back(row);
}
template <typename Rows>
void KeepRows(const Rows& from, std::vector<EventRow>* to) {
  for (const EventRow row : from) {
    if (to->size() >= kItemRows) return;
    KeepRow(row, to);
  }
}

// The mean of the typical steps, divided into items. `typical`: by step of `steps`; at least one is
// typical. GPUs: by what runs on the devices; programs on the CPU: by ops; others: by classes of
// time only. O(n log n) for n events.
StepItems CollectItems(AnalysisContext& context, const StepDatabase& steps,
                       const std::vector<bool>& typical);

}  // namespace stepscope::compare
