// AllocatorCategories tells what the program was doing when it allocated: what it compiled, else
// the innermost annotation of the device that was open. Numbers in names are left out, so that
// all steps are one category. Views the history, which must outlive it. Immutable; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {

class AllocatorCategories {
 public:
  static constexpr uint32_t kNone = 0;    // no annotation, nothing compiled
  static constexpr uint32_t kBefore = 1;  // made before the recording

  // O(annotations log annotations + names).
  explicit AllocatorCategories(const AllocatorHistory& history);

  const std::vector<std::string>& labels() const { return labels_; }
  // Whether there is any category besides these two.
  bool any() const { return labels_.size() > 2; }
  // The category of an allocation of the device, an index of labels(). O(log annotations).
  uint32_t Of(const AllocatorDevice& device, const Allocation& allocation) const;

 private:
  // (us, label): the category from that time on.
  using Changes = std::vector<std::pair<int64_t, uint32_t>>;
  uint32_t LabelOf(StringId name);
  void ReadNotes();
  void ReadContexts();

  const AllocatorHistory& history_;
  std::vector<std::string> labels_;
  std::map<std::string, uint32_t> known_;
  std::map<int, Changes> changes_;         // by device
  std::map<uint32_t, uint32_t> contexts_;  // by StringId of what was being compiled
};

}  // namespace stepscope
