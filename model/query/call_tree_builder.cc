#include "model/query/call_tree_builder.h"

#include <algorithm>
#include <utility>

namespace stepscope {

uint32_t CallTreeBuilder::Below(uint32_t parent, StringId name) {
  const uint64_t key = uint64_t{parent} << 32 | name.value;
  if (key == last_key_) return last_;
  const auto found = below_.find(key);
  uint32_t frame = kNone;
  if (found != below_.end()) {
    frame = found->second;
  } else if (frames_.size() < kMostFrames && frames_[parent].depth < kDeepestFrame) {
    frame = static_cast<uint32_t>(frames_.size());
    below_.emplace(key, frame);
    frames_.push_back({.name = name, .parent = parent, .depth = frames_[parent].depth + 1});
  }
  last_key_ = key;
  return last_ = frame;
}

void CallTreeBuilder::AddRow(uint32_t frame, EventRow row) {
  if (!all_rows_) return;
  if (rows_.size() < kMostCallRows) {
    rows_.emplace_back(frame, row);
    return;
  }
  all_rows_ = false;
  std::vector<std::pair<uint32_t, EventRow>>().swap(rows_);
}

// A walk from parents to children, with a stack of its own.
void CallTreeBuilder::Order(Ps CallFrame::*key, std::vector<uint32_t>* order) const {
  std::vector<uint32_t> by_parent(frames_.size());
  for (uint32_t f = 0; f < by_parent.size(); ++f) by_parent[f] = f;
  // Within a parent the largest is last, because the walk takes from the end.
  std::sort(by_parent.begin() + 1, by_parent.end(), [&](uint32_t a, uint32_t b) {
    const CallFrame &x = frames_[a], &y = frames_[b];
    if (x.parent != y.parent) return x.parent < y.parent;
    return x.*key != y.*key ? x.*key < y.*key : a > b;
  });
  std::vector<uint32_t> first(frames_.size() + 1);  // of each parent's children in by_parent
  for (uint32_t f = 1; f < frames_.size(); ++f) ++first[frames_[f].parent + 1];
  first[0] = 1;  // the first frame is nobody's child
  for (size_t f = 1; f < first.size(); ++f) first[f] += first[f - 1];
  std::vector<uint32_t> open{0};
  order->reserve(frames_.size());
  while (!open.empty()) {
    const uint32_t frame = open.back();
    open.pop_back();
    order->push_back(frame);
    open.insert(open.end(), by_parent.begin() + first[frame], by_parent.begin() + first[frame + 1]);
  }
}

void CallTreeBuilder::Finish(Ps CallFrame::*key, CallTree* tree) {
  std::vector<uint32_t> order, place(frames_.size());
  Order(key, &order);
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  tree->frames.clear();
  tree->frames.reserve(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    CallFrame frame = frames_[order[i]];
    frame.parent = place[frame.parent];
    frame.end = i + 1;
    tree->frames.push_back(frame);
  }
  for (uint32_t i = static_cast<uint32_t>(order.size()) - 1; i > 0; --i) {
    CallFrame& parent = tree->frames[tree->frames[i].parent];
    parent.end = std::max(parent.end, tree->frames[i].end);
  }
  if (!all_rows_) return;
  tree->first_row.assign(order.size() + 1, 0);
  for (const auto& [frame, row] : rows_) ++tree->first_row[place[frame] + 1];
  for (size_t i = 1; i < tree->first_row.size(); ++i) tree->first_row[i] += tree->first_row[i - 1];
  std::vector<uint32_t> next(tree->first_row.begin(), tree->first_row.end() - 1);
  tree->rows.resize(rows_.size());
  for (const auto& [frame, row] : rows_) tree->rows[next[place[frame]]++] = row;
}

}  // namespace stepscope
