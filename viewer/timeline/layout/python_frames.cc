#include "viewer/timeline/layout/python_frames.h"

#include <algorithm>

#include "model/jobs/job.h"
#include "model/trace_builder.h"

namespace stepscope {
namespace {

bool IsFrame(const Trace& trace, uint32_t meta) {
  const auto& metas = trace.names().metas;
  return meta < metas.size() && metas[meta].category == EventCategory::kPythonFunction;
}

bool HasFrames(const Trace& trace, const Track& track) {
  for (const Lane& lane : trace.set.LanesOf(track)) {
    if (lane.kind == LaneKind::kInstant) continue;
    if (std::any_of(lane.meta.begin(), lane.meta.end(),
                    [&](uint32_t meta) { return IsFrame(trace, meta); }))
      return true;
  }
  return false;
}

// Copies the slices that stay, lane by lane: the outer one of two slices with equal times still
// comes first.
void CopyRest(const Trace& trace, const Track& track, TrackData* out,
              std::vector<EventRow>* source) {
  for (const Lane& lane : trace.set.LanesOf(track)) {
    if (lane.kind == LaneKind::kInstant) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (IsFrame(trace, lane.meta[i])) continue;
      out->slices.Add(lane.start[i], lane.dur[i], lane.meta[i], 0);
      source->push_back(EventRow(lane.first_row + i));
    }
  }
}

}  // namespace

std::shared_ptr<const WithoutPython> LeaveOutPython(const Trace& trace) {
  const auto& metas = trace.names().metas;
  if (std::none_of(metas.begin(), metas.end(), [](const EventMeta& meta) {
        return meta.category == EventCategory::kPythonFunction;
      }))
    return nullptr;
  auto out = std::make_shared<WithoutPython>();
  out->track.resize(trace.set.tracks.size());
  std::vector<TrackData> tracks;
  std::vector<std::vector<EventRow>> sources;
  for (uint32_t t = 0; t < trace.set.tracks.size(); ++t) {
    CheckStop();
    const Track& track = trace.set.tracks[t];
    if (!HasFrames(trace, track)) continue;
    out->track[t] = TrackId(static_cast<uint32_t>(tracks.size()));
    tracks.emplace_back().track.plane = track.plane;
    CopyRest(trace, track, &tracks.back(), &sources.emplace_back());
  }
  if (tracks.empty()) return nullptr;
  out->set = TraceBuilder::BuildSet("Without Python frames", trace.set.names, std::move(tracks),
                                    std::move(sources));
  out->row.resize(trace.set.rows);
  for (uint32_t row = 0; row < out->set.source.size(); ++row)
    out->row[out->set.source[row].value] = EventRow(row);
  return out;
}

bool PythonHider::Show() {
  if (!hidden_) return false;
  hidden_ = false;
  rests_.clear();
  return true;
}

bool PythonHider::Update(std::span<const Profile> profiles, bool hide, JobQueue& queue) {
  if (!hide) {
    job_.Stop();
    wanted_.clear();
    return Show();
  }
  Traces traces;
  for (const Profile& profile : profiles) traces.push_back(profile.trace);
  if (traces != made_.traces) {
    if (job_.active() && traces == wanted_) {
      std::optional<Made> made = job_.Take();
      if (!made) return Show();
      made_ = std::move(*made);
      hidden_ = false;
    } else {
      wanted_ = traces;
      // Results of profiles that stay open are taken over.
      job_.Start(queue, [traces, old = made_](Progress&) {
        Made out{traces, {}};
        for (const auto& trace : traces) {
          const auto known = std::find(old.traces.begin(), old.traces.end(), trace);
          const bool have = known != old.traces.end();
          out.rests.push_back(have ? old.rests[static_cast<size_t>(known - old.traces.begin())]
                                   : LeaveOutPython(*trace));
        }
        return out;
      });
      return Show();
    }
  }
  if (hidden_) return false;
  hidden_ = true;
  rests_ = made_.rests;
  return true;
}

}  // namespace stepscope
