#include "loaders/xplane/xplane_stats.h"

#include <algorithm>
#include <string>
#include <utility>

#include "loaders/common/wire.h"
#include "loaders/xplane/hlo_reader.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "loaders/xplane/typed_stats.h"
#include "model/stat_reader.h"
#include "model/trace.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr size_t kMaxStatsPerEvent = 4'096;  // shown for one event
constexpr uint64_t kMaxViewedBytes = 4096;   // of an event whose stats are shown in place
constexpr uint32_t kEventStats = 4, kEventOccurrences = 5, kMetadataStats = 5;  // fields

std::string Unpack(std::string_view packed) {
  const auto source = MakeByteSource("stat", std::string(packed), kMaxStatBytes);
  if (!source.ok()) return "<compressed text, " + std::to_string(packed.size()) + " bytes>";
  const auto bytes = (*source)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Stat ToStat(const XStat& stat, const PlaneTables& tables) {
  const std::string* name = tables.StatName(stat.id);
  Stat shown;
  shown.name = name == nullptr ? "stat " + std::to_string(stat.id) : *name;
  if (auto value = PlainValue(stat, tables)) {
    shown.value = *std::move(value);
  } else if (stat.value.number == kBytesValue) {
    shown.value = "<opaque bytes> (" + std::to_string(stat.value.text().size()) + ")";
  } else if (stat.value.number == kCompressedValue) {
    shown.value = Unpack(stat.value.text());
  } else {
    shown.value = std::string();
  }
  return shown;
}

// The same without a copy of its texts. False for a stat that is not a plain number or text, or has
// no name.
bool ToView(const XStat& stat, const PlaneTables& tables, StatView* view) {
  constexpr uint8_t kSigned = 0, kUnsigned = 1, kReal = 2, kText = 3;  // places in Stat::value
  const std::string* name = tables.StatName(stat.id);
  if (name == nullptr) return false;
  view->name = *name;
  view->bits = stat.value.value;
  switch (stat.value.number) {
    case kInt64Value:
      view->kind = kSigned;
      return true;
    case kUint64Value:
      view->kind = kUnsigned;
      return true;
    case kDoubleValue:
      view->kind = kReal;
      return true;
    case kTextValue:
      view->kind = kText;
      view->bits = 0;
      view->text = stat.value.text();
      return true;
    case kReferenceValue: {
      const std::string* text = tables.StatName(stat.value.Int());
      if (text == nullptr) return false;
      view->kind = kText;
      view->bits = 0;
      view->text = *text;
      view->lasting = true;
      return true;
    }
    default:
      return false;
  }
}

// Appends the stats of the message, which are its fields `number`.
void AppendStats(WindowReader* reader, const SourceField& message, uint32_t number,
                 const PlaneTables& tables, std::vector<Stat>* out) {
  const bool from_metadata = number == kMetadataStats;
  SourceFieldReader fields(reader, message.begin, message.end);
  SourceField f;
  while (out->size() < kMaxStatsPerEvent && fields.Next(&f)) {
    if (!from_metadata && f.number == kEventOccurrences && f.wire == kVarint)
      out->push_back({"num_occurrences", static_cast<int64_t>(f.value), false});
    if (f.number != number || f.wire != kLen) continue;
    const std::string_view bytes =
        reader->Fetch(f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxStatBytes)));
    const XStat stat = ReadXStat(bytes);
    Stat shown = ToStat(stat, tables);
    if (!stat.whole && bytes.size() < f.size())
      shown.value = "<" + std::to_string(f.size()) + " bytes>";
    shown.from_metadata = from_metadata;
    out->push_back(std::move(shown));
  }
}

