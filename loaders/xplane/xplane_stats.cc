#include "loaders/xplane/xplane_stats.h"

#include <algorithm>
#include <string>
#include <utility>

#include "loaders/xplane/hlo_programs.h"
#include "loaders/xplane/plain_event.h"
#include "loaders/xplane/scan/limits.h"
#include "loaders/xplane/scan/stat_value.h"
#include "loaders/xplane/typed_stats.h"
#include "loaders/xplane/xplane.pb.h"
#include "model/stat_reader.h"
#include "model/trace.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

std::string Unpack(const std::string& packed) {
  const auto source = MakeByteSource("stat", packed, kMaxStatBytes);
  if (!source.ok()) return "<compressed text, " + std::to_string(packed.size()) + " bytes>";
  const auto bytes = (*source)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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
      if (place.tables != nullptr) AddEvent(&place.file->events, place.at, *place.tables, &stats);
      if (Status status = StatusOf(place); !status.ok()) return status;
      return stats;
    }

    Status Visit(EventRow row, StatVisitor* visitor) override {
      const Place place = Find(row);
      if (!known_.empty()) visitor->TakeMetadata(known_, known_key_);
      if (place.tables == nullptr) return StatusOf(place);
      views_.clear();
      if (ReadPlainEvent(&place.file->events, place.at, *place.tables,
                         kMaxStatsPerEvent - std::min(known_.size(), kMaxStatsPerEvent), &views_)) {
        for (const StatView& view : views_) visitor->Take(view);
      } else {
        std::vector<Stat> stats = known_;
        AddEvent(&place.file->events, place.at, *place.tables, &stats);
        for (size_t i = known_.size(); i < stats.size(); ++i) visitor->Take(ViewOf(stats[i]));
      }
      return StatusOf(place);
    }

   private:
    // Where an event lies.
    struct Place {
      FileReaders* file = nullptr;          // null: nowhere
      const PlaneTables* tables = nullptr;  // null: the event has no stats of its own
      uint64_t at = 0;
    };

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
      const uint64_t at = lane.SourceOffset(i);
      return {file.get(), at == ~uint64_t{0} ? nullptr : &TablesAt(parts, at), at};
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
      const EventMetaScan& scan = tables->event_metas[index];
      AddStats(reader, scan.begin, scan.end, 5, *tables, true, &known_);
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

  static void AddEvent(WindowReader* reader, uint64_t at, const PlaneTables& tables,
                       std::vector<Stat>* out) {
    SourceField event;
    if (MessageAt(reader, at, &event))
      AddStats(reader, event.begin, event.end, 4, tables, false, out);
  }

  // Adds the stats of the message [begin, end), which are field `number`: 5 in metadata, 4 in an
  // event.
  static void AddStats(WindowReader* reader, uint64_t begin, uint64_t end, uint32_t number,
                       const PlaneTables& tables, bool from_metadata, std::vector<Stat>* out) {
    SourceFieldReader fields(reader, begin, end);
    SourceField f;
    pb::XStat message;
    while (out->size() < kMaxStatsPerEvent && fields.Next(&f)) {
      if (!from_metadata && f.number == 5 && f.wire == kVarint) {
        out->push_back({"num_occurrences", static_cast<int64_t>(f.value), false});
      }
      if (f.number != number || f.wire != kLen) continue;
      const uint64_t size = f.size();
      const std::string_view bytes =
          reader->Fetch(f.begin, static_cast<size_t>(std::min<uint64_t>(size, kMaxStatBytes)));
      const bool whole = message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
      Stat stat = ToStat(message, tables);
      if (!whole && bytes.size() < size) stat.value = "<" + std::to_string(size) + " bytes>";
      stat.from_metadata = from_metadata;
      out->push_back(std::move(stat));
    }
  }

  static Stat ToStat(const pb::XStat& s, const PlaneTables& tables) {
    Stat stat;
    const std::string* name = tables.StatName(s.metadata_id());
    stat.name = name == nullptr ? "stat " + std::to_string(s.metadata_id()) : *name;
    if (auto value = PlainValue(s, tables)) {
      stat.value = *std::move(value);
    } else if (s.value_case() == pb::XStat::kBytesValue) {
      stat.value = "<opaque bytes> (" + std::to_string(s.bytes_value().size()) + ")";
    } else if (s.value_case() == pb::XStat::kCompressedStrValue) {
      stat.value = Unpack(s.compressed_str_value());
    } else {
      stat.value = std::string();
    }
    return stat;
  }

  std::vector<std::shared_ptr<const ByteSource>> files_;
  std::vector<PlaneParts> planes_;  // by PlaneId
};

}  // namespace

std::shared_ptr<const StatSource> MakeStatSource(
    std::vector<std::shared_ptr<const ByteSource>> files, std::vector<PlaneParts> planes) {
  return std::make_shared<XPlaneStats>(std::move(files), std::move(planes));
}

}  // namespace stepscope::xplane
