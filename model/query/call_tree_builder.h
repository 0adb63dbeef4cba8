// CallTreeBuilder: frames by their parent and name. A part of merge_stacks.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/query/call_tree.h"

namespace stepscope {

class CallTreeBuilder {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  CallTreeBuilder() { frames_.emplace_back(); }
  // The frame of the name below `parent`; kNone if it would be too deep or one too many. O(1).
  uint32_t Below(uint32_t parent, StringId name);
  CallFrame& at(uint32_t frame) { return frames_[frame]; }
  // Notes an event of a frame, for CallTree::rows.
  void AddRow(uint32_t frame, EventRow row);
  // Sorts the frames of each parent by `key`, the largest first and equal ones by age, and moves
  // them into `tree`. O(n log n).
  void Finish(Ps CallFrame::*key, CallTree* tree);

 private:
  void Order(Ps CallFrame::*key, std::vector<uint32_t>* order) const;

  std::vector<CallFrame> frames_;
  std::unordered_map<uint64_t, uint32_t> below_;     // frame by parent and name
  std::vector<std::pair<uint32_t, EventRow>> rows_;  // frame and event
  bool all_rows_ = true;
  uint64_t last_key_ = ~uint64_t{0};  // loops ask for the same frame again and again
  uint32_t last_ = kNone;
};

}  // namespace stepscope
