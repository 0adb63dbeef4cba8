#include "loaders/xplane/xplane_stats.h"

#include <algorithm>
#include <string>
#include <utility>

#include "loaders/xplane/hlo_programs.h"
#include "loaders/xplane/limits.h"
#include "loaders/xplane/stat_value.h"
#include "loaders/xplane/typed_stats.h"
#include "loaders/xplane/xplane.pb.h"
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

class XPlaneStats final : public StatSource, public xla::HloSource {
 public:
  XPlaneStats(std::vector<std::shared_ptr<const ByteSource>> files, std::vector<PlaneParts> planes)
      : files_(std::move(files)), planes_(std::move(planes)) {}

  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    if (row.value >= trace.set.rows) return Status(ErrorCode::kUsage, "no such event");
    try {
      return DecodeRow(trace, row);
    } catch (const std::bad_alloc&) {
      return Status(ErrorCode::kLimit, "not enough memory for the stats of this event");
    }
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override {
    return ReadTypedStats(trace, files_, planes_, std::move(stop));
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

  size_t resident_bytes() const override {
    size_t n = 0;
    for (const auto& file : files_) n += file->bytes().size();
    return n;
  }

 private:
  Result<std::vector<Stat>> DecodeRow(const Trace& trace, EventRow row) const {
    std::vector<Stat> stats;
    const Lane& lane = trace.set.lanes[trace.set.LaneOf(row).value];
    const Track& track = trace.set.tracks[lane.track.value];
    const uint32_t i = row.value - lane.first_row;
    if (track.plane.value >= planes_.size() || track.source >= files_.size()) return stats;
    const PlaneParts& parts = planes_[track.plane.value];
    WindowReader reader(*files_[track.source]);
    const auto& metas = trace.names().metas;
    const PlaneTables* tables = TablesOfMeta(parts, lane.meta[i]);
    if (tables != nullptr && lane.meta[i] < metas.size()) {
      const uint32_t index = tables->event_ids.Find(metas[lane.meta[i]].source_id);
      if (index != IdMap::kNone && tables->event_metas[index].has_stats) {
        const EventMetaScan& meta = tables->event_metas[index];
        AddStats(&reader, meta.begin, meta.end, 5, *tables, true, &stats);
      }
    }
    if (const uint64_t at = lane.SourceOffset(i); at != ~uint64_t{0})
      AddEvent(&reader, at, TablesAt(parts, at), &stats);
    if (!reader.status().ok()) return reader.status();
    return stats;
  }

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
