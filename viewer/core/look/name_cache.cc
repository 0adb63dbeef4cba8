#include "viewer/core/look/name_cache.h"

#include <utility>

#include "model/analysis/naming/short_label.h"
#include "viewer/core/look/loss_kind.h"

namespace stepscope {

void NameCache::SetTheme(const Theme& theme) {
  theme_ = theme;
  for (auto& [names, colors] : colors_) colors->known.assign(colors->known.size(), 0);
  ++generation_;
}

void NameCache::SetMeasure(MeasureText measure) {
  measure_ = std::move(measure);
  labels_.clear();
  ++generation_;
}

void NameCache::Prepare(const NameTable& names, bool derived) {
  auto& colors = colors_[&names];
  if (!colors) colors = std::make_unique<TableColors>();
  colors->derived = derived;
  if (colors->known.size() < names.metas.size()) colors->known.resize(names.metas.size(), 0);
}

void NameCache::Forget(const NameTable* names) {
  colors_.erase(names);
  std::erase_if(labels_, [names](const auto& item) { return item.first.names == names; });
  ++generation_;
}

Rgba NameColors::Compute(uint32_t meta) const {
  const bool idle = derived_ && meta < names_.metas.size() &&
                    names_.metas[meta].category == EventCategory::kOverhead;
  if (idle) return theme_[LossKind(names_.Name(MetaId(meta)))];
  return theme_.NameColor(names_.DisplayName(MetaId(meta)));
}

Rgba NameColors::Make(uint32_t meta) const {
  const Rgba color = Compute(meta);
  std::atomic_ref<uint32_t>((*known_)[meta]).store(color, std::memory_order_relaxed);
  return color;
}

NameColors NameCache::Colors(const NameTable& names) const {
  const auto found = colors_.find(&names);
  if (found == colors_.end()) return {names, theme_, nullptr, false};
  return {names, theme_, &found->second->known, found->second->derived};
}

void NameCache::Trim() {
  if (labels_.size() <= kMaxLabels) return;
  labels_.clear();
  ++generation_;
}

const NameLabel& NameCache::Label(const NameTable& names, uint32_t meta) {
  auto& slot = labels_[Key{&names, meta}];
  if (slot) return *slot;
  constexpr size_t kLongest = 256;  // nothing longer fits on a screen
  const std::string_view full = CutEnd(names.DisplayName(MetaId(meta)), kLongest);
  auto label = std::make_unique<NameLabel>();
  ShortForms forms = MakeShortForms(full);
  label->forms[0] = std::string(full);
  if (forms.middle != full) label->forms[1] = std::move(forms.middle);
  label->forms[2] = std::move(forms.tiny);
  for (size_t i = 0; i < label->forms.size(); ++i) {
    if (!label->forms[i].empty()) label->widths[i] = measure_(label->forms[i], 1e9f, nullptr);
  }
  slot = std::move(label);
  return *slot;
}

}  // namespace stepscope
