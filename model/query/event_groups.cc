#include "model/query/event_groups.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {
namespace {

constexpr uint32_t kUnnumbered = ~uint32_t{0};

}  // namespace

EventGroups::EventGroups(const StatsQuestion& question) : question_(question) {
  if (question.by == GroupBy::kName) NumberNames();
  if (question.by == GroupBy::kTrack) NumberTracks();
  if (question.by == GroupBy::kStep) NumberSteps();
}

// Groups by the names of the file, not by display names. Equal texts are one group even if they
// come from several metas or sets.
void EventGroups::NumberNames() {
  std::unordered_map<std::string_view, uint32_t> known;  // used if sets have tables of their own
  std::vector<uint32_t> of_string;
  const NameTable* only = nullptr;
  bool one_table = true;
  for (const EventPart& part : question_.parts) {
    one_table &= only == nullptr || only == part.events->names.get();
    only = part.events->names.get();
  }
  const auto number = [&](StringId id, std::string_view text) {
    uint32_t added = static_cast<uint32_t>(texts_.size());
    if (one_table) {
      if (id.value >= of_string.size()) of_string.resize(size_t{id.value} + 1, kUnnumbered);
      if (of_string[id.value] != kUnnumbered) return of_string[id.value];
      of_string[id.value] = added;
    } else {
      const auto [it, fresh] = known.try_emplace(text, added);
      if (!fresh) return it->second;
    }
    texts_.push_back(text);
    return added;
  };
  for (const EventPart& part : question_.parts) {
    const NameTable& names = *part.events->names;
    std::vector<uint32_t>& of_meta = names_.emplace_back();
    of_meta.reserve(names.metas.size() + 1);
    for (const EventMeta& meta : names.metas) {
      const bool valid = meta.name.value < names.strings.size();
      of_meta.push_back(number(valid ? meta.name : StringId(0), names.strings.View(meta.name)));
    }
    of_meta.push_back(number(StringId(0), {}));
  }
  size_ = texts_.size();
}

void EventGroups::NumberTracks() {
  size_ = 0;
  for (const EventPart& part : question_.parts) {
    first_track_.push_back(static_cast<uint32_t>(size_));
    size_ += part.events->tracks.size();
  }
}

void EventGroups::NumberSteps() {
  const Trace& trace = *question_.trace;
  of_host_.resize(trace.hosts.size());
  of_device_.resize(trace.planes.size());
  if (question_.steps == nullptr) return;
  const StepDatabase& db = *question_.steps;
  const auto add = [](std::vector<Times>* lists, uint32_t list, TimeRange span, uint32_t step) {
    if (list >= lists->size()) return;
    Times& times = (*lists)[list];
    times.begin.push_back(span.begin);
    times.end.push_back(span.end);
    times.step.push_back(step);
  };
  for (uint32_t s = 0; s < db.steps.size(); ++s) {
    const Step& step = db.steps[s];
    add(&of_host_, step.host.value, step.span, s);
    if (step.group < 0) continue;
    const auto group = static_cast<size_t>(step.group);
    if (group >= of_group_.size()) of_group_.resize(group + 1, kUnnumbered);
    of_group_[group] = s;
  }
  for (const DeviceStep& d : db.device_steps) add(&of_device_, d.device.value, d.span, d.step);
  size_ = db.steps.size() + 1;  // the last group is what lies outside of all steps
}

uint32_t EventGroups::Times::At(Ps t, uint32_t none) const {
  const auto after = std::upper_bound(begin.begin(), begin.end(), t);
  if (after == begin.begin()) return none;
  const auto i = static_cast<size_t>(after - begin.begin()) - 1;
  return t < end[i] ? step[i] : none;
}

uint32_t EventGroups::StepOf(size_t part, const Lane& lane, uint32_t i) const {
  const auto none = static_cast<uint32_t>(size_ - 1);
  const Trace& trace = *question_.trace;
  const TrackSet& set = *question_.parts[part].events;
  const PlaneId plane = set.tracks[lane.track.value].plane;
  if (plane.value >= trace.planes.size()) return none;
  const uint32_t host = trace.planes[plane.value].host.value;
  const PlaneKind kind = trace.planes[plane.value].kind;
  if (IsDevice(kind) && kind != PlaneKind::kCustom) {
    uint32_t row = lane.first_row + i;
    if (question_.parts[part].set != 0) row = row < set.source.size() ? set.source[row].value : ~0u;
    if (question_.grouping != nullptr && row < question_.grouping->group.size()) {
      const int32_t group = question_.grouping->group[row];
      if (group >= 0 && static_cast<size_t>(group) < of_group_.size() &&
          of_group_[static_cast<size_t>(group)] != kUnnumbered)
        return of_group_[static_cast<size_t>(group)];
    }
    if (!of_device_[plane.value].begin.empty())
      return of_device_[plane.value].At(lane.start[i], none);
  }
  return host < of_host_.size() ? of_host_[host].At(lane.start[i], none) : none;
}

void EventGroups::Describe(size_t group, EventStatsRow* row) const {
  if (question_.by == GroupBy::kName) row->name = texts_[group];
  if (question_.by == GroupBy::kTrack) {
    const auto after = std::upper_bound(first_track_.begin(), first_track_.end(), group);
    const auto part = static_cast<size_t>(after - first_track_.begin()) - 1;
    row->set = question_.parts[part].set;
    row->track = TrackId(static_cast<uint32_t>(group) - first_track_[part]);
    const TrackSet& set = *question_.parts[part].events;
    row->name = set.names->strings.View(set.tracks[row->track.value].name);
  }
  if (question_.by == GroupBy::kStep) {
    const bool known = group + 1 < size_;
    if (known) row->step = static_cast<uint32_t>(group);
    row->name = known ? question_.steps->steps[group].label : "outside steps";
  }
}

}  // namespace stepscope
