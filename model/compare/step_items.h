// StepItems: what one profile does in an average step, item by item (docs/compare.md#items). A
// step's time on a device is divided among what runs on it, its idle time among the causes. The
// items' times sum to the mean step. Plain data.
// ItemTable: collects the items and the work of one profile, and their events. Items are found by
// kind, class and name. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
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

class ItemTable {
 public:
  // The index of the item, which is added if it is new. A kernel is one item whatever its class of
  // time, so the class tells only idle items apart. O(log items).
  uint32_t Find(WorkKind kind, StepTimeClass loss, const std::string& name) {
    const StepTimeClass key = IsWork(kind) ? StepTimeClass::kCompute : loss;
    const auto [it, fresh] =
        places_.try_emplace(std::tuple(kind, key, name), static_cast<uint32_t>(items_.size()));
    if (!fresh) return it->second;
    StepItem item;
    item.kind = kind;
    item.loss = loss;
    item.name = name;
    item.order = it->second;
    items_.push_back(std::move(item));
    item_rows_.emplace_back();
    return it->second;
  }
  StepItem& item(uint32_t i) { return items_[i]; }
  std::vector<EventRow>* rows_of_item(uint32_t i) { return &item_rows_[i]; }

  uint32_t AddWork(StepWork work) {
    work_.push_back(std::move(work));
    work_rows_.emplace_back();
    return static_cast<uint32_t>(work_.size() - 1);
  }
  StepWork& work(uint32_t i) { return work_[i]; }
  std::vector<EventRow>* rows_of_work(uint32_t i) { return &work_rows_[i]; }

  std::vector<StepItem> TakeItems() { return WithRows(&items_, &item_rows_); }
  std::vector<StepWork> TakeWork() { return WithRows(&work_, &work_rows_); }

 private:
  template <typename T>
  static std::vector<T> WithRows(std::vector<T>* things, std::vector<std::vector<EventRow>>* rows) {
    for (size_t i = 0; i < things->size(); ++i)
      (*things)[i].rows = EventRows(std::move((*rows)[i]));
    return std::move(*things);
  }

  std::map<std::tuple<WorkKind, StepTimeClass, std::string>, uint32_t> places_;
  std::vector<StepItem> items_;
  std::vector<StepWork> work_;
  std::vector<std::vector<EventRow>> item_rows_, work_rows_;  // of each
};

// The items of a program whose device is the CPU: ops by self time, idle time by cause
// (docs/compare.md#items). Divides each typical step's compute time among the ops that begin in the
// step, in proportion to their self times; threads that run side by side share it. Adds the items
// to `table`. O(events log events).
void AddCpuItems(AnalysisContext& context, const StepDatabase& steps,
                 const std::vector<bool>& typical, ItemTable* table);

// The items of devices: what runs on them, and why they idle (docs/compare.md#items).
// Adds items to `table` whose times sum to the mean of the typical steps. Returns the number of
// samples, each a typical step on one device. O(device events log device events). Takes 4 bytes for
// each event of a device, and some hundred bytes for each of at most 50,000 idle intervals.
size_t SweepDevices(AnalysisContext& context, const StepDatabase& steps,
                    const std::vector<bool>& typical, ItemTable* table);

}  // namespace stepscope::compare
