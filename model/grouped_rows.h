// GroupedRows: takes the events of numbered groups in any order and makes a list of each group.
// Lists that grow would be copied again and again; these are made at their size. Owns its memory,
// which it keeps for the next use. One thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/event_rows.h"
#include "model/ids.h"

namespace stepscope {

class GroupedRows {
 public:
  void Add(uint32_t group, EventRow row) { added_.push_back({group, row}); }

  // The events of each group in [0, groups), in the order in which they were added; all groups must
  // be in it. Afterwards this is empty. O(events + groups).
  std::vector<EventRows> Take(uint32_t groups) {
    std::vector<uint32_t> sizes(groups);
    for (const Added& added : added_) ++sizes[added.group];
    std::vector<std::vector<EventRow>> rows(groups);
    for (uint32_t g = 0; g < groups; ++g) rows[g].reserve(sizes[g]);
    for (const Added& added : added_) rows[added.group].push_back(added.row);
    added_.clear();
    std::vector<EventRows> lists;
    lists.reserve(groups);
    for (std::vector<EventRow>& of_group : rows) lists.emplace_back(std::move(of_group));
    return lists;
  }

 private:
  struct Added {
    uint32_t group;
    EventRow row;
  };
  std::vector<Added> added_;
};

}  // namespace stepscope
