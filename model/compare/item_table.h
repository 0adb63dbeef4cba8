// ItemTable: the items of a run while they are found, by kind, class and name.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/compare/run_items.h"

namespace stepscope {

class ItemTable {
 public:
  // Its place in the table; a new one is empty. Classes of work are one: a kernel is one item,
  // whatever it hides. O(log items).
  uint32_t Find(ItemKind kind, LossClass loss, const std::string& name) {
    const LossClass key = IsWork(kind) ? LossClass::kCompute : loss;
    const auto [it, fresh] =
        places_.try_emplace(std::tuple(kind, key, name), static_cast<uint32_t>(items_.size()));
    if (!fresh) return it->second;
    RunItem item;
    item.kind = kind;
    item.loss = loss;
    item.name = name;
    item.order = it->second;
    items_.push_back(std::move(item));
    return it->second;
  }
  RunItem& item(uint32_t i) { return items_[i]; }

  uint32_t AddWork(RunWork work) {
    work_.push_back(std::move(work));
    return static_cast<uint32_t>(work_.size() - 1);
  }
  RunWork& work(uint32_t i) { return work_[i]; }

  std::vector<RunItem> TakeItems() { return std::move(items_); }
  std::vector<RunWork> TakeWork() { return std::move(work_); }

 private:
  std::map<std::tuple<ItemKind, LossClass, std::string>, uint32_t> places_;
  std::vector<RunItem> items_;
  std::vector<RunWork> work_;
};

inline void KeepRow(EventRow row, std::vector<EventRow>* rows) {
  if (row.valid() && rows->size() < kItemRows) rows->push_back(row);
}

}  // namespace stepscope
