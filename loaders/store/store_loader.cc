// The loader of .stepscope files (docs/store.md).
#include "loaders/store/store_loader.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>
#include <utility>

#include "loaders/loader.h"
#include "loaders/store/section.h"
#include "loaders/store/store_reader.h"
#include "model/allocator_history.h"
#include "model/base/column.h"
#include "model/graph_captures.h"
#include "model/jobs/job.h"
#include "model/xla/hlo_source.h"

namespace stepscope {
namespace {

constexpr uint64_t kMostOriginsApartNs = uint64_t{30} * 24 * 3600 * 1'000'000'000;

using Parts = std::vector<std::shared_ptr<const Trace>>;

// TrackSet::storage owns this. Lanes view the other columns in the parts.
struct JoinedStorage {
  Parts parts;
  std::vector<Column<Ps>> start;  // by part
  std::vector<Column<uint32_t>> meta;
};

// Asks the source of the part that has the row.
class JoinedSource : public StatSource {
 public:
  explicit JoinedSource(Parts parts) : parts_(std::move(parts)) {}

  Result<std::vector<Stat>> Decode(const Trace&, EventRow row) const override {
    uint32_t at = row.value;
    for (const auto& part : parts_) {
      if (at >= part->set.rows) {
        at -= part->set.rows;
      } else if (part->source == nullptr) {
        return std::vector<Stat>();
      } else {
        return part->source->Decode(*part, EventRow(at));
      }
    }
    return Status(ErrorCode::kUsage, "no such event");
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace&,
                                                     std::stop_token stop) const override {
    auto all = std::make_shared<StatTable>();
    uint32_t first_row = 0;
    for (const auto& part : parts_) {
      if (part->source != nullptr) {
        Result<std::shared_ptr<const StatTable>> table = part->source->LoadTyped(*part, stop);
        if (!table.ok()) return table.status();
        Append(**table, first_row, all.get());
      }
      first_row += part->set.rows;
    }
    all->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(all));
  }

  size_t resident_bytes() const override {
    size_t bytes = 0;
    for (const auto& part : parts_) {
      if (part->source != nullptr) bytes += part->source->resident_bytes();
    }
    return bytes;
  }

 protected:
  const Parts& parts() const { return parts_; }

 private:
  template <typename T, typename Change>
  static void AppendColumn(const SparseColumn<T>& from, uint32_t first_row, const Change& change,
                           SparseColumn<T>* to) {
    std::vector<uint32_t> rows;
    std::vector<T> values;
    from.ForAll([&](uint32_t row, T value) {
      rows.push_back(first_row + row);
      values.push_back(change(value));
    });
    if (!rows.empty()) to->Append(rows, values);
  }

  static void Append(const StatTable& from, uint32_t first_row, StatTable* to) {
    std::vector<StringId> texts(from.strings->size());
    for (uint32_t id = 0; id < texts.size(); ++id)
      texts[id] = to->strings->Intern(from.strings->View(StringId(id)));
    const auto same = [](auto value) { return value; };
    for (size_t i = 0; i < from.ints.size(); ++i)
      AppendColumn(from.ints[i], first_row, same, &to->ints[i]);
    for (size_t i = 0; i < from.texts.size(); ++i) {
      AppendColumn(
          from.texts[i], first_row, [&](StringId id) { return texts[id.value]; }, &to->texts[i]);
    }
    for (size_t i = 0; i < from.reals.size(); ++i)
      AppendColumn(from.reals[i], first_row, same, &to->reals[i]);
  }

  Parts parts_;
};

// The programs of all parts; of several with one id, the first.
class JoinedSourceWithPrograms final : public JoinedSource, public xla::HloSource {
 public:
  explicit JoinedSourceWithPrograms(Parts all) : JoinedSource(std::move(all)) {
    std::unordered_set<uint64_t> ids;
    for (const auto& part : parts()) {
      const xla::HloSource* source = xla::HloSourceOf(*part);
      if (source == nullptr) continue;
      for (const xla::ProgramEntry& entry : source->Programs()) {
        if (ids.insert(entry.id).second) programs_.push_back({source, entry});
      }
    }
  }

