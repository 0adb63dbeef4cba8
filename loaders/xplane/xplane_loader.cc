#include "loaders/xplane/xplane_loader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "loaders/xplane/counter_reader.h"
#include "loaders/xplane/file_scan.h"
#include "loaders/xplane/hlo_reader.h"
#include "loaders/xplane/line_set.h"
#include "loaders/xplane/plane_kinds.h"
#include "loaders/xplane/time_base.h"
#include "loaders/xplane/xplane_stats.h"

namespace stepscope {
namespace {

using namespace xplane;

Status Cancelled() { return {ErrorCode::kCancelled, "cancelled"}; }

struct PlaneLoad {
  FileScan* file = nullptr;
  PlaneScan* scan = nullptr;
  uint32_t file_index = 0;
  PlaneNaming naming;
  PlaneId id;
  std::vector<uint32_t> metas;  // by index in scan->tables->event_metas
};

struct LineLoad {
  PlaneLoad* plane = nullptr;
  LineScan* scan = nullptr;
  LineStart* start = nullptr;
  ParsedLine parsed;
};

// Loads the files of one run. Steps in order of Run(); members are what the steps hand on.
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
    ListLines();
    if (Status s = ParseLines(); !s.ok()) return s;
    NameMissingMetas();
    FixLateTimestamps();
    if (Status s = AddTracks(); !s.ok()) return s;
    Report();
    return {};
  }

 private:
  Status OpenAndScan();
  void AddHosts();
  void AddPlanes();
  void AddMetas();
  void ListLines();
  void PlaceLines();
  Status ParseLines();
  Status ReadHloOf(size_t file);
  void NameMissingMetas();
  void FixLateTimestamps();
  Status AddTracks();
  TrackData MakeTrack(LineLoad* line);
  void Report();
  void ReportDevices();

  TraceBuilder& builder_;
  std::span<const InputFile> inputs_;
  const LoadOptions& options_;
  std::stop_token stop_;
  Progress& progress_;

  std::vector<FileScan> files_;
  std::vector<HostTimes> host_times_;
  std::vector<HloTable> hlo_;       // by file
  std::vector<Issues> hlo_issues_;  // by file
  std::vector<PlaneLoad> planes_;   // by PlaneId
  std::vector<LineLoad> lines_;     // by plane, then in file order
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
    FileScan scan;
    Status status = sources[i]->status();
    if (status.ok()) {
      scan.source = std::move(*sources[i]).value();
      const size_t slash = inputs_[i].path.rfind('/');
      scan.file_name = inputs_[i].path.substr(slash == std::string::npos ? 0 : slash + 1);
      scan.host = inputs_[i].host;
      status = ScanFile(&scan, &builder_.strings(), &budget, stop_);
    }
    if (status.code() == ErrorCode::kCancelled) return status;
    if (status.ok()) {
      progress_.bytes_total += scan.source->size();
      files_.push_back(std::move(scan));
      continue;
    }
    // The other hosts of a run are worth seeing without this one.
    if (first_error.ok()) first_error = status;
    builder_.trace().diagnostics.Count("xplane.unreadable_file", Severity::kError,
                                       "Files that could not be read: the rest is shown.",
                                       status.message());
    builder_.trace().skipped_files.push_back(status.message());
  }
  return files_.empty() ? first_error : Status();
}

void XSpaceLoad::AddHosts() {
  Trace& trace = builder_.trace();
  trace.format = TraceFormat::kXSpace;
  for (const FileScan& file : files_) {
    Host host;
    const std::string& name =
        !file.host.empty() || file.hostnames.empty() ? file.host : file.hostnames.front();
    host.name = builder_.strings().Intern(name);
    host.file = file.source->path();
    host.start_unix_ns = file.start_unix_ns;
    if (const auto it = options_.clock_offsets.find(name); it != options_.clock_offsets.end())
      host.clock_offset = it->second;
    HostTimes times;
    times.start_unix_ns = host.start_unix_ns;
    times.clock_offset = host.clock_offset;
    host_times_.push_back(std::move(times));
    builder_.AddHost(std::move(host));
    trace.file_bytes += file.source->file_bytes();
    trace.inflated_bytes += file.source->size();
    const std::string prefix = files_.size() > 1 ? name + ": " : "";
    for (const std::string& e : file.errors) trace.errors.push_back(prefix + e);
    for (const std::string& w : file.warnings) trace.warnings.push_back(prefix + w);
  }
}