// Appends views of the stats of the event, whose texts hold until the next read. False, and
// anything appended, where AppendStats must read them: an event that is damaged or large, with
// other values than plain ones, or with more than `most` stats.
bool AppendViews(WindowReader* reader, const SourceField& event, const PlaneTables& tables,
                 size_t most, std::vector<StatView>* out) {
  if (event.size() > kMaxViewedBytes) return false;
  FieldReader fields(reader->Fetch(event.begin, static_cast<size_t>(event.size())));
  Field f;
  while (fields.Next(&f)) {
    if (f.number == 0) return false;
    const bool occurrences = f.number == kEventOccurrences && f.wire == kVarint;
    if (!occurrences && (f.number != kEventStats || f.wire != kLen)) continue;
    if (out->size() == most) return false;
    StatView& view = out->emplace_back();
    if (occurrences) {
      view.name = "num_occurrences";
      view.bits = f.value;
      continue;
    }
    const XStat stat = ReadXStat(f.bytes());
    if (!stat.whole || !ToView(stat, tables, &view)) return false;
  }
  return !fields.bad() && !fields.clamped();
}

class XPlaneStats final : public StatSource, public xla::HloSource, public StatReaders {
 public:
  XPlaneStats(std::vector<std::shared_ptr<const ByteSource>> files, std::vector<PlaneParts> planes)
      : files_(std::move(files)), planes_(std::move(planes)) {}

  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    if (row.value >= trace.set.rows) return Status(ErrorCode::kUsage, "no such event");
    try {
      return Reader(*this, trace).Read(row);
    } catch (const std::bad_alloc&) {
      return Status(ErrorCode::kLimit, "not enough memory for the stats of this event");
    }
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override {
    return ReadTypedStats(trace, files_, planes_, StatRows::kAll, std::move(stop));
  }

  bool reads_allocations_apart() const override { return true; }
  Result<std::shared_ptr<const StatTable>> LoadTypedOf(const Trace& trace, StatRows rows,
                                                       std::stop_token stop) const override {
    return ReadTypedStats(trace, files_, planes_, rows, std::move(stop));
  }

  std::unique_ptr<StatReader> NewReader(const Trace& trace) const override {
    return std::make_unique<Reader>(*this, trace);
  }

  std::vector<xla::ProgramEntry> Programs() const override { return ListPrograms(files_, planes_); }

  Result<std::shared_ptr<const xla::HloModule>> Read(const xla::ProgramEntry& program,
                                                     const std::stop_token& stop) const override {
    if (program.file >= files_.size()) return Status(ErrorCode::kUsage, "no such program");
    try {
      return ReadProgram(*files_[program.file], program, stop);
    } catch (const std::bad_alloc&) {
      return Status(ErrorCode::kLimit, "not enough memory for this program");
    }
  }

  Result<std::string> Bytes(const xla::ProgramEntry& program) const override {
    if (program.file >= files_.size()) return Status(ErrorCode::kUsage, "no such program");
    try {
      return ReadProgramBytes(*files_[program.file], program);
    } catch (const std::bad_alloc&) {
      return Status(ErrorCode::kLimit, "not enough memory for this program");
    }
  }

  size_t resident_bytes() const override {
    size_t n = 0;
    for (const auto& file : files_) n += file->bytes().size();
    return n;
  }

 private:
  // Metadata and events of a file lie apart, so each has a window of its own.
  struct FileReaders {
    explicit FileReaders(const ByteSource& file) : metas(file), events(file) {}
    WindowReader metas, events;
  };

  // Keeps the windows and the stats of the last metadata, which events that follow each other often
  // share.
  class Reader final : public StatReader {
   public:
    Reader(const XPlaneStats& source, const Trace& trace)
        : source_(source), trace_(trace), readers_(source.files_.size()) {}

    Result<std::vector<Stat>> Read(EventRow row) override {
      const Place place = Find(row);
      std::vector<Stat> stats = known_;
      AppendEventStats(place, &stats);
      if (Status status = StatusOf(place); !status.ok()) return status;
      return stats;
    }

    Status Visit(EventRow row, StatVisitor* visitor) override {
      const Place place = Find(row);
      if (!known_.empty()) visitor->TakeMetadata(known_, known_key_);
      if (!place.has_event) return StatusOf(place);
      const size_t known = std::min(known_.size(), kMaxStatsPerEvent);
      views_.clear();
      if (AppendViews(&place.file->events, place.event, *place.tables, kMaxStatsPerEvent - known,
                      &views_)) {
        for (const StatView& view : views_) visitor->Take(view);
        return StatusOf(place);
      }
      std::vector<Stat> stats = known_;
      AppendEventStats(place, &stats);
      for (size_t i = known_.size(); i < stats.size(); ++i) visitor->Take(ViewOf(stats[i]));
      return StatusOf(place);
    }