  std::vector<xla::ProgramEntry> Programs() const override {
    std::vector<xla::ProgramEntry> entries;
    for (const Program& program : programs_) {
      entries.push_back(program.entry);
      entries.back().place = entries.size() - 1;
    }
    return entries;
  }
  Result<std::shared_ptr<const xla::HloModule>> Read(const xla::ProgramEntry& program,
                                                     const std::stop_token& stop) const override {
    if (program.place >= programs_.size()) return Unknown();
    return programs_[program.place].source->Read(programs_[program.place].entry, stop);
  }
  Result<std::string> Bytes(const xla::ProgramEntry& program) const override {
    if (program.place >= programs_.size()) return Unknown();
    return programs_[program.place].source->Bytes(programs_[program.place].entry);
  }

 private:
  struct Program {
    const xla::HloSource* source;
    xla::ProgramEntry entry;
  };
  static Status Unknown() { return {ErrorCode::kUsage, "no such program"}; }

  std::vector<Program> programs_;
};

std::shared_ptr<const StatSource> SourceOfAll(const Parts& parts) {
  const bool programs = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
    return xla::HloSourceOf(*part) != nullptr;
  });
  if (programs) return std::make_shared<JoinedSourceWithPrograms>(parts);
  auto source = std::make_shared<JoinedSource>(parts);
  std::vector<GraphCapture> captures;
  for (const auto& part : parts) {
    const std::span<const GraphCapture> more = CapturesOf(*part);
    captures.insert(captures.end(), more.begin(), more.end());
  }
  if (captures.empty()) return source;
  return std::make_shared<SourceWithCaptures>(std::move(source), std::move(captures));
}

// 0 where no part knows its origin.
int64_t EarliestOrigin(const Parts& parts) {
  int64_t earliest = 0;
  for (const auto& part : parts) {
    const int64_t origin = part->origin_unix_ns;
    if (origin != 0 && (earliest == 0 || origin < earliest)) earliest = origin;
  }
  return earliest;
}

class Joiner {
 public:
  Joiner(Parts parts, TraceBuilder* builder) : builder_(*builder), trace_(builder->trace()) {
    storage_->parts = std::move(parts);
  }

  void Run(const std::stop_token& stop) {
    const Parts& parts = storage_->parts;
    trace_.origin_unix_ns = EarliestOrigin(parts);
    trace_.format = parts.front()->format;
    size_t lanes = 0;
    for (const auto& part : parts) lanes += part->set.lanes.size();
    trace_.set.lanes.reserve(lanes);
    for (const auto& part : parts) {
      if (stop.stop_requested()) return;
      Add(*part);
    }
    trace_.set.rows = rows_;
    trace_.source = SourceOfAll(parts);
    trace_.set.storage = std::move(storage_);
  }

 private:
  void Add(const Trace& part) {
    host_ = static_cast<uint32_t>(trace_.hosts.size());
    plane_ = static_cast<uint32_t>(trace_.planes.size());
    track_ = static_cast<uint32_t>(trace_.set.tracks.size());
    lane_ = static_cast<uint32_t>(trace_.set.lanes.size());
    AddNames(part.names());
    AddFacts(part);
    for (const Plane& plane : part.planes) AddPlane(plane);
    AddEvents(part);
    for (const Track& track : part.set.tracks) AddTrack(track);
    for (Flow flow : part.flows) {
      flow.from = EventRow(rows_ + flow.from.value);
      flow.to = EventRow(rows_ + flow.to.value);
      flow.category = TextOf(flow.category);
      trace_.flows.push_back(flow);
    }
    rows_ += part.set.rows;
  }

  StringId TextOf(StringId id) const { return id.valid() ? texts_[id.value] : id; }

