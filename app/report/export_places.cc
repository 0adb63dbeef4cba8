#include "app/report/export_places.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace stepscope {
namespace {

// Programs that read JSON numbers as doubles round larger ones.
constexpr int64_t kMostExact = int64_t{1} << 53;

// Hands out pids and tids, each once.
class Numbers {
 public:
  bool Take(int64_t number) {
    return number >= 0 && number < kMostExact && taken_.insert(number).second;
  }
  int64_t Free() {
    while (!taken_.insert(next_).second) ++next_;
    return next_;
  }

 private:
  std::set<int64_t> taken_;
  int64_t next_ = 1;
};

bool TakeSuffix(std::string_view suffix, std::string* name) {
  if (!name->ends_with(suffix)) return false;
  name->resize(name->size() - suffix.size());
  return true;
}

// The name of the thread that the track is exported to. Several tracks of PyTorch are parts of
// one thread, which has the name without their suffix.
std::string ThreadName(const Trace& trace, const Track& track) {
  std::string name(trace.names().strings.View(track.name));
  if (trace.kineto && track.kind == TrackKind::kNvtx) TakeSuffix(" annotations", &name);
  if (trace.kineto && track.kind == TrackKind::kOther) TakeSuffix(" synchronisation", &name);
  return name;
}

void PlaceThreads(const Trace& trace, const Plane& plane, ExportPlaces* places) {
  Numbers numbers;
  std::map<std::pair<int64_t, std::string>, int64_t> known;
  std::vector<TrackId> without;  // tracks that get a free number after all others have theirs
  for (const TrackId id : plane.tracks) {
    const Track& track = trace.set.tracks[id.value];
    ExportPlaces::Thread& thread = places->threads[id.value];
    thread.name = ThreadName(trace, track);
    const bool own = numbers.Take(track.id);
    const auto same = known.find({track.id, thread.name});
    if (own) {
      thread.first = true;
      thread.tid = known[{track.id, thread.name}] = track.id;
    } else if (trace.kineto && same != known.end() && track.kind != TrackKind::kThread) {
      thread.tid = same->second;
    } else {
      without.push_back(id);
    }
    // The loader gives this name to a thread that has none.
    if (thread.name == "Thread " + std::to_string(thread.tid)) thread.name.clear();
  }
  for (const TrackId id : without) {
    places->threads[id.value].first = true;
    places->threads[id.value].tid = numbers.Free();
  }
}

}  // namespace

ExportPlaces PlacesOf(const Trace& trace) {
  ExportPlaces places;
  places.threads.resize(trace.set.tracks.size());
  Numbers numbers;
  for (const Plane& plane : trace.planes) {
    ExportPlaces::Process& process = places.processes.emplace_back();
    process.pid = numbers.Take(plane.id) ? plane.id : -1;
    process.name = trace.names().strings.View(plane.name);
    if (process.name == "Process " + std::to_string(process.pid)) process.name.clear();
    if (trace.kineto && plane.kind == PlaneKind::kGpu)
      process.labels = "GPU " + std::to_string(plane.device_ordinal);
    if (trace.hosts.size() > 1) {
      process.labels += process.labels.empty() ? "" : ", ";
      process.labels += trace.HostName(plane.host);
    }
    PlaceThreads(trace, plane, &places);
  }
  for (ExportPlaces::Process& process : places.processes) {
    if (process.pid < 0) process.pid = numbers.Free();
  }
  return places;
}

}  // namespace stepscope
