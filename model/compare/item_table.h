// ItemTable: collects the items and the work of one profile, and their events. Items are found by
// kind, class and name. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

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
