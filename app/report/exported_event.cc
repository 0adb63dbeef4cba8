#include "app/report/exported_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
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

namespace {

constexpr std::pair<const char*, IntStat> kNumbers[] = {
    {"device", IntStat::kDeviceId},
    {"correlation", IntStat::kCorrelationId},
    {"registers per thread", IntStat::kRegisters},
    {"shared memory", IntStat::kStaticShared},
    {"dynamic shared memory", IntStat::kDynamicShared},
    {"bytes", IntStat::kBytes},
};

struct Shape {
  const char* name;
  std::array<IntStat, 3> sizes;
};
constexpr Shape kShapes[] = {
    {"grid", {IntStat::kGridX, IntStat::kGridY, IntStat::kGridZ}},
    {"block", {IntStat::kBlockX, IntStat::kBlockY, IntStat::kBlockZ}},
};

std::optional<std::string> TextOf(const Shape& shape, const StatTable& stats, EventRow row) {
  std::array<int64_t, 3> sizes{};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::optional<int64_t> size = stats.Int(shape.sizes[i]).Find(row);
    if (!size) return std::nullopt;
    sizes[i] = *size;
  }
  return fmt::format("[{},{},{}]", sizes[0], sizes[1], sizes[2]);
}

}  // namespace

std::vector<Stat> TorchArgs(const StatTable& stats, EventRow row, const std::vector<Stat>& own) {
  std::vector<Stat> args;
  const auto has = [&own](std::string_view name) {
    return std::any_of(own.begin(), own.end(), [name](const Stat& s) { return s.name == name; });
  };
  for (const auto& [name, stat] : kNumbers) {
    if (has(name)) continue;
    if (const auto value = stats.Int(stat).Find(row)) args.push_back({name, *value});
  }
  for (const Shape& shape : kShapes) {
    if (has(shape.name)) continue;
    if (auto text = TextOf(shape, stats, row)) args.push_back({shape.name, *std::move(text)});
  }
  if (const auto occupancy = stats.Real(RealStat::kOccupancyPct).Find(row);
      occupancy && !has("est. achieved occupancy %"))
    args.push_back({"est. achieved occupancy %", *occupancy});
  return args;
}

namespace {

using Json = nlohmann::json;

void AppendValue(const Stat& stat, bool lists, std::string* out) {
  if (const auto* i = std::get_if<int64_t>(&stat.value)) {
    *out += fmt::format_int(*i).c_str();
  } else if (const auto* u = std::get_if<uint64_t>(&stat.value)) {
    *out += fmt::format_int(*u).c_str();
  } else if (const auto* d = std::get_if<double>(&stat.value)) {
    *out += std::isfinite(*d) ? Json(*d).dump() : "\"" + fmt::format("{}", *d) + "\"";
  } else {
    const std::string& text = std::get<std::string>(stat.value);
    if (lists && text.starts_with('[') && Json::accept(text)) {
      *out += text;
    } else {
      AppendQuoted(text, out);
    }
  }
}

}  // namespace

void AppendQuoted(std::string_view text, std::string* out) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    *out += '"';
    *out += text;
    *out += '"';
  } else {
    *out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out) {
  *out += '{';
  for (const Stat& stat : args) {
    if (out->back() != '{') *out += ',';
    AppendQuoted(stat.name, out);
    *out += ':';
    AppendValue(stat, lists, out);
  }
  *out += '}';
}

}  // namespace stepscope
