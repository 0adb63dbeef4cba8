// The last steps of XSpaceLoad: from parsed lines to tracks, and what was strange about them.
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/xplane/lines/line_pieces.h"
#include "loaders/xplane/scan/file_scan.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "loaders/xplane/xplane_stats.h"
#include "loaders/xplane/xspace_load.h"
#include "model/base/sort_runs.h"
#include "model/trace_builder.h"

namespace stepscope::xplane {
namespace {

// Reads counter lines ("_counters_"): one series per counter, from the number that each event
// carries. One thread.

constexpr size_t kStopEveryItems = 4096;  // events, stats or series

// The metadata of a stat. Its id counts within a message of the plane.
struct StatKey {
  const PlaneTables* tables;
  int64_t id;
  std::pair<uint64_t, int64_t> order() const { return {tables->begin, id}; }
};

// A sample of the series of one event name and stat.
struct Sample {
  uint32_t meta;
  StatKey stat;
  Ps time;
  double value;
  auto series() const { return std::pair(meta, stat.order()); }
};

// Gives one key to each stat name: the key in the message that has it first.
class StatKeys {
 public:
  explicit StatKeys(const PlaneParts& plane) : plane_(plane) {}
  StatKey At(uint64_t offset, int64_t id) {
    const StatKey key{&TablesAt(plane_, offset), id};
    if (plane_.size() == 1) return key;
    const std::string* name = key.tables->StatName(id);
    return name == nullptr ? key : first_.try_emplace(*name, key).first->second;
  }

