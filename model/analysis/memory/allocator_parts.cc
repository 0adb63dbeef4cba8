#include "model/analysis/memory/allocator_parts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

// "step 12" and "step 13" have the same family, "step #".
std::string FamilyOf(std::string_view name) { return Lower(WithoutNumbers(name)); }

// The family of the device's steps: among those with several begins the one called step, then the
// one with the most.
std::string ChooseFamily(const AllocatorHistory& history, int device) {
  std::map<std::string, size_t> begins;
  for (const AllocatorNote& note : history.notes) {
    if (note.begin && note.device == device) ++begins[FamilyOf(history.strings.View(note.name))];
  }
  std::string best;
  std::pair<bool, size_t> best_key{false, 1};
  for (const auto& [family, count] : begins) {
    const std::pair<bool, size_t> key{family.find("step") != family.npos, count};
    if (count > 1 && key > best_key) best = family, best_key = key;
  }
  return best;
}

}  // namespace

uint32_t EventAt(const AllocatorHistory& history, const AllocatorDevice& device, Ps time) {
  if (device.events == 0) return 0;
  uint32_t low = 0, high = static_cast<uint32_t>(device.events);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (history.EventTime(device, middle) <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 ? low - 1 : 0;
}

const AllocatorDevice* FullestDevice(const AllocatorHistory& history) {
  const auto it = std::max_element(history.devices.begin(), history.devices.end(),
                                   [](const AllocatorDevice& a, const AllocatorDevice& b) {
                                     return std::pair(a.peak_bytes, a.events) <
                                            std::pair(b.peak_bytes, b.events);
                                   });
  return it == history.devices.end() ? nullptr : &*it;
}

AllocatorPart PartOf(const AllocatorHistory& history, const AllocatorDevice& device,
                     TimeRange range) {
  AllocatorPart part;
  part.last = static_cast<uint32_t>(device.events);
  part.peak = device.peak_event;
  part.peak_bytes = device.peak_bytes;
  if (range.empty() || device.events == 0) return part;
  const auto from = [&](Ps time) {
    const uint32_t at = EventAt(history, device, SaturatingSub(time, 1));
    return history.EventTime(device, at) < time ? at + 1 : at;
  };
  part.first = from(range.begin);
  part.last = from(range.end);
  const Column<int64_t> after = AllocatedAfter(device);
  part.first = std::min(part.first, static_cast<uint32_t>(device.events - 1));
  part.peak = part.first;
  part.peak_bytes = after[part.first];
  for (uint32_t e = part.first; e < part.last; ++e) {
    if (after[e] > part.peak_bytes) part.peak = e, part.peak_bytes = after[e];
  }
  return part;
}

AllocatorSteps StepsOf(const AllocatorHistory& history, const AllocatorDevice& device) {
  AllocatorSteps steps;
  const std::string family = ChooseFamily(history, device.index);
  if (family.empty()) return steps;
  for (const AllocatorNote& note : history.notes) {
    const std::string_view name = history.strings.View(note.name);
    if (!note.begin || note.device != device.index || FamilyOf(name) != family) continue;
    // A step begins with the first event after the note; one at the same microsecond ends the
    // step before.
    const int64_t* begin = history.events.time_us.data() + device.first_event;
    const int64_t* end = begin + device.events;
    const auto at = (steps.begins.empty() ? std::lower_bound(begin, end, note.time_us)
                                          : std::upper_bound(begin, end, note.time_us)) -
                    begin;
    steps.begins.push_back(static_cast<uint32_t>(at));
    steps.names.emplace_back(name);
  }
  return steps;
}

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
