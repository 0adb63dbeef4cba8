#include "loaders/xplane/xspace_load.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "loaders/common/plane_kinds.h"
#include "loaders/loader.h"
#include "loaders/xplane/concatenated_xspaces.h"
#include "loaders/xplane/core_retiming.h"
#include "loaders/xplane/counter_reader.h"
#include "loaders/xplane/file_scan.h"
#include "loaders/xplane/hlo_reader.h"
#include "loaders/xplane/limits.h"
#include "loaders/xplane/line_set.h"
#include "loaders/xplane/scan_report.h"
#include "loaders/xplane/time_base.h"
#include "loaders/xplane/xplane_stats.h"

namespace stepscope::xplane {
namespace {

using namespace naming;

constexpr size_t kStopEveryLines = 4096;  // planes or lines

Status Cancelled() { return {ErrorCode::kCancelled, "cancelled"}; }

// One of the file's messages that make up a plane.
struct PlanePart {
  PlaneScan* scan = nullptr;
  std::vector<uint32_t> metas;              // by index in scan->tables->event_metas
  std::optional<CoreTimeStats> core_times;  // of a TPU core
};

struct PlaneLoad {
  FileScan* file = nullptr;
  uint32_t file_index = 0;
  std::vector<PlanePart> parts;  // in order of the file; several only in files of several XSpaces
  PlaneNaming naming;
  PlaneId id;
  const PlaneScan& first() const { return *parts.front().scan; }
};

PlaneParts PartsOf(const PlaneLoad& plane) {
  PlaneParts parts;
  for (const PlanePart& part : plane.parts) parts.push_back(part.scan->tables);
  return parts;
}

struct LineLoad {
  PlaneLoad* plane = nullptr;
  PlanePart* part = nullptr;
  LineScan* scan = nullptr;
  LineStart* start = nullptr;
  ParsedLine parsed;
  // The id and the name of a line may stand behind its events.
  int64_t id() const { return parsed.has_late_id ? parsed.late_id : scan->id; }
  const std::string& name() const {
    return parsed.late_name.empty() ? scan->name : parsed.late_name;
  }
};

// Loads the files of one run. Run() lists the steps in order; members hold what they hand on.
class XSpaceLoad {
 public:
  XSpaceLoad(TraceBuilder* builder, std::span<const InputFile> inputs, const LoadOptions& options,
             std::stop_token stop, Progress* progress)
      : builder_(*builder),
        inputs_(inputs),
        options_(options),
        stop_(std::move(stop)),
        progress_(*progress) {}

  Status Run() {
    if (Status s = OpenAndScan(); !s.ok()) return s;
    AddHosts();
    AddPlanes();
    AddMetas();
    if (stop_.stop_requested()) return Cancelled();
    ListLines();
    if (Status s = ParseLines(); !s.ok()) return s;
    NameMissingMetas();
    FixLateTimestamps();
    CountStrangeStarts();
    JoinLines();
    RetimeTpuCores();
    if (stop_.stop_requested()) return Cancelled();
    if (Status s = AddTracks(); !s.ok()) return s;
    Report();
    return {};
  }

 private:
  Status OpenAndScan();
  Status OpenAndScan(size_t input, Result<std::shared_ptr<const ByteSource>> source,
                     ScanBudget* budget);
  void AddHosts();
  void ListPlanes();
  void AddPlanes();
  void AddMetas();
  void AddMetas(PlaneLoad* plane);
  void ListLines();
  void PlaceLines();
  Status ParseLines();
  Status ReadHloOf(size_t file);
  void NameMissingMetas();
  void FixLateTimestamps();
  void CountStrangeStarts();
  void JoinLines();
  void RetimeTpuCores();
  std::vector<std::vector<size_t>> GroupLines() const;
  Status AddTracks();
  Status AddTracksOf(std::span<LineLoad> lines);
  Track MakeTrack(const LineLoad& line);
  Status AddCounters(LineLoad* line, Track* track);
  void Report();
  void ReportDevices();

  TraceBuilder& builder_;
  std::span<const InputFile> inputs_;
  const LoadOptions& options_;
  std::stop_token stop_;
  Progress& progress_;

