#include "loaders/xplane/xspace_load.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "loaders/common/wire.h"
#include "loaders/riegeli/chunk_list.h"
#include "loaders/riegeli/record_file.h"
#include "loaders/xplane/lines/line_sample.h"

namespace stepscope::xplane {
namespace {

// Decides by the content, and by the name only where the beginning of the file is damaged.
Result<bool> IsRiegeliFile(const FileScan& scan) {
  std::byte prefix[riegeli::kBlockHeaderBytes];
  const Result<size_t> n = scan.source->Read(0, prefix);
  if (!n.ok()) return n.status();
  if (riegeli::IsRiegeli(std::span(prefix).first(*n))) return true;
  return scan.file_name.find(kRiegeliEnding) != std::string::npos &&
         riegeli::HasRiegeliBlock(*scan.source);
}

}  // namespace

Status FindSpaces(const LoadOptions& options, const std::stop_token& stop, Progress* progress,
                  FileScan* scan) {
  const Result<bool> is_riegeli = IsRiegeliFile(*scan);
  if (!is_riegeli.ok()) return is_riegeli.status();
  if (!*is_riegeli) {
    scan->spaces = {{0, scan->source->size()}};
    return {};
  }
  if (progress != nullptr) progress->SetStage("Inflating");
  Result<riegeli::RecordFile> file = riegeli::ReadRecordFile(
      *scan->source, options.max_inflated_bytes, options.threads, stop, progress);
  if (!file.ok()) return file.status();
  if (progress != nullptr) progress->SetStage("Reading");
  scan->source = std::move(file->source);
  scan->spaces = std::move(file->records);
  scan->damage = std::move(file->damage);
  scan->several = true;
  return {};
}

std::vector<std::vector<PlaneScan*>> GroupPlanes(FileScan* file) {
  std::vector<std::vector<PlaneScan*>> groups;
  std::unordered_map<std::string_view, size_t> by_name;
  for (PlaneScan& scan : file->planes) {
    const auto [it, added] = by_name.try_emplace(scan.name, groups.size());
    if (added || !file->several) groups.emplace_back();
    (file->several ? groups[it->second] : groups.back()).push_back(&scan);
  }
  return groups;
}

void StatJoiner::Add(std::vector<PlaneStat> stats) {
  if (stats_.empty()) {
    stats_ = std::move(stats);
    return;
  }
  if (by_name_.empty()) {
    for (size_t i = 0; i < stats_.size(); ++i) by_name_.try_emplace(stats_[i].name, i);
  }
  for (PlaneStat& stat : stats) {
    const auto [it, added] = by_name_.try_emplace(stat.name, stats_.size());
    if (added) {
      stats_.push_back(std::move(stat));
    } else {
      stats_[it->second].value = std::move(stat.value);
    }
  }
}

using namespace naming;

namespace {

// Bytes on the disk for a parsed byte.
double ProgressPerByte(const ByteSource& source) {
  if (source.bytes().empty()) return 1;  // plain, read as it is parsed
  const uint64_t left = source.file_bytes() - InflateShare(source.file_bytes());
  return static_cast<double>(std::min(left, source.size())) / static_cast<double>(source.size());
}

// The names are read a second time, which is to take a small part of the load.
constexpr uint64_t kBytesPerName = 64 << 10, kNames = 4096;

}  // namespace

Status XSpaceLoad::Run() {
  if (Status s = OpenAndScan(); !s.ok()) return s;
  if (options_.preview != nullptr && IsLarge()) ShowFirstPicture();
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
  if (!samples_) RetimeTpuCores();
  if (stop_.stop_requested()) return Cancelled();
  if (Status s = AddTracks(); !s.ok()) return s;
  if (!samples_) Report();
  return {};
}

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
    Status status = OpenAndScan(i, *std::move(sources[i]), &budget);
    if (status.code() == ErrorCode::kCancelled) return status;
    if (status.ok()) continue;
    // The other hosts of a run are worth seeing without this one.
    status = ExplainFailure(inputs_[i], std::move(status));
    if (first_error.ok()) first_error = status;
    LeaveOut(inputs_[i], status, &builder_.trace());
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

bool XSpaceLoad::IsLarge() const {
  uint64_t bytes = 0, names = 0;
  for (const FileScan& file : files_) {
    if (file.several) return false;
    for (const PlaneScan& plane : file.planes) {
      names +=
          plane.lines.size() + plane.tables->event_metas.size() + plane.tables->stat_names.size();
      for (const LineScan& line : plane.lines) bytes += line.has_events ? line.end - line.begin : 0;
    }
  }
  return bytes >= options_.preview_from_bytes && names <= kNames + bytes / kBytesPerName;
}

// The picture takes the same steps, but reads places of the lines instead of all. Without it the
// load goes on as if none had been asked for; it says what is wrong.
void XSpaceLoad::ShowFirstPicture() {
  std::vector<InputFile> opened;
  for (const FileScan& file : files_)
    opened.push_back({file.source->path(), file.host, file.source});
  LoadOptions options = options_;
  options.preview = nullptr;
  TraceBuilder builder;
  builder.trace().format = builder_.trace().format;
  builder.trace().path = builder_.trace().path;
  builder.trace().run = builder_.trace().run;
  builder.trace().skipped_files = builder_.trace().skipped_files;
  Progress unseen;
  if (!XSpaceLoad(&builder, opened, options, stop_, &unseen, true).Run().ok()) return;
  Result<std::shared_ptr<const Trace>> picture = builder.Finish(stop_);
  if (picture.ok()) options_.preview(std::move(picture).value());
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
    if (line.part->core_times && !samples_) task.job.core_times = &*line.part->core_times;
    task.job.progress_per_byte = ProgressPerByte(*line.plane->file->source);
    task.parsed = &line.parsed;
  }
  if (samples_) return SampleOf(tasks);
  hlo_.resize(files_.size());
  hlo_diagnostics_.resize(files_.size());
  const SideWork hlo = {files_.size(), [this](size_t file) { return ReadHloOf(file); }};
  return ParseLineSet(tasks, hlo, options_.threads, stop_, &progress_);
}

