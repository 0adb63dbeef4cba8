// GroupSpreader: gives each event the group of the first root that leads to it, through the events
// that it encloses and along links (docs/rules.md#grouping). It walks over points only, which are
// the roots and both ends of each link; an event between points has the group of the event that
// encloses it. Links are few in most profiles, so the walk is short, and the rest is done in
// parallel. The forest and the order must outlive it. One thread uses it. O(p log p) for p points,
// and O(n) in Finish.
#pragma once

#include <cstdint>
#include <vector>

#include "model/analysis/grouping/event_forest.h"
#include "model/analysis/intervals/event_order.h"
#include "model/base/column.h"
#include "model/trace.h"

namespace stepscope {

class GroupSpreader {
 public:
  // The forest must have all its links. The roots are positions, in any order.
  GroupSpreader(const EventForest& forest, const EventOrder& order, std::vector<uint32_t> roots);
  // Whether an earlier root leads to this one.
  bool HasGroup(uint32_t root) const { return groups_[PointOf(root)] >= 0; }
  // Gives the group to all that the root leads to and that has none yet.
  void Spread(uint32_t root, int32_t group);
  // Writes the groups, by row, where none is written yet. Parallel over tracks.
  void Finish(const TrackSet& set, Column<int32_t>* group) const;

 private:
  struct Link {
    uint32_t parent, child;  // points
  };
  void AddPoints(const std::vector<EventForest::Link>& links);
  void AddLinks(const std::vector<EventForest::Link>& links);
  // The number of the first point at or after a position.
  uint32_t PointOf(uint32_t pos) const;
  void Take(uint32_t point, int32_t group, std::vector<uint32_t>* pending);
  void FinishTrack(RowRange range, Column<int32_t>* group) const;

  const EventForest& forest_;
  const EventOrder& order_;
  std::vector<uint32_t> points_;  // positions, rising
  std::vector<int32_t> groups_;   // by point; below 0: none
  std::vector<uint32_t> ends_;    // by point: the first point after all that it encloses
  std::vector<Link> links_;       // by parent
};

}  // namespace stepscope
