#include "viewer/widgets/tree_rows.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "viewer/widgets/draw_text.h"

namespace stepscope {

TreeRows::TreeRows(const ResultTable& table, int depth_column) {
  const auto count = static_cast<uint32_t>(table.size());
  parent_.assign(count, kNone);
  end_.assign(count, count);
  open_.assign(count, 0);
  std::vector<std::pair<double, uint32_t>> above;  // depth and row
  first_child_.assign(count + 2, 0);
  for (uint32_t row = 0; row < count; ++row) {
    const double depth = depth_column < 0 ? 0 : NumberAt(table, row, depth_column);
    for (; !above.empty() && above.back().first >= depth; above.pop_back())
      end_[above.back().second] = row;
    parent_[row] = above.empty() ? kNone : above.back().second;
    above.emplace_back(depth, row);
    ++first_child_[std::min(parent_[row], count) + 1];
  }
  for (uint32_t row = 0; row <= count; ++row) first_child_[row + 1] += first_child_[row];
  children_.resize(count);
  std::vector<uint32_t> next(first_child_);
  for (uint32_t row = 0; row < count; ++row) children_[next[std::min(parent_[row], count)]++] = row;
}

std::span<const uint32_t> TreeRows::Children(uint32_t row) const {
  return std::span(children_).subspan(first_child_[row], first_child_[row + 1] - first_child_[row]);
}

uint32_t TreeRows::depth(uint32_t row) const {
  uint32_t depth = 0;
  while ((row = parent_[row]) != kNone) ++depth;
  return depth;
}

void TreeRows::SetOpen(uint32_t row, bool open) {
  if (filtered_ || leaf(row)) return;
  open_[row] = open ? 1 : 0;
  changed_ = true;
}

void TreeRows::OpenParents(uint32_t row) {
  for (row = parent_[row]; row != kNone; row = parent_[row]) SetOpen(row, true);
}

void TreeRows::OpenLargest(const ResultTable& table, int column, size_t rows) {
  std::priority_queue<std::pair<double, uint32_t>> largest;
  size_t shown = 0;
  const auto add = [&](uint32_t row) {
    for (const uint32_t child : Children(row)) {
      ++shown;
      if (!leaf(child)) largest.emplace(NumberAt(table, child, std::max(column, 0)), ~child);
    }
  };
  add(static_cast<uint32_t>(size()));
  while (!largest.empty()) {
    const uint32_t row = ~largest.top().second;
    largest.pop();
    if (shown + Children(row).size() > rows) continue;
    SetOpen(row, true);
    add(row);
  }
}

void TreeRows::Filter(const std::function<bool(size_t row)>& matches) {
  filtered_ = static_cast<bool>(matches);
  changed_ = true;
  kept_.assign(filtered_ ? size() : 0, 0);
  for (uint32_t row = 0; row < kept_.size(); ++row) {
    const bool inside = parent_[row] != kNone && kept_[parent_[row]] == 2;
    if (inside || matches(row)) kept_[row] = 2;
  }
  for (auto row = static_cast<uint32_t>(kept_.size()); row-- > 0;) {
    if (kept_[row] != 0 && parent_[row] != kNone)
      kept_[parent_[row]] = std::max<uint8_t>(kept_[parent_[row]], 1);
  }
}

void TreeRows::Sort(const ResultTable& table, int column, bool descending) {
  changed_ = true;
  for (size_t row = 0; row + 1 < first_child_.size(); ++row) {
    const auto begin = children_.begin() + first_child_[row];
    const auto end = children_.begin() + first_child_[row + 1];
    std::sort(begin, end);
    if (column < 0) continue;
    const auto c = static_cast<size_t>(column);
    if (table.columns[c].type == ValueType::kString) {
      std::stable_sort(begin, end, [&](uint32_t a, uint32_t b) {
        const std::string_view x = table.ShownText(a, column), y = table.ShownText(b, column);
        return descending ? y < x : x < y;
      });
      continue;
    }
    std::stable_sort(begin, end, [&](uint32_t a, uint32_t b) {
      const double x = NumberAt(table, a, column), y = NumberAt(table, b, column);
      return descending ? y < x : x < y;
    });
  }
}

std::span<const uint32_t> TreeRows::Shown() {
  if (!std::exchange(changed_, false) || first_child_.empty()) return shown_;
  shown_.clear();
  std::vector<uint32_t> next;
  const auto push = [&](uint32_t row) {
    const auto children = Children(row);
    for (size_t i = children.size(); i-- > 0;) {
      if (!filtered_ || kept_[children[i]] != 0) next.push_back(children[i]);
    }
  };
  push(static_cast<uint32_t>(size()));
  while (!next.empty()) {
    const uint32_t row = next.back();
    next.pop_back();
    shown_.push_back(row);
    if (open(row)) push(row);
  }
  return shown_;
}

}  // namespace stepscope
