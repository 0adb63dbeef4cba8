#include "model/analysis/memory/allocator_categories.h"

#include <algorithm>

#include "model/analysis/memory/allocation_groups.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

constexpr size_t kDeepest = 64;  // annotations open at once; deeper ones are not told apart

}  // namespace

AllocatorCategories::AllocatorCategories(const AllocatorHistory& history)
    : history_(history), labels_{"no annotation", kBeforeRecording} {
  ReadNotes();
  ReadContexts();
}

uint32_t AllocatorCategories::LabelOf(StringId name) {
  std::string text = WithoutNumbers(history_.strings.View(name));
  const auto [it, added] = known_.try_emplace(text, static_cast<uint32_t>(labels_.size()));
  if (added) labels_.push_back(std::move(text));
  return it->second;
}

void AllocatorCategories::ReadNotes() {
  std::map<int, std::vector<std::pair<StringId, uint32_t>>> open;  // by device, outermost first
  for (const AllocatorNote& note : history_.notes) {
    auto& inside = open[note.device];
    if (note.begin) {
      if (inside.size() < kDeepest) inside.emplace_back(note.name, LabelOf(note.name));
    } else {
      const auto last = std::find_if(inside.rbegin(), inside.rend(),
                                     [&](const auto& o) { return o.first == note.name; });
      if (last != inside.rend()) inside.erase(std::next(last).base(), inside.end());
    }
    changes_[note.device].emplace_back(note.time_us, inside.empty() ? kNone : inside.back().second);
  }
}

void AllocatorCategories::ReadContexts() {
  for (const uint32_t context : history_.events.context.span()) {
    if (context != 0 && !contexts_.contains(context))
      contexts_.emplace(context, LabelOf(StringId(context)));
  }
}

uint32_t AllocatorCategories::Of(const AllocatorDevice& device, const Allocation& a) const {
  if (const auto context = contexts_.find(a.context); context != contexts_.end())
    return context->second;
  if (a.before()) return kBefore;
  const auto changes = changes_.find(device.index);
  if (changes == changes_.end()) return kNone;
  const int64_t time = history_.events.time_us[device.first_event + a.begin];
  const auto after =
      std::upper_bound(changes->second.begin(), changes->second.end(), time,
                       [](int64_t t, const auto& change) { return t < change.first; });
  return after == changes->second.begin() ? kNone : std::prev(after)->second;
}

}  // namespace stepscope
