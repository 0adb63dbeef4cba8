// RunItems: what one run does in an average step, item by item (docs/compare.md#items). The time of
// a step on a device is divided among what runs on it, and its idle time among causes; the items'
// times sum to the mean of the steps. Immutable once made.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/kernel_category.h"
#include "model/analysis/losses.h"
#include "model/analysis/steps.h"

namespace stepscope {

enum class ItemKind : uint8_t { kOp, kKernel, kCopy, kCollective, kInput, kLaunch, kIdle };
const char* IdOf(ItemKind kind);  // in tables
// Runs on a device; else the device is idle.
inline bool IsWork(ItemKind kind) { return kind <= ItemKind::kCollective; }
// What the time of a class is shown as where nothing says more.
ItemKind KindOf(LossClass loss);

// A quantity per step: its mean, and how far that may be off. Values carry the weight of their
// sample (a step on a device), so that the total is the mean; those of one sample come together.
class StepSum {
 public:
  void Add(uint32_t sample, double value) {
    if (sample != sample_) Close(sample);
    open_ += value;
  }
  double total() const { return total_ + open_; }
  // Of the total, with `samples` samples, of which those of the `devices` of a step are taken for
  // one: devices wait for each other. 0 where fewer than 3 steps tell nothing.
  double Variance(size_t samples, size_t devices) const;

 private:
  void Close(uint32_t next) {
    total_ += open_;
    squares_ += open_ * open_;
    open_ = 0;
    sample_ = next;
  }
  double total_ = 0, squares_ = 0, open_ = 0;
  uint32_t sample_ = ~uint32_t{0};
};

// Times are ps of an average step, mean over devices.
struct RunItem {
  ItemKind kind = ItemKind::kOp;
  LossClass loss = LossClass::kCompute;
  std::string name;
  StepSum time;   // of the step's time: where several run at once, each has its part
  StepSum waits;  // the device idles, because the item's events are still being launched
  StepSum after;  // the device idles, because the host waited for it: copies
  double count = 0, busy = 0;  // events, and their whole durations; idle items: intervals
  KernelCategory category = KernelCategory::kOther;
  std::vector<std::string> place;  // what is around it, innermost first
  std::string shape;               // grid and block of its first kernel: "8,1,1 256,1,1"
  uint32_t order = 0;              // of first occurrences
  std::vector<EventRow> rows;      // the first of its events
};

// Device work by kernel and op: a row of the tables of kernels, ops, copies.
struct RunWork {
  uint32_t item = 0;
  std::string op, kernel;
  std::string shape;  // grid and block of the first of its kernels
  double count = 0, busy = 0, time = 0;
  double bytes = 0, sized = 0;  // of copies whose size is recorded: bytes, ps
  KernelCategory category = KernelCategory::kOther;
  std::vector<EventRow> rows;
};

struct RunItems {
  std::vector<RunItem> items;
  std::vector<RunWork> work;
  size_t samples = 0;  // steps on devices that count
  size_t devices = 1;  // of a step
  double mean = 0;     // ps: of the steps that count; the items sum to it
};

inline constexpr size_t kItemRows = 256;  // events that an item links to

// `typical`: by step of `steps`, whether it counts; at least one does. O(device events log device
// events).
RunItems CollectItems(AnalysisContext& context, const StepDatabase& steps,
                      const std::vector<bool>& typical, std::stop_token stop);

}  // namespace stepscope
