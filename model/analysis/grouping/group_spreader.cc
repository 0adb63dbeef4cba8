#include "model/analysis/grouping/group_spreader.h"

#include <algorithm>
#include <utility>

#include "model/analysis/grouping/grouping.h"
#include "model/jobs/job.h"

namespace stepscope {

GroupSpreader::GroupSpreader(const EventForest& forest, const EventOrder& order,
                             std::vector<uint32_t> roots)
    : forest_(forest), order_(order), points_(std::move(roots)) {
  AddPoints(forest.links());
  AddPoints(forest.launch_links());
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  points_.shrink_to_fit();
  groups_.assign(points_.size(), Grouping::kNone);
  ends_.reserve(points_.size());
  for (const uint32_t pos : points_) ends_.push_back(PointOf(forest.SubtreeEnd(pos)));
  links_.reserve(forest.links().size() + forest.launch_links().size());
  AddLinks(forest.links());
  AddLinks(forest.launch_links());
  std::sort(links_.begin(), links_.end(),
            [](const Link& a, const Link& b) { return a.parent < b.parent; });
}

// A context may tie many events to many: links with the same end follow each other.
void GroupSpreader::AddPoints(const std::vector<EventForest::Link>& links) {
  EventForest::Link before{EventForest::kNone, EventForest::kNone};
  for (const EventForest::Link& link : links) {
    if (link.parent != before.parent) points_.push_back(link.parent);
    if (link.child != before.child) points_.push_back(link.child);
    before = link;
  }
}

void GroupSpreader::AddLinks(const std::vector<EventForest::Link>& links) {
  for (const EventForest::Link& link : links)
    links_.push_back({PointOf(link.parent), PointOf(link.child)});
}

uint32_t GroupSpreader::PointOf(uint32_t pos) const {
  return static_cast<uint32_t>(std::lower_bound(points_.begin(), points_.end(), pos) -
                               points_.begin());
}

void GroupSpreader::Take(uint32_t point, int32_t group, std::vector<uint32_t>* pending) {
  groups_[point] = group;
  auto link = std::lower_bound(links_.begin(), links_.end(), point,
                               [](const Link& l, uint32_t p) { return l.parent < p; });
  for (; link != links_.end() && link->parent == point; ++link) {
    if (groups_[link->child] < 0) pending->push_back(link->child);
  }
}

void GroupSpreader::Spread(uint32_t root, int32_t group) {
  std::vector<uint32_t> pending{PointOf(root)};
  while (!pending.empty()) {
    const uint32_t top = pending.back();
    pending.pop_back();
    if (groups_[top] >= 0) continue;
    Take(top, group, &pending);
    for (uint32_t point = top + 1; point < ends_[top];) {
      if (!forest_.InTree(points_[point])) {
        ++point;
      } else if (groups_[point] >= 0) {
        point = ends_[point];  // what has a group was entered when it got it
      } else {
        Take(point++, group, &pending);
      }
    }
  }
}

void GroupSpreader::FinishTrack(RowRange range, Column<int32_t>* group) const {
  uint32_t next = PointOf(range.first);
  const uint32_t last = PointOf(range.end());
  if (next == last) return;
  for (uint32_t pos = range.first; pos < range.end(); ++pos) {
    int32_t mine = Grouping::kNone;
    if (next < last && points_[next] == pos) mine = groups_[next++];
    const uint32_t encloser = forest_.Encloser(pos);
    if (mine < 0 && encloser != EventForest::kNone) mine = (*group)[order_.row[encloser]];
    if (mine >= 0) (*group)[order_.row[pos]] = mine;
  }
}

void GroupSpreader::Finish(const TrackSet& set, Column<int32_t>* group) const {
  const std::vector<uint32_t> by_size = LargestFirst(set, order_.tracks);
  ParallelFor(by_size.size(),
              [&](size_t i) { FinishTrack(RowsOf(set, set.tracks[by_size[i]]), group); });
}

}  // namespace stepscope