Status XSpaceLoad::SampleOf(std::span<const LineTask> tasks) {
  std::vector<SampledLine> sampled;
  for (size_t l = 0; l < tasks.size(); ++l) {
    const LineLoad& line = lines_[l];
    const TrackKind kind = NameLine(line.plane->naming.kind, line.name(), line.id()).kind;
    sampled.push_back({tasks[l], kind == TrackKind::kCounter});
  }
  SampleLimits limits;
  if (options_.preview_from_bytes == 0) limits.both_ends = limits.rest = std::chrono::hours(1);
  return SampleLines(sampled, limits, options_.threads, stop_);
}

// --- The loader ----------------------------------------------------------------------------------

namespace {

using namespace proto;

constexpr TraceFormat kXSpace = {"XSpace",
                                 {.read_by_xprof = true,
                                  .planes_tell_hosts = true,
                                  .plane_metadata = true,
                                  .group_stats = true,
                                  .kernel_annotations = true,
                                  .argument_names = true},
                                 Recorder::kXla};

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  builder.trace().format = &kXSpace;
  return XSpaceLoad(&builder, files, options, stop, &progress).Run();
}

// Whether it begins like an XSpace: with a plane (or an error, a warning or a host name), which
// begins with one of its six fields.
bool Sniff(std::span<const std::byte> prefix) {
  if (riegeli::IsRiegeli(prefix)) return true;
  FieldReader space(reinterpret_cast<Bytes>(prefix.data()),
                    reinterpret_cast<Bytes>(prefix.data() + prefix.size()));
  Field f;
  if (!space.Next(&f) || f.wire != kLen || f.number < 1 || f.number > 4) return false;
  if (f.number != 1) return true;
  FieldReader plane(f.begin, f.end);
  Field inner;
  if (!plane.Next(&inner)) return f.begin == f.end && !f.clamped;
  if (inner.number < 1 || inner.number > 6 || inner.wire != (inner.number == 1 ? kVarint : kLen))
    return false;
  // Packets of a Perfetto trace may begin alike, but have a sequence (field 10).
  while (plane.Next(&inner)) {
    if (inner.number == 10 && inner.wire == kVarint) return false;
  }
  return true;
}

using Kind = FileEnding::Kind;
constexpr FileEnding kEndings[] = {
    {".xplane.pb", Kind::kOwn},
    {kRiegeliEnding, Kind::kOwn},
};

}  // namespace
}  // namespace stepscope::xplane

namespace stepscope {

extern const LoaderDesc kXSpaceLoader;
const LoaderDesc kXSpaceLoader = {&xplane::kXSpace, "XSpace of TensorFlow, JAX or XLA",
                                  xplane::kEndings, xplane::Sniff, xplane::Load};

}  // namespace stepscope