 private:
  const PlaneParts& plane_;
  std::unordered_map<std::string, StatKey> first_;
};

void ReadEvent(WindowReader* reader, uint64_t at, Ps time, uint32_t meta, StatKeys* keys,
               std::vector<Sample>* samples, XspaceDiagnostics* diagnostics,
               const std::stop_token& stop) {
  SourceField event;
  if (!MessageAt(reader, at, &event)) return;
  SourceFieldReader fields(reader, event.begin, event.end);
  SourceField f;
  bool any = false;
  for (size_t n = 1; fields.Next(&f); ++n) {
    if (n % kStopEveryItems == 0 && stop.stop_requested()) return;
    if (f.number != 4 || f.wire != proto::kLen || f.size() > kMaxStatBytes) continue;
    const std::string_view bytes = reader->Fetch(f.begin, static_cast<size_t>(f.size()));
    const XStat stat = ReadXStat(bytes);
    if (const std::optional<double> value = NumberOf(stat)) {
      samples->push_back({meta, keys->At(at, stat.id), time, *value});
      any = true;
    }
  }
  if (!any) diagnostics->Count(XspaceDiagnostic::kBadCounter, at);
}

// `several`: the event has other series, so the stat's name is needed to tell them apart.
std::string SeriesName(const Sample& sample, bool several, const NameTable& names) {
  std::string name(names.DisplayName(MetaId(sample.meta)));
  const std::string* stat = sample.stat.tables->StatName(sample.stat.id);
  if ((several || name.empty()) && stat != nullptr) name += (name.empty() ? "" : ": ") + *stat;
  return name;
}

CounterSeries MakeSeries(StringId name, std::span<const Sample> samples) {
  CounterSeries series;
  series.name = name;
  series.min = series.max = samples.front().value;
  series.time.reserve(samples.size());
  series.value.reserve(samples.size());
  for (const Sample& sample : samples) {
    series.time.push_back(sample.time);
    series.value.push_back(sample.value);
    series.min = std::min(series.min, sample.value);
    series.max = std::max(series.max, sample.value);
  }
  return series;
}

// Fills data->track.counters from the stats of the track's events, which stay in the track. `names`
// gives the event names by MetaId. kIo, kCancelled. O(bytes of the events).
Status ReadCounters(const ByteSource& source, const PlaneParts& plane, NameTable* names,
                    TrackData* data, XspaceDiagnostics* diagnostics, const std::stop_token& stop) {
  WindowReader reader(source);
  StatKeys keys(plane);
  std::vector<Sample> samples;
  for (const RawEvents* events : {&data->slices, &data->instants}) {
    for (size_t i = 0; i < events->start.size(); ++i) {
      if (i % kStopEveryItems == 0 && stop.stop_requested())
        return {ErrorCode::kCancelled, "cancelled"};
      const uint64_t at =
          events->wide_ref.empty() ? events->ref_base + events->ref[i] : events->wide_ref[i];
      ReadEvent(&reader, at, events->start[i], events->meta[i], &keys, &samples, diagnostics, stop);
    }
  }
  const auto before = [](const Sample& a, const Sample& b) {
    return std::tuple(a.series(), a.time) < std::tuple(b.series(), b.time);
  };
  SortRuns(samples.begin(), samples.end(), before, stop);
  const std::span<const Sample> all(samples);
  for (size_t first = 0, number = 0; first < all.size(); ++number) {
    if (number % kStopEveryItems == 0 && stop.stop_requested())
      return {ErrorCode::kCancelled, "cancelled"};
    size_t last = first + 1;
    while (last < all.size() && all[last].series() == all[first].series()) ++last;
    const bool several = (first > 0 && all[first - 1].meta == all[first].meta) ||
                         (last < all.size() && all[last].meta == all[first].meta);
    const StringId name = names->strings.Intern(SeriesName(all[first], several, *names));
    data->track.counters.push_back(MakeSeries(name, all.subspan(first, last - first)));
    first = last;
  }
  return reader.status();
}

}  // namespace

using namespace naming;

// Adds a nameless meta for each plane and id that has no entry, so that such events are told apart.
void XSpaceLoad::NameMissingMetas() {
  std::unordered_map<const PlaneLoad*, std::unordered_map<int64_t, uint32_t>> named;
  for (LineLoad& line : lines_) {
    if (line.parsed.missing.empty()) continue;
    std::vector<uint32_t> metas;
    for (const int64_t id : line.parsed.missing) {
      auto [it, added] = named[line.plane].try_emplace(id, 0);
      if (added) {
        EventMeta meta;
        meta.name = StringId(0);
        meta.category = CategoryOf(line.plane->naming.kind, {});
        meta.plane = line.plane->id;
        meta.source_id = id;
        it->second = builder_.AddMeta(meta).value;
      }
      metas.push_back(it->second);
    }
    for (RawEvents* events : {&line.parsed.slices, &line.parsed.instants}) {
      for (size_t i = 0; i < events->meta.size(); ++i) {
        if (events->meta[i] >= kMissingMeta)
          events->meta[i] = metas[events->meta[i] - kMissingMeta];
      }
    }
  }
}

// Handles lines whose start comes after their events, which is legal, though no writer does it: all
// lines are placed again.
void XSpaceLoad::FixLateTimestamps() {
  bool late = false;
  for (LineLoad& line : lines_) {
    if (!line.parsed.timestamp_after_events) continue;
    line.scan->timestamp_ns = line.parsed.timestamp_ns;
    late = true;
  }
  if (!late) return;
  std::vector<Ps> before;
  for (const LineLoad& line : lines_) before.push_back(line.start->base_ps);
  PlaceLines();
  for (size_t l = 0; l < lines_.size(); ++l) {
    const Ps delta = SaturatingSub(lines_[l].start->base_ps, before[l]);
    if (delta == 0) continue;
    for (RawEvents* events : {&lines_[l].parsed.slices, &lines_[l].parsed.instants}) {
      for (size_t i = 0; i < events->start.size(); ++i) {
        Ps& start = events->start[i];
        start = std::clamp(SaturatingAdd(start, delta), -kMaxTimePs, kMaxTimePs);
        if (start > 0) events->dur[i] = std::min(events->dur[i], kMaxTimePs - start);
      }
    }
  }
}

void XSpaceLoad::CountStrangeStarts() {
  for (LineLoad& line : lines_) {
    if (line.start->zero_based_among_epoch)
      line.parsed.diagnostics.Count(XspaceDiagnostic::kZeroBasedLine, line.scan->begin);
    if (line.start->stray)
      line.parsed.diagnostics.Count(XspaceDiagnostic::kStrayLine, line.scan->begin);
  }
}

// Joins the pieces of a line that the messages of a plane hold, into the line of the first message.
void XSpaceLoad::JoinLines() {
  const std::vector<std::vector<size_t>> groups = GroupLines();
  if (groups.size() == lines_.size()) return;
  ParallelFor(
      groups.size(),
      [&](size_t g) {
        LineLoad& first = lines_[groups[g][0]];
        for (const size_t l : std::span(groups[g]).subspan(1)) {
          AppendLine(&first.parsed, &lines_[l].parsed);
          first.start->base_ps = std::min(first.start->base_ps, lines_[l].start->base_ps);
          if (first.scan->name.empty()) first.scan->name = lines_[l].scan->name;
        }
      },
      options_.threads);
  std::vector<LineLoad> joined;
  joined.reserve(groups.size());
  for (const std::vector<size_t>& group : groups) joined.push_back(std::move(lines_[group[0]]));
  lines_ = std::move(joined);
}

void XSpaceLoad::RetimeTpuCores() {
  std::vector<TpuCoreLines> cores;
  const PlaneLoad* last = nullptr;
  for (LineLoad& line : lines_) {
    const PlaneLoad& plane = *line.plane;
    const auto has_times = [](const PlanePart& part) { return part.core_times.has_value(); };
    if (std::none_of(plane.parts.begin(), plane.parts.end(), has_times)) continue;
    if (std::exchange(last, &plane) != &plane)
      cores.push_back({plane.file->file_name + ", plane '" + plane.first().name + "'", {}});
    const TrackKind kind = NameLine(plane.naming.kind, line.name(), line.id()).kind;
    cores.back().lines.push_back({kind, &line.parsed});
  }
  RetimeCores(cores, builder_.names(), options_.threads, stop_, &builder_.trace().diagnostics);
}

// Groups the lines that are pieces of one, in order of first appearance.
std::vector<std::vector<size_t>> XSpaceLoad::GroupLines() const {
  std::vector<std::vector<size_t>> groups;
  std::unordered_map<LineKey, size_t, LineKeyHash> known;
  LineKeys keys;
  for (size_t l = 0; l < lines_.size(); ++l) {
    const LineLoad& line = lines_[l];
    if (l == 0 || line.plane != lines_[l - 1].plane) known.clear();
    if (l == 0 || line.part != lines_[l - 1].part) keys = {};
    const bool alone = line.plane->parts.size() == 1;
    const auto it =
        alone ? known.end() : known.try_emplace(keys.Next(line.scan->id), groups.size()).first;
    if (alone || it->second == groups.size()) groups.emplace_back();
    groups[alone ? groups.size() - 1 : it->second].push_back(l);
  }
  return groups;
}

Track XSpaceLoad::MakeTrack(const LineLoad& line) {
  const ParsedLine& parsed = line.parsed;
  const int64_t id = line.id();
  const std::string& name = line.name();
  const LineNaming naming = NameLine(line.plane->naming.kind, name, id);
  Track track;
  track.plane = line.plane->id;
  track.name = builder_.strings().Intern(parsed.display_name.empty() ? name : parsed.display_name);
  track.id = id;
  track.display_id = parsed.display_id != 0 ? parsed.display_id : id;
  track.kind = naming.kind;
  track.derived_in_file = naming.derived_in_file;
  track.source = line.plane->file_index;
  track.file_order = line.scan->file_order;
  track.line_start = line.start->base_ps;
  return track;
}

// Reads the series of a line of counters into its track.
Status XSpaceLoad::AddCounters(LineLoad* line, Track* track) {
  TrackData data{std::move(*track), std::move(line->parsed.slices),
                 std::move(line->parsed.instants)};
  XspaceDiagnostics diagnostics;
  Status status = ReadCounters(*line->plane->file->source, PartsOf(*line->plane), &builder_.names(),
                               &data, &diagnostics, stop_);
  line->parsed.diagnostics.Merge(diagnostics);
  *track = std::move(data.track);
  line->parsed.slices = std::move(data.slices);
  line->parsed.instants = std::move(data.instants);
  return status;
}

// Adds the tracks of each plane in display order: devices' by kind and id, host threads by
// activity.
Status XSpaceLoad::AddTracks() {
  builder_.Reserve(0, lines_.size());
  size_t first = 0;
  while (first < lines_.size()) {
    size_t last = first;
    while (last < lines_.size() && lines_[last].plane == lines_[first].plane) ++last;
    if (Status s = AddTracksOf(std::span(lines_).subspan(first, last - first)); !s.ok()) return s;
    first = last;
  }
  return {};
}

// Adds the lines of one plane as tracks.
Status XSpaceLoad::AddTracksOf(std::span<LineLoad> lines) {
  const bool by_activity = lines[0].plane->naming.kind == PlaneKind::kHostThreads ||
                           lines[0].plane->naming.kind == PlaneKind::kHostOther;
  std::vector<std::tuple<bool, int, Ps, uint64_t, int64_t, uint32_t>> keys;
  std::vector<Track> tracks;
  keys.reserve(lines.size());
  tracks.reserve(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i % kStopEveryLines == 0 && stop_.stop_requested()) return Cancelled();
    const Ps busy = lines[i].parsed.busy;
    const uint64_t events = lines[i].parsed.events;
    Track& t = tracks.emplace_back(MakeTrack(lines[i]));
    keys.push_back(by_activity ? std::tuple(events == 0, t.kind == TrackKind::kCounter ? 1 : 0,
                                            -busy, ~events, int64_t{0}, t.file_order)
                               : std::tuple(events == 0, TrackRank(t.kind), Ps{0}, uint64_t{0},
                                            t.display_id, t.file_order));
    if (t.kind != TrackKind::kCounter || events == 0) continue;
    if (Status s = AddCounters(&lines[i], &t); !s.ok()) return s;
  }
  std::vector<uint32_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  for (const uint32_t i : order) {
    builder_.AddTrack({std::move(tracks[i]), std::move(lines[i].parsed.slices),
                       std::move(lines[i].parsed.instants)});
  }
  return stop_.stop_requested() ? Cancelled() : Status();
}

