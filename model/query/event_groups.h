// EventGroups: numbers the groups of a StatsQuestion and says to which group an event belongs. A
// part of AddUp. Immutable once built; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/query/stats_question.h"

namespace stepscope {

class EventGroups {
 public:
  // Borrows the question. O(names + tracks + steps).
  explicit EventGroups(const StatsQuestion& question);

  size_t size() const { return size_; }
  // Calls fn(index, group) for the events [first, end) of a lane of question.parts[part].
  // O(events), by step O(events log steps).
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
  // Sets what a row says about its group besides numbers: name, track, set, step.
  void Describe(size_t group, EventStatsRow* row) const;

 private:
  struct Times {  // steps of one host or device, which do not overlap, by begin
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
  std::vector<std::vector<uint32_t>> names_;  // group by part and MetaId; last: for unknown metas
  std::vector<std::string_view> texts_;       // name by group
  std::vector<uint32_t> first_track_;         // group of a part's first track
  std::vector<Times> of_host_, of_device_;    // by HostId, PlaneId
  std::vector<uint32_t> of_group_;            // step by index into Grouping::groups
};

}  // namespace stepscope