  std::vector<FileScan> files_;
  std::vector<HostTimes> host_times_;
  std::vector<HloTable> hlo_;                       // by file
  std::vector<XspaceDiagnostics> hlo_diagnostics_;  // by file
  std::vector<PlaneLoad> planes_;                   // by PlaneId
  std::vector<LineLoad> lines_;                     // by plane, then in file order
};

Status XSpaceLoad::OpenAndScan() {
  std::vector<std::optional<Result<std::shared_ptr<const ByteSource>>>> sources(inputs_.size());
  progress_.SetStage("Opening");
  ParallelFor(
      inputs_.size(),
      [&](size_t i) { sources[i].emplace(OpenInput(inputs_[i], options_, stop_, &progress_)); },
      options_.threads);
  progress_.SetStage("Reading");
  ScanBudget budget;
  Status first_error;
  files_.reserve(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Status status = OpenAndScan(i, *std::move(sources[i]), &budget);
    if (status.code() == ErrorCode::kCancelled) return status;
    if (status.ok()) continue;
    // The other hosts of a run are worth seeing without this one.
    if (first_error.ok()) first_error = status;
    builder_.trace().diagnostics.Count("xplane.unreadable_file", Severity::kError,
                                       "Files that could not be read: the rest is shown.",
                                       status.message());
    builder_.trace().skipped_files.push_back(status.message());
  }
  return files_.empty() ? first_error : Status();
}

Status XSpaceLoad::OpenAndScan(size_t input, Result<std::shared_ptr<const ByteSource>> source,
                               ScanBudget* budget) {
  if (!source.ok()) return source.status();
  FileScan scan;
  scan.source = std::move(source).value();
  const size_t slash = inputs_[input].path.rfind('/');
  scan.file_name = inputs_[input].path.substr(slash == std::string::npos ? 0 : slash + 1);
  scan.host = inputs_[input].host;
  if (Status s = FindSpaces(options_, stop_, &progress_, &scan); !s.ok()) return s;
  if (Status s = ScanFile(&scan, &builder_.strings(), budget, stop_); !s.ok()) return s;
  files_.push_back(std::move(scan));
  return {};
}

void XSpaceLoad::AddHosts() {
  Trace& trace = builder_.trace();
  for (const FileScan& file : files_) {
    Host host;
    const std::string& name =
        !file.host.empty() || file.hostnames.empty() ? file.host : file.hostnames.front();
    host.name = builder_.strings().Intern(name);
    host.file = file.source->path();
    host.start_unix_ns = file.start_unix_ns;
    HostTimes times;
    times.start_unix_ns = host.start_unix_ns;
    host_times_.push_back(std::move(times));
    builder_.AddHost(std::move(host));
    trace.file_bytes += file.source->file_bytes();
    trace.inflated_bytes += file.source->size();
    const std::string prefix = files_.size() > 1 ? name + ": " : "";
    for (const std::string& e : file.errors) trace.errors.push_back(prefix + e);
    for (const std::string& w : file.warnings) trace.warnings.push_back(prefix + w);
  }
}

void XSpaceLoad::ListPlanes() {
  for (size_t f = 0; f < files_.size(); ++f) {
    const uint32_t file_index = static_cast<uint32_t>(f);
    for (PlaneScan& scan : files_[f].planes) scan.tables->file = file_index;
    for (std::vector<PlaneScan*>& group : GroupPlanes(&files_[f])) {
      PlaneLoad& plane = planes_.emplace_back();
      plane.file = &files_[f];
      plane.file_index = file_index;
      for (PlaneScan* scan : group) plane.parts.push_back({scan, {}, {}});
      plane.naming = NamePlane(plane.first().name, plane.first().id);
    }
  }
}

// Adds planes in display order: by host; on each host devices first, planes without events last.
void XSpaceLoad::AddPlanes() {
  ListPlanes();
  const auto key = [](const PlaneLoad& p) {
    const bool empty = std::none_of(p.parts.begin(), p.parts.end(), [](const PlanePart& part) {
      return std::any_of(part.scan->lines.begin(), part.scan->lines.end(),
                         [](const LineScan& l) { return l.has_events; });
    });
    return std::tuple(p.file_index, empty, PlaneRank(p.naming.kind), p.naming.device_ordinal);
  };
  std::vector<std::pair<decltype(key(planes_[0])), size_t>> order;
  order.reserve(planes_.size());
  for (size_t i = 0; i < planes_.size(); ++i) order.emplace_back(key(planes_[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<PlaneLoad> sorted;
  sorted.reserve(order.size());
  for (const auto& [k, i] : order) sorted.push_back(std::move(planes_[i]));
  planes_ = std::move(sorted);
  for (PlaneLoad& p : planes_) {
    Plane plane;
    plane.host = HostId(p.file_index);
    plane.name = builder_.strings().Intern(p.first().name);
    plane.display_name = p.naming.display_name;
    plane.kind = p.naming.kind;
    plane.device_ordinal = p.naming.device_ordinal;
    plane.id = p.first().id;
    plane.file_order = p.first().file_order;
    StatJoiner stats;
    for (PlanePart& part : p.parts) stats.Add(std::move(part.scan->stats));
    plane.stats = stats.Take();
    if (plane.kind != PlaneKind::kEnvironment) plane.subtitle = DeviceSubtitle(plane.stats);
    p.id = builder_.AddPlane(std::move(plane));
  }
}

void XSpaceLoad::AddMetas() {
  for (PlaneLoad& p : planes_) {
    if (stop_.stop_requested()) return;
    AddMetas(&p);
  }
}

void XSpaceLoad::AddMetas(PlaneLoad* plane) {
  SharedMetas shared;  // metas of the messages before
  for (PlanePart& part : plane->parts) {
    PlaneTables& tables = *part.scan->tables;
    tables.first_meta = static_cast<uint32_t>(builder_.names().metas.size());
    part.metas.reserve(tables.event_metas.size());
    for (const EventMetaScan& scan : tables.event_metas) {
      if (const uint32_t* known = plane->parts.size() > 1 ? shared.Find(scan) : nullptr) {
        part.metas.push_back(*known);
        continue;
      }
      EventMeta meta;
      meta.name = scan.name;
      meta.display_name = scan.display_name;
      meta.category = CategoryOf(plane->naming.kind, builder_.strings().View(scan.name));
      meta.plane = plane->id;
      meta.source_id = scan.id;
      part.metas.push_back(builder_.AddMeta(meta).value);
    }
    tables.last_meta = static_cast<uint32_t>(builder_.names().metas.size());
    if (plane->parts.size() > 1) shared.Add(tables.event_metas, part.metas);
  }
}

void XSpaceLoad::ListLines() {
  size_t lines = 0;
  for (const PlaneLoad& p : planes_) {
    for (const PlanePart& part : p.parts) lines += part.scan->lines.size();
  }
  lines_.reserve(lines);
  for (PlaneLoad& p : planes_) {
    for (PlanePart& part : p.parts) {
      part.core_times = CoreTimeStatsOf(p.naming.kind, *part.scan->tables);
      for (LineScan& scan : part.scan->lines) {
        LineLoad& line = lines_.emplace_back();
        line.plane = &p;
        line.part = &part;
        line.scan = &scan;
      }
    }
  }
  PlaceLines();
}

void XSpaceLoad::PlaceLines() {
  for (HostTimes& host : host_times_) host.lines.clear();
  for (LineLoad& line : lines_) {
    LineStart start;
    start.timestamp_ns = line.scan->timestamp_ns;
    start.weight = line.scan->has_events ? line.scan->end - line.scan->begin : 0;
    host_times_[line.plane->file_index].lines.push_back(start);
  }
  builder_.trace().origin_unix_ns = PlaceOrigin(&host_times_);
  std::vector<size_t> next(host_times_.size(), 0);
  for (LineLoad& line : lines_) {
    const uint32_t f = line.plane->file_index;
    line.start = &host_times_[f].lines[next[f]++];
  }
}

Status XSpaceLoad::ReadHloOf(size_t file) {
  for (const PlaneScan& plane : files_[file].planes) {
    if (NamePlane(plane.name, plane.id).kind != PlaneKind::kMetadata) continue;
    if (Status s = ReadHlo(files_[file], plane, &hlo_[file], &hlo_diagnostics_[file], stop_);
        !s.ok())
      return s;
  }
  return {};
}

// Bytes on the disk for a parsed byte.
double ProgressPerByte(const ByteSource& source) {
  if (source.bytes().empty()) return 1;  // plain, read as it is parsed
  const uint64_t left = source.file_bytes() - InflateShare(source.file_bytes());
  return static_cast<double>(std::min(left, source.size())) / static_cast<double>(source.size());
}

// Parses all lines, and beside them each file's HLO, which cannot be split.
Status XSpaceLoad::ParseLines() {
  std::vector<LineTask> tasks;
  for (LineLoad& line : lines_) {
    LineTask& task = tasks.emplace_back();
    task.job.source = line.plane->file->source.get();
    task.job.line_begin = task.job.begin = line.scan->begin;
    task.job.end = line.scan->end;
    task.job.base_ps = line.start->base_ps;
    task.job.metas = line.part->metas.data();
    task.job.ids = &line.part->scan->tables->event_ids;
    if (line.part->core_times) task.job.core_times = &*line.part->core_times;
    task.job.progress_per_byte = ProgressPerByte(*line.plane->file->source);
    task.parsed = &line.parsed;
  }
  hlo_.resize(files_.size());
  hlo_diagnostics_.resize(files_.size());
  const SideWork hlo = {files_.size(), [this](size_t file) { return ReadHloOf(file); }};
  return ParseLineSet(tasks, hlo, options_.threads, stop_, &progress_);
}

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

}  // namespace

Status LoadXSpace(TraceBuilder& builder, std::span<const InputFile> files,
                  const LoadOptions& options, const std::stop_token& stop, Progress& progress) {
  return XSpaceLoad(&builder, files, options, stop, &progress).Run();
}

}  // namespace stepscope::xplane