  void AddNames(const NameTable& names) {
    texts_.resize(names.strings.size());
    for (uint32_t id = 0; id < texts_.size(); ++id)
      texts_[id] = builder_.strings().Intern(names.strings.View(StringId(id)));
    std::vector<EventMeta>& metas = builder_.names().metas;
    meta_ = static_cast<uint32_t>(metas.size());
    for (EventMeta meta : names.metas) {
      meta.name = TextOf(meta.name);
      meta.display_name = TextOf(meta.display_name);
      if (meta.plane.valid()) meta.plane = PlaneId(plane_ + meta.plane.value);
      metas.push_back(meta);
    }
  }

  void AddFacts(const Trace& part) {
    // The origin of the trace is the earliest one, so the difference fits an unsigned number.
    const uint64_t apart =
        static_cast<uint64_t>(part.origin_unix_ns) - static_cast<uint64_t>(trace_.origin_unix_ns);
    const bool near = part.origin_unix_ns != 0 && apart <= kMostOriginsApartNs;
    // No event leaves the range of Ps.
    const Ps most = SaturatingSub(kMaxPs, std::max<Ps>(0, part.span.end));
    shift_ = near ? std::min(static_cast<Ps>(apart) * 1000, most) : 0;
    trace_.kineto |= part.kineto;
    trace_.file_bytes += part.file_bytes;
    trace_.inflated_bytes += part.inflated_bytes;
    for (Host host : part.hosts) {
      host.name = TextOf(host.name);
      trace_.hosts.push_back(std::move(host));
    }
    trace_.hlo.programs.insert(part.hlo.programs.begin(), part.hlo.programs.end());
    trace_.diagnostics.Merge(part.diagnostics);
    const auto append = [](const auto& from, auto* to) {
      to->insert(to->end(), from.begin(), from.end());
    };
    if (trace_.recording.recorder == Recorder::kUnknown) {
      trace_.recording.recorder = part.recording.recorder;
      trace_.recording.version = part.recording.version;
      trace_.recording.evidence = part.recording.evidence;
      trace_.recording.asked = part.recording.asked;
      trace_.recording.not_asked = part.recording.not_asked;
    }
    for (NamedDevice device : part.recording.devices) {
      if (device.host.valid()) device.host = HostId(host_ + device.host.value);
      trace_.recording.devices.push_back(std::move(device));
    }
    append(part.errors, &trace_.errors);
    append(part.warnings, &trace_.warnings);
    append(part.skipped_files, &trace_.skipped_files);
  }

  void AddPlane(Plane plane) {
    plane.name = TextOf(plane.name);
    if (plane.host.valid()) plane.host = HostId(host_ + plane.host.value);
    for (TrackId& track : plane.tracks) track = TrackId(track_ + track.value);
    trace_.planes.push_back(std::move(plane));
  }

  void AddEvents(const Trace& part) {
    Column<Ps>& start = storage_->start.emplace_back();
    Column<uint32_t>& meta = storage_->meta.emplace_back();
    if (shift_ != 0) start.Resize(part.set.rows);
    meta.Resize(part.set.rows);
    for (const Lane& from : part.set.lanes) {
      Lane& lane = trace_.set.lanes.emplace_back();  // pyramids are built for all of them at once
      lane.track = TrackId(track_ + from.track.value);
      lane.kind = from.kind;
      lane.depth = from.depth;
      lane.first_row = rows_ + from.first_row;
      lane.start = from.start;
      lane.dur = from.dur;
      lane.ref = from.ref;
      lane.ref_bases = from.ref_bases;
      if (shift_ != 0) {
        Ps* const to = start.data() + from.first_row;
        for (uint32_t i = 0; i < from.size(); ++i) to[i] = SaturatingAdd(from.start[i], shift_);
        lane.start = {to, from.size()};
      }
      uint32_t* const to = meta.data() + from.first_row;
      for (uint32_t i = 0; i < from.size(); ++i) to[i] = meta_ + from.meta[i];
      lane.meta = {to, from.size()};
    }
  }

