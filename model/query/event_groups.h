// EventGroups: to which group of EventStats an event belongs. Part of AddUp. Immutable when built;
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/query/event_stats.h"

namespace stepscope {

class EventGroups {
 public:
  // O(names + tracks + steps). The question must outlive it.
  explicit EventGroups(const StatsQuestion& question);

  size_t size() const { return size_; }
  // The group of each of the events [first, end) of a lane of part `part`: calls fn(index, group).
  template <typename Fn>
  void ForEach(size_t part, const Lane& lane, uint32_t first, uint32_t end, Fn fn) const {
    if (question_.by == GroupBy::kName) {
      const std::vector<uint32_t>& of_meta = names_[part];
      const auto last = static_cast<uint32_t>(of_meta.size() - 1);
      for (uint32_t i = first; i < end; ++i)
        fn(i, of_meta[lane.meta[i] < last ? lane.meta[i] : last]);
    } else if (question_.by == GroupBy::kStep) {
      for (uint32_t i = first; i < end; ++i) fn(i, StepOf(part, lane, i));
    } else {
      const uint32_t group =
          question_.by == GroupBy::kTrack ? first_track_[part] + lane.track.value : 0;
      for (uint32_t i = first; i < end; ++i) fn(i, group);
    }
  }
  // What the row of a group says besides numbers.
  void Describe(size_t group, EventStatsRow* row) const;

 private:
  struct Times {  // of steps that follow each other, by begin
    std::vector<Ps> begin, end;
    std::vector<uint32_t> step;
    uint32_t At(Ps t, uint32_t none) const;
  };
  void NumberNames();
  void NumberTracks();
  void NumberSteps();
  uint32_t StepOf(size_t part, const Lane& lane, uint32_t i) const;

  const StatsQuestion& question_;
  size_t size_ = 1;
  std::vector<std::vector<uint32_t>> names_;  // by part and MetaId; one more for what has none
  std::vector<std::string_view> texts_;       // by group
  std::vector<uint32_t> first_track_;         // by part
  std::vector<Times> of_host_, of_device_;    // by HostId, PlaneId
  std::vector<uint32_t> of_group_;            // by index into Grouping::groups
};

}  // namespace stepscope
