#include "model/lane_pyramids.h"

#include <cstddef>
#include <cstdint>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kLanesPerTask = 64;  // small lanes whose pyramids one task builds

}  // namespace

// A long lane is built in parts, because one huge lane would keep a single thread busy. Short lanes
// are built in groups, because a hundred thousand tracks would be as many tasks.
void BuildPyramids(std::vector<Lane>* lanes, const std::stop_token& stop) {
  struct Task {
    uint32_t lane, part, count;  // count > 0: whole lanes from `lane` on; 0: one part of a lane
  };
  std::vector<Task> tasks;
  uint64_t events = 0;
  std::vector<uint32_t> in_parts;
  std::vector<Task> groups;
  for (uint32_t i = 0; i < lanes->size(); ++i) {
    Lane& lane = (*lanes)[i];
    events += lane.size();
    if (lane.size() >= LaneMip::kPartEvents * 2) {
      const uint32_t parts = lane.mip.Prepare(lane.view());
      for (uint32_t part = 0; part < parts; ++part) tasks.push_back({i, part, 0});
      in_parts.push_back(i);
    } else if (!groups.empty() && groups.back().lane + groups.back().count == i &&
               groups.back().count < kLanesPerTask &&
               lane.size() < LaneMip::kPartEvents / kLanesPerTask) {
      ++groups.back().count;
    } else {
      groups.push_back({i, 0, 1});
    }
  }
  tasks.insert(tasks.end(), groups.begin(), groups.end());
  const auto build = [&](size_t t) {
    if (stop.stop_requested()) return;
    const Task& task = tasks[t];
    if (task.count == 0) (*lanes)[task.lane].mip.BuildPart((*lanes)[task.lane].view(), task.part);
    for (uint32_t i = task.lane; i < task.lane + task.count; ++i)
      (*lanes)[i].mip.Build((*lanes)[i].view());
  };
  ParallelFor(tasks.size(), build, ThreadsFor(events));
  if (stop.stop_requested()) return;
  for (const uint32_t i : in_parts) (*lanes)[i].mip.Finish();
}

}  // namespace stepscope