   private:
    // Where an event lies.
    struct Place {
      FileReaders* file = nullptr;  // null: nowhere
      const PlaneTables* tables = nullptr;
      SourceField event;
      bool has_event = false;  // false: the event has no stats of its own
    };

    static void AppendEventStats(const Place& place, std::vector<Stat>* out) {
      if (place.has_event)
        AppendStats(&place.file->events, place.event, kEventStats, *place.tables, out);
    }
    static Status StatusOf(const Place& place) {
      if (place.file == nullptr) return {};
      const Status& metas = place.file->metas.status();
      return metas.ok() ? place.file->events.status() : metas;
    }

    // Makes `known_` the stats of the row's metadata.
    Place Find(EventRow row) {
      const Lane& lane = LaneAt(row);
      const Track& track = trace_.set.tracks[lane.track.value];
      const uint32_t i = row.value - lane.first_row;
      if (track.plane.value >= source_.planes_.size() || track.source >= source_.files_.size()) {
        known_.clear();
        known_meta_ = MetaId::kInvalid;
        return {};
      }
      const PlaneParts& parts = source_.planes_[track.plane.value];
      std::unique_ptr<FileReaders>& file = readers_[track.source];
      if (file == nullptr) file = std::make_unique<FileReaders>(*source_.files_[track.source]);
      if (known_meta_ != lane.meta[i] || known_track_ != lane.track) {
        known_.clear();
        AddMeta(parts, lane.meta[i], &file->metas);
        known_meta_ = lane.meta[i];
        known_track_ = lane.track;
        known_key_ = (uint64_t{track.plane.value} + 1) << 32 | lane.meta[i];
      }
      Place place;
      place.file = file.get();
      const uint64_t at = lane.SourceOffset(i);
      if (at == ~uint64_t{0}) return place;
      place.tables = &TablesAt(parts, at);
      place.has_event = MessageAt(&file->events, at, &place.event);
      return place;
    }

    const Lane& LaneAt(EventRow row) {
      if (lane_ == nullptr || row.value < lane_->first_row ||
          row.value - lane_->first_row >= lane_->size())
        lane_ = &trace_.set.lanes[trace_.set.LaneOf(row).value];
      return *lane_;
    }
    void AddMeta(const PlaneParts& parts, uint32_t meta, WindowReader* reader) {
      const auto& metas = trace_.names().metas;
      const PlaneTables* tables = TablesOfMeta(parts, meta);
      if (tables == nullptr || meta >= metas.size()) return;
      const uint32_t index = tables->event_ids.Find(metas[meta].source_id);
      if (index == IdMap::kNone || !tables->event_metas[index].has_stats) return;
      SourceField metadata;
      metadata.begin = tables->event_metas[index].begin;
      metadata.end = tables->event_metas[index].end;
      AppendStats(reader, metadata, kMetadataStats, *tables, &known_);
    }

    const XPlaneStats& source_;
    const Trace& trace_;
    std::vector<std::unique_ptr<FileReaders>> readers_;  // by file
    const Lane* lane_ = nullptr;
    std::vector<Stat> known_;
    std::vector<StatView> views_;
    uint32_t known_meta_ = MetaId::kInvalid;
    uint64_t known_key_ = 0;
    TrackId known_track_;
  };

  std::vector<std::shared_ptr<const ByteSource>> files_;
  std::vector<PlaneParts> planes_;  // by PlaneId
};

}  // namespace

std::shared_ptr<const StatSource> MakeStatSource(
    std::vector<std::shared_ptr<const ByteSource>> files, std::vector<PlaneParts> planes) {
  return std::make_shared<XPlaneStats>(std::move(files), std::move(planes));
}

}  // namespace stepscope::xplane