// Planes in display order: by host; on each host devices first, planes without events last.
void XSpaceLoad::AddPlanes() {
  for (size_t f = 0; f < files_.size(); ++f) {
    for (PlaneScan& scan : files_[f].planes) {
      PlaneLoad& plane = planes_.emplace_back();
      plane.file = &files_[f];
      plane.scan = &scan;
      plane.file_index = static_cast<uint32_t>(f);
      plane.naming = NamePlane(scan.name, scan.id);
      scan.tables->file = plane.file_index;
    }
  }
  const auto key = [](const PlaneLoad& p) {
    const bool empty = std::none_of(p.scan->lines.begin(), p.scan->lines.end(),
                                    [](const LineScan& l) { return l.has_events; });
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
    plane.name = builder_.strings().Intern(p.scan->name);
    plane.display_name = p.naming.display_name;
    plane.kind = p.naming.kind;
    plane.device_ordinal = p.naming.device_ordinal;
    plane.id = p.scan->id;
    plane.file_order = p.scan->file_order;
    plane.stats = std::move(p.scan->stats);
    if (plane.kind != PlaneKind::kEnvironment) plane.subtitle = DeviceSubtitle(plane.stats);
    p.id = builder_.AddPlane(std::move(plane));
  }
}

void XSpaceLoad::AddMetas() {
  for (PlaneLoad& p : planes_) {
    for (const EventMetaScan& scan : p.scan->tables->event_metas) {
      EventMeta meta;
      meta.name = scan.name;
      meta.display_name = scan.display_name;
      meta.category = CategoryOf(p.naming.kind, builder_.strings().View(scan.name));
      meta.plane = p.id;
      meta.source_id = scan.id;
      p.metas.push_back(builder_.AddMeta(meta).value);
    }
  }
}

