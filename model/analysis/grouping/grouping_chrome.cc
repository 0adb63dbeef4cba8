#include "model/analysis/grouping/grouping_chrome.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/analysis/grouping/lane_parts.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

struct ChromeStep {
  Ps begin, end;
  int32_t group;
};

using StepMarks = std::vector<std::tuple<Ps, Ps, uint32_t>>;  // begin, duration, row

// The events of the parts that mark steps, by begin.
StepMarks MarksIn(const Trace& trace, const std::vector<LanePart>& parts) {
  std::vector<StepMarks> found(parts.size());
  const auto find = [&](size_t p) {
    const Lane& lane = *parts[p].lane;
    for (uint32_t i = parts[p].begin; i < parts[p].end; ++i) {
      const EventMeta& meta = trace.names().metas[lane.meta[i]];
      if (meta.category == EventCategory::kStep && lane.dur[i] > 0)
        found[p].push_back({lane.start[i], lane.dur[i], lane.first_row + i});
    }
  };
  ParallelFor(parts.size(), find, ThreadsFor(EventsIn(parts)));
  StepMarks marks;
  for (const StepMarks& part : found) marks.insert(marks.end(), part.begin(), part.end());
  std::sort(marks.begin(), marks.end());
  return marks;
}

// Gives the events of the part the group of the step that they begin in.
void JoinSteps(const LanePart& part, const std::vector<ChromeStep>& steps, Grouping* out) {
  const Lane& lane = *part.lane;
  auto step = std::partition_point(steps.begin(), steps.end(), [&](const ChromeStep& s) {
    return s.end <= lane.start[part.begin];
  });
  for (uint32_t i = part.begin; i < part.end; ++i) {
    while (step != steps.end() && step->end <= lane.start[i]) ++step;
    if (step == steps.end()) return;
    if (step->begin <= lane.start[i]) out->group[lane.first_row + i] = step->group;
  }
}

void GroupChromeHost(const Trace& trace, HostId host, const std::vector<LanePart>& parts,
                     Grouping* out) {
  std::vector<ChromeStep> steps;
  for (const auto& [start, dur, row] : MarksIn(trace, parts)) {
    if (!steps.empty() && start < steps.back().end)
      continue;  // the same step, seen by another thread
    EventGroup g;
    g.host = host;
    g.id = static_cast<int64_t>(steps.size());
    g.name = std::string(trace.set.Name(EventRow(row)));
    g.root = EventRow(row);
    steps.push_back({start, start + dur, static_cast<int32_t>(out->groups.size())});
    out->groups.push_back(std::move(g));
  }
  if (steps.empty()) return;
  const auto join = [&](size_t p) { JoinSteps(parts[p], steps, out); };
  ParallelFor(parts.size(), join, ThreadsFor(EventsIn(parts)));
}

}  // namespace

void GroupChrome(const Trace& trace, const EventForest& forest, Grouping* out) {
  for (uint32_t host = 0; host < trace.hosts.size(); ++host) {
    std::vector<LanePart> parts;
    for (uint32_t t : forest.HostTracks(host)) {
      const Track& track = trace.set.tracks[t];
      if (IsHostThreads(trace.planes[track.plane.value]))
        AppendParts(trace.set.LanesOf(track), &parts);
    }
    GroupChromeHost(trace, HostId(host), parts, out);
  }
  ForParts(out->launches.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      out->group[out->launches[i].device_row] = out->group[out->launches[i].launch_row];
  });
}

}  // namespace stepscope
