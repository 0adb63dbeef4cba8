#include "model/trace_facts.h"

#include <cstddef>
#include <cstdint>

#include "model/jobs/job.h"

namespace stepscope {

void CopyTraceFacts(const Trace& from, Trace* to) {
  to->format = from.format;
  to->kineto = from.kineto;
  to->recording = from.recording;
  to->path = from.path;
  to->run = from.run;
  to->origin_unix_ns = from.origin_unix_ns;
  to->file_bytes = from.file_bytes;
  to->inflated_bytes = from.inflated_bytes;
  to->hosts = from.hosts;
  to->planes = from.planes;
  to->hlo = from.hlo;
  to->diagnostics = from.diagnostics;
  to->errors = from.errors;
  to->warnings = from.warnings;
  to->skipped_files = from.skipped_files;
  to->runs = from.runs;
  to->cycles = from.cycles;
  to->set.title = from.set.title;
  to->set.names = from.set.names;
}

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