void XSpaceLoad::ListLines() {
  for (PlaneLoad& p : planes_) {
    for (LineScan& scan : p.scan->lines) {
      LineLoad& line = lines_.emplace_back();
      line.plane = &p;
      line.scan = &scan;
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
    if (Status s = ReadHlo(files_[file], plane, &hlo_[file], &hlo_issues_[file], stop_); !s.ok())
      return s;
  }
  return {};
}

// The lines, and the HLO of each file beside them: one file's cannot be split.
Status XSpaceLoad::ParseLines() {
  std::vector<LineTask> tasks;
  for (LineLoad& line : lines_) {
    LineTask& task = tasks.emplace_back();
    task.job.source = line.plane->file->source.get();
    task.job.line_begin = task.job.begin = line.scan->begin;
    task.job.end = line.scan->end;
    task.job.base_ps = line.start->base_ps;
    task.job.metas = line.plane->metas.data();
    task.job.ids = &line.plane->scan->tables->event_ids;
    task.parsed = &line.parsed;
  }
  hlo_.resize(files_.size());
  hlo_issues_.resize(files_.size());
  const SideWork hlo = {files_.size(), [this](size_t file) { return ReadHloOf(file); }};
  return ParseLineSet(tasks, hlo, options_.threads, stop_, &progress_);
}

// One nameless meta per plane and id that has no entry, so that such events are still told apart.
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

// Legal, though no writer does it: a line whose start comes after its events. All lines are placed
// again.
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

TrackData XSpaceLoad::MakeTrack(LineLoad* line) {
  ParsedLine& parsed = line->parsed;
  TrackData data;
  const int64_t id = parsed.has_late_id ? parsed.late_id : line->scan->id;
  const std::string& name = parsed.late_name.empty() ? line->scan->name : parsed.late_name;
  const LineNaming naming = NameLine(line->plane->naming.kind, name, id);
  data.track.plane = line->plane->id;
  data.track.name =
      builder_.strings().Intern(parsed.display_name.empty() ? name : parsed.display_name);
  data.track.id = id;
  data.track.display_id = parsed.display_id != 0 ? parsed.display_id : id;
  data.track.kind = naming.kind;
  data.track.derived_in_file = naming.derived_in_file;
  data.track.source = line->plane->file_index;
  data.track.file_order = line->scan->file_order;
  data.track.line_start = line->start->base_ps;
  data.slices = std::move(parsed.slices);
  data.instants = std::move(parsed.instants);
  return data;
}

// Tracks of each plane in display order: devices by kind and id, host threads by activity.
Status XSpaceLoad::AddTracks() {
  size_t first = 0;
  while (first < lines_.size()) {
    size_t last = first;
    while (last < lines_.size() && lines_[last].plane == lines_[first].plane) ++last;
    const bool by_activity = lines_[first].plane->naming.kind == PlaneKind::kHostThreads ||
                             lines_[first].plane->naming.kind == PlaneKind::kHostOther;
    struct Entry {
      std::tuple<bool, int, Ps, uint64_t, int64_t, uint32_t> key;
      TrackData data;
    };
    std::vector<Entry> tracks;
    for (size_t i = first; i < last; ++i) {
      const Ps busy = lines_[i].parsed.busy;
      const uint64_t events = lines_[i].parsed.events;
      Entry& e = tracks.emplace_back();
      e.data = MakeTrack(&lines_[i]);
      const Track& t = e.data.track;
      e.key = by_activity ? std::tuple(events == 0, t.kind == TrackKind::kCounter ? 1 : 0, -busy,
                                       ~events, int64_t{0}, t.file_order)
                          : std::tuple(events == 0, TrackRank(t.kind), Ps{0}, uint64_t{0},
                                       t.display_id, t.file_order);
      if (t.kind == TrackKind::kCounter && events > 0) {
        Issues issues;
        const PlaneLoad& p = *lines_[i].plane;
        if (Status s =
                ReadCounters(*p.file->source, *p.scan->tables, &builder_.names(), &e.data, &issues);
            !s.ok())
          return s;
        lines_[i].parsed.issues.Merge(issues);
      }
    }
    std::sort(tracks.begin(), tracks.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (Entry& e : tracks) builder_.AddTrack(std::move(e.data));
    first = last;
    if (stop_.stop_requested()) return Cancelled();
  }
  return {};
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
    files_[f].issues.Report(files_[f].file_name, "", &trace.diagnostics);
    for (const PlaneScan& plane : files_[f].planes) {
      plane.issues.Report(files_[f].file_name, "plane '" + plane.name + "'", &trace.diagnostics);
    }
    hlo_issues_[f].Report(files_[f].file_name, "HLO", &trace.diagnostics);
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
    if (line.start->zero_based_among_epoch)
      line.parsed.issues.Count(Issue::kZeroBasedLine, line.scan->begin);
    if (line.start->stray) line.parsed.issues.Count(Issue::kStrayLine, line.scan->begin);
    line.parsed.issues.Report(
        line.plane->file->file_name,
        "plane '" + line.plane->scan->name + "', line '" + line.scan->name + "'",
        &trace.diagnostics);
  }
  ReportDevices();
  std::vector<std::shared_ptr<const ByteSource>> sources;
  for (const FileScan& file : files_) sources.push_back(file.source);
  std::vector<std::shared_ptr<const PlaneTables>> tables;
  for (const PlaneLoad& p : planes_) tables.push_back(p.scan->tables);
  trace.source = MakeStatSource(std::move(sources), std::move(tables));
}

Status LoadXSpace(TraceBuilder& builder, std::span<const InputFile> files,
                  const LoadOptions& options, const std::stop_token& stop, Progress& progress) {
  return XSpaceLoad(&builder, files, options, stop, &progress).Run();
}

// An XSpace begins with a plane (or an error, a warning or a host name), and a plane with one of
// its six fields.
bool SniffXSpace(std::span<const std::byte> prefix) {
  FieldReader space(reinterpret_cast<Bytes>(prefix.data()),
                    reinterpret_cast<Bytes>(prefix.data() + prefix.size()));
  Field f;
  if (!space.Next(&f) || f.wire != kLen || f.number < 1 || f.number > 4) return false;
  if (f.number != 1) return true;
  FieldReader plane(f.begin, f.end);
  Field inner;
  if (!plane.Next(&inner)) return f.begin == f.end && !f.clamped;
  return inner.number >= 1 && inner.number <= 6 &&
         inner.wire == (inner.number == 1 ? kVarint : kLen);
}

constexpr std::array kExtensions = {".xplane.pb"};

}  // namespace

const LoaderDesc kXSpaceLoader = {"XSpace", kExtensions, SniffXSpace, LoadXSpace};

}  // namespace stepscope