void XSpaceLoad::ReportDevices() {
  const bool host = std::any_of(planes_.begin(), planes_.end(), [](const PlaneLoad& p) {
    return p.naming.kind == PlaneKind::kHostThreads;
  });
  const bool device = std::any_of(planes_.begin(), planes_.end(), [](const PlaneLoad& p) {
    return p.naming.kind != PlaneKind::kHostThreads &&
           PlaneRank(p.naming.kind) < PlaneRank(PlaneKind::kCustom);
  });
  if (!host || device) return;
  builder_.trace().diagnostics.Count(
      "xplane.no_device", Severity::kInfo,
      "There is no device plane. If a GPU was used, the profiler was probably not allowed to read "
      "it "
      "(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: allow profiling for all users with the driver option "
      "NVreg_RestrictProfilingToAdminUsers=0, or give the container --privileged or "
      "CAP_SYS_ADMIN), or CUPTI was not found.");
}

void XSpaceLoad::Report() {
  Trace& trace = builder_.trace();
  for (size_t f = 0; f < files_.size(); ++f) {
    ReportScan(files_[f], &trace.diagnostics);
    hlo_diagnostics_[f].Report(files_[f].file_name, "HLO", &trace.diagnostics);
    for (auto& [id, program] : hlo_[f].programs)
      trace.hlo.programs.try_emplace(id, std::move(program));
    if (host_times_[f].unaligned) {
      trace.diagnostics.Count(
          "xplane.unaligned_host", Severity::kWarning,
          "Hosts without a start time: shown as if they had started with the first.",
          files_[f].file_name);
    }
  }
  for (LineLoad& line : lines_) {
    if (!line.parsed.diagnostics.any()) continue;
    line.parsed.diagnostics.Report(
        line.plane->file->file_name,
        "plane '" + line.plane->first().name + "', line '" + line.scan->name + "'",
        &trace.diagnostics);
  }
  ReportDevices();
  std::vector<std::shared_ptr<const ByteSource>> sources;
  for (const FileScan& file : files_) sources.push_back(file.source);
  std::vector<PlaneParts> tables;
  for (const PlaneLoad& p : planes_) tables.push_back(PartsOf(p));
  trace.source = MakeStatSource(std::move(sources), std::move(tables));
}

}  // namespace stepscope::xplane