  void AddTrack(Track track) {
    if (track.plane.valid()) track.plane = PlaneId(plane_ + track.plane.value);
    track.name = TextOf(track.name);
    if (track.lane_count > 0) track.first_lane = LaneId(lane_ + track.first_lane.value);
    for (CounterSeries& series : track.counters) {
      series.name = TextOf(series.name);
      for (Ps& time : series.time) time = SaturatingAdd(time, shift_);
    }
    if (!track.span.empty() || track.events > 0)
      track.span = {SaturatingAdd(track.span.begin, shift_), SaturatingAdd(track.span.end, shift_)};
    if (track.line_start != 0) track.line_start = SaturatingAdd(track.line_start, shift_);
    trace_.set.tracks.push_back(std::move(track));
  }

  TraceBuilder& builder_;
  Trace& trace_;
  std::shared_ptr<JoinedStorage> storage_ = std::make_shared<JoinedStorage>();
  std::vector<StringId> texts_;  // of the part, by its ids
  uint32_t host_ = 0, plane_ = 0, track_ = 0, lane_ = 0, meta_ = 0, rows_ = 0;  // before the part
  Ps shift_ = 0;
};

}  // namespace

void JoinTraces(std::vector<std::shared_ptr<const Trace>> parts, const std::stop_token& stop,
                TraceBuilder* builder) {
  if (!parts.empty()) Joiner(std::move(parts), builder).Run(stop);
}

namespace store {
namespace {

// Says how files of the loader are called. Traces have the format of the profile that the store was
// made from.
constexpr TraceFormat kStore = {"Stepscope store", {}};

Status LoadOne(TraceBuilder& builder, const InputFile& file, const LoadOptions& options,
               const std::stop_token& stop, Progress& progress) {
  Result<std::shared_ptr<const ByteSource>> source = OpenInput(file, options, stop, &progress);
  if (!source.ok()) return source.status();
  return ReadStoreInto(std::move(source).value(), {options.max_inflated_bytes, false}, stop,
                       &progress, &builder);
}

// Events of different formats have no common capabilities, and a snapshot has no time of others.
Status CheckJoins(const Trace& first, uint64_t rows, const Trace& next, const InputFile& file) {
  if (HistoryOf(first) != nullptr || HistoryOf(next) != nullptr)
    return {ErrorCode::kFormat, file.path + ": a memory snapshot is opened by itself"};
  if (std::string_view(first.format->name) != next.format->name)
    return {ErrorCode::kFormat, file.path + ": " + next.format->name + " beside " +
                                    first.format->name + "; open it by itself"};
  if (rows + next.set.rows >= EventRow::kInvalid)
    return {ErrorCode::kLimit, file.path + ": too many events for one timeline"};
  return {};
}

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  progress.SetStage("Reading the store");
  if (files.size() == 1) return LoadOne(builder, files.front(), options, stop, progress);
  std::vector<std::shared_ptr<const Trace>> parts;
  uint64_t rows = 0;  // of all parts
  Status status = LoadEach(files, &builder.trace(), [&](const InputFile& file) -> Status {
    TraceBuilder one;
    one.trace().path = file.path;
    if (Status s = LoadOne(one, file, options, stop, progress); !s.ok()) return s;
    Result<std::shared_ptr<const Trace>> part = one.Finish(stop, &progress);
    if (!part.ok()) return part.status();
    if (!parts.empty()) {
      if (Status s = CheckJoins(*parts.front(), rows, **part, file); !s.ok()) return s;
    }
    rows += (*part)->set.rows;
    parts.push_back(std::move(part).value());
    return {};
  });
  if (!status.ok()) return status;
  JoinTraces(std::move(parts), stop, &builder);
  return {};
}

bool Sniff(std::span<const std::byte> prefix) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  return text.starts_with(kMagic);
}

constexpr FileEnding kEndings[] = {{".stepscope", FileEnding::Kind::kOwn}};

}  // namespace
}  // namespace store

extern const LoaderDesc kStoreLoader;
const LoaderDesc kStoreLoader = {&store::kStore, "Stepscope store", store::kEndings, store::Sniff,
                                 store::Load};

}  // namespace stepscope
