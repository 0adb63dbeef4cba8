#include "model/analysis/intervals/nested_span_builder.h"

#include <algorithm>

namespace stepscope {

void NestedSpanBuilder::CloseFrom(size_t level) {
  for (size_t i = level; i < open_.size(); ++i) open_[i].reset();
  if (level > 0) return;
  for (NestedSpanBuilder* line : dependents_) line->CloseFrom(0);
}

void NestedSpanBuilder::Add(std::span<const uint32_t> metas, const Source& source) {
  if (open_.size() < metas.size()) open_.resize(metas.size());
  for (size_t level = 0; level < metas.size(); ++level) {
    std::optional<Open>& open = open_[level];
    bool same = open && open->meta == metas[level] && open->group == source.group &&
                (!open->scope || !source.scope || *open->scope == *source.scope);
    if (same) {
      Ps begin = events_.start[open->index];
      Ps end = std::max(SaturatingAdd(begin, events_.dur[open->index]), source.end);
      events_.dur[open->index] = SaturatingSub(end, begin);
      continue;
    }
    CloseFrom(level);
    open = Open{static_cast<uint32_t>(rows_.size()), metas[level], source.group, source.scope};
    events_.start.push_back(source.begin);
    events_.dur.push_back(SaturatingSub(source.end, source.begin));
    events_.meta.push_back(metas[level]);
    rows_.push_back(source.row);
  }
}

}  // namespace stepscope
