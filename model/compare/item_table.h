// ItemTable: collects the items and the work of one profile. Items are found by kind, class and
// name. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
    return it->second;
  }
  StepItem& item(uint32_t i) { return items_[i]; }

  uint32_t AddWork(StepWork work) {
    work_.push_back(std::move(work));
    return static_cast<uint32_t>(work_.size() - 1);
  }
  StepWork& work(uint32_t i) { return work_[i]; }

  std::vector<StepItem> TakeItems() { return std::move(items_); }
  std::vector<StepWork> TakeWork() { return std::move(work_); }

 private:
  std::map<std::tuple<WorkKind, StepTimeClass, std::string>, uint32_t> places_;
  std::vector<StepItem> items_;
  std::vector<StepWork> work_;
};

}  // namespace stepscope::compare
