#include "viewer/core/look/name_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "model/analysis/naming/short_label.h"
#include "viewer/core/look/theme.h"

namespace stepscope {
namespace {

using Parts = std::vector<std::string_view>;

constexpr size_t kLongestPart = 32;  // bytes: more would hide the short name
constexpr size_t kMostAlike = 500;   // with more names, no single part is different in all

// The texts between separators: colons, slashes, brackets, commas and blanks, but not "_".
Parts SplitName(std::string_view name) {
  Parts parts;
  size_t begin = 0;
  for (size_t i = 0; i <= name.size(); ++i) {
    const bool separates =
        i == name.size() || std::string_view("/:<>(), []").find(name[i]) != std::string_view::npos;
    if (!separates) continue;
    if (i > begin) parts.push_back(name.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::string_view PartAt(const Parts& parts, size_t at, bool from_end) {
  if (at >= parts.size()) return {};
  return parts[from_end ? parts.size() - 1 - at : at];
}

bool TellsApart(const std::vector<Parts>& names, size_t at, bool from_end) {
  std::set<std::string_view> seen;
  return std::all_of(names.begin(), names.end(), [&](const Parts& parts) {
    const std::string_view part = PartAt(parts, at, from_end);
    return !part.empty() && part.size() <= kLongestPart && seen.insert(part).second;
  });
}

// Removes the parts at the begin and the end that all names share, and cuts the rest to
// kLongestPart.
std::vector<std::string> WithoutCommonEnds(const std::vector<Parts>& names) {
  size_t shortest = names.front().size();
  for (const Parts& parts : names) shortest = std::min(shortest, parts.size());
  const auto common = [&](size_t at, bool from_end) {
    return std::all_of(names.begin(), names.end(), [&](const Parts& parts) {
      return PartAt(parts, at, from_end) == PartAt(names.front(), at, from_end);
    });
  };
  size_t head = 0, tail = 0;
  while (head < shortest && common(head, false)) ++head;
  while (tail + head < shortest && common(tail, true)) ++tail;
  std::vector<std::string> out;
  for (const Parts& parts : names) {
    std::string& text = out.emplace_back();
    for (size_t i = head; i + tail < parts.size(); ++i) {
      if (!text.empty() && text.size() + parts[i].size() > kLongestPart) break;
      text.append(text.empty() ? "" : " ").append(parts[i]);
    }
    text = CutEnd(text, kLongestPart);
  }
  return out;
}

// A different text for each name: one of its parts if no two names share it, else its middle.
std::vector<std::string> DistinctParts(const std::vector<Parts>& names) {
  size_t most = 0;
  for (const Parts& parts : names) most = std::max(most, parts.size());
  constexpr size_t kMostParts = 40;
  for (size_t at = 0; at < std::min(most, kMostParts) && names.size() <= kMostAlike; ++at) {
    for (const bool from_end : {true, false}) {
      if (!TellsApart(names, at, from_end)) continue;
      std::vector<std::string> out;
      out.reserve(names.size());
      for (const Parts& parts : names) out.emplace_back(PartAt(parts, at, from_end));
      return out;
    }
  }
  return WithoutCommonEnds(names);
}

}  // namespace

std::vector<std::string> DistinctNames(std::span<const std::string_view> names) {
  std::vector<std::string> shorts;
  // For each short name its whole names, and for each of these its places in the list.
  std::map<std::string, std::map<std::string_view, std::vector<size_t>>> alike;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = MakeShortForms(names[i]).middle;
    if (name.empty()) name = names[i];
    alike[name][names[i]].push_back(i);
    shorts.push_back(std::move(name));
  }
  for (const auto& [name, wholes] : alike) {
    if (wholes.size() < 2) continue;
    std::vector<Parts> parts;
    for (const auto& [whole, places] : wholes) parts.push_back(SplitName(whole));
    const std::vector<std::string> distinct = DistinctParts(parts);
    size_t n = 0;
    for (const auto& [whole, places] : wholes) {
      const std::string& part = distinct[n++];
      for (const size_t at : places) {
        if (!part.empty() && part != name) shorts[at] = fmt::format("{} \u00b7 {}", name, part);
      }
    }
  }
  return shorts;
}

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
