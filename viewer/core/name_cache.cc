#include "viewer/core/name_cache.h"

#include <utility>

#include "viewer/core/short_label.h"

namespace stepscope {

void NameCache::SetTheme(const Theme& theme) {
  theme_ = theme;
  for (auto& [names, colors] : colors_) colors->assign(colors->size(), 0);
  ++generation_;
}

void NameCache::SetMeasure(MeasureText measure) {
  measure_ = std::move(measure);
  labels_.clear();
  ++generation_;
}

void NameCache::Prepare(const NameTable& names) {
  auto& colors = colors_[&names];
  if (!colors) colors = std::make_unique<std::vector<uint32_t>>();
  if (colors->size() < names.metas.size()) colors->resize(names.metas.size(), 0);
}

void NameCache::Forget(const NameTable* names) {
  colors_.erase(names);
  std::erase_if(labels_, [names](const auto& item) { return item.first.names == names; });
  ++generation_;
}

Rgba NameColors::Make(uint32_t meta) const {
  const Rgba color = theme_.NameColor(names_.DisplayName(MetaId(meta)));
  std::atomic_ref<uint32_t>((*known_)[meta]).store(color, std::memory_order_relaxed);
  return color;
}

NameColors NameCache::Colors(const NameTable& names) const {
  const auto found = colors_.find(&names);
  return {names, theme_, found == colors_.end() ? nullptr : found->second.get()};
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
