#include "loaders/xplane/typed_stats.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "loaders/common/first_error.h"
#include "loaders/xplane/scan/file_scan.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "loaders/xplane/stat_decoder.h"
#include "model/jobs/job.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr size_t kPartsPerWave = 256;  // parts that are parsed in parallel and then put in order
// A part whose events lie further apart is read piece by piece.
constexpr uint64_t kMostPartBytes = uint64_t{4} << 20;
constexpr size_t kFirstFetch = 512;  // nearly all events are shorter

// The values of the slice that a thread parses, and the window through which its file is read. Both
// are used again for the next slices.
struct Scratch {
  WindowReader* ReaderOf(const ByteSource& of) {
    if (source != &of) reader.emplace(of);
    source = &of;
    return &*reader;
  }
  SliceValues values;
  const ByteSource* source = nullptr;
  std::optional<WindowReader> reader;
};

// At most kRowsPerSlice rows of a lane.
struct Slice {
  const Lane* lane = nullptr;
  uint32_t first = 0, last = 0;  // within the lane
};

// The events of a track in a piece of time, on all of its lanes. They lie near each other in the
// file, whose bytes are read once for all of them.
struct Part {
  std::vector<Slice> slices;
  std::span<const PlaneActions> plane;
  const ByteSource* source = nullptr;
};

// Where the events of the slices lie, if their order in the file is that in time; empty if they are
// far apart.
std::pair<uint64_t, uint64_t> BytesOf(std::span<const Slice> slices) {
  uint64_t begin = ~uint64_t{0}, end = 0;
  for (const Slice& slice : slices) {
    for (const uint32_t i : {slice.first, slice.last - 1}) {
      const uint64_t at = slice.lane->SourceOffset(i);
      if (at == ~uint64_t{0}) continue;
      begin = std::min(begin, at);
      end = std::max(end, at + kFirstFetch);
    }
  }
  return end > begin && end - begin <= kMostPartBytes ? std::pair{begin, end}
                                                      : std::pair{uint64_t{0}, uint64_t{0}};
}

// Divides a track at the times at which the slices of its largest lane begin.
class TrackCutter {
 public:
  explicit TrackCutter(std::span<const Lane> lanes) : lanes_(lanes), next_(lanes.size()) {
    const auto by_size = [](const Lane& a, const Lane& b) { return a.size() < b.size(); };
    largest_ = &*std::max_element(lanes.begin(), lanes.end(), by_size);
  }
  size_t count() const { return (largest_->size() + kRowsPerSlice - 1) / kRowsPerSlice; }
  // The slices of the next part.
  std::vector<Slice> Next() {
    std::vector<Slice> slices;
    const size_t next = ++part_ * kRowsPerSlice;
    const bool last = next >= largest_->size();
    for (size_t l = 0; l < lanes_.size(); ++l) {
      const Lane& lane = lanes_[l];
      const auto end = last ? lane.start.end()
                            : std::lower_bound(lane.start.begin() + next_[l], lane.start.end(),
                                               largest_->start[next]);
      Cut(lane, &next_[l], static_cast<uint32_t>(end - lane.start.begin()), &slices);
    }
    return slices;
  }

 private:
  static void Cut(const Lane& lane, uint32_t* from, uint32_t to, std::vector<Slice>* out) {
    while (*from < to) {
      const uint32_t first = std::exchange(*from, std::min(to, *from + kRowsPerSlice));
      out->push_back({&lane, first, *from});
    }
  }

  std::span<const Lane> lanes_;
  const Lane* largest_ = nullptr;
  std::vector<uint32_t> next_;  // by lane: its first row that is in no part
  size_t part_ = 0;
};

// A part of the wave and its values. table.strings holds texts of its own events; text columns
// refer to them with kLocalText.
struct Item {
  Part part;
  StatTable table;
};

// Typed stats of event metadata, which count for every event with it. values[first[m]..first[m +
// 1]) belong to MetaId m.
struct MetaStats {
  std::vector<uint32_t> first;
  std::vector<StatBits> values;
  std::span<const StatBits> Of(uint32_t meta) const {
    if (meta + 1 >= first.size()) return {};
    return std::span(values).subspan(first[meta], first[meta + 1] - first[meta]);
  }
};

class TypedReader {
 public:
  TypedReader(const Trace& trace, std::span<const std::shared_ptr<const ByteSource>> files,
              std::span<const PlaneParts> planes, StatRows rows, std::stop_token stop)
      : trace_(trace), files_(files), planes_(planes), rows_(rows), stop_(std::move(stop)) {
    for (const EventMeta& meta : trace.names().metas) {
      const bool allocation = meta.category == EventCategory::kMemoryEvent;
      wanted_.push_back(rows == StatRows::kAll || allocation == (rows == StatRows::kAllocations));
    }
  }

  Result<std::shared_ptr<const StatTable>> Run() {
    if (std::find(wanted_.begin(), wanted_.end(), 1) == wanted_.end())
      return std::make_shared<const StatTable>();
    PrepareActions();
    if (Status s = ReadMetaStats(); !s.ok()) return s;
    std::vector<Part> parts = MakeParts();
    items_ = std::vector<Item>(std::min(parts.size(), kPartsPerWave));
    for (size_t first = 0; first < parts.size(); first += kPartsPerWave) {
      ReadWave(std::span(parts).subspan(first, std::min(kPartsPerWave, parts.size() - first)));
      if (stop_.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
      if (error_.any()) return error_.Take();
    }
    table_->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(table_));
  }

 private:
  void PrepareActions() {
    for (const PlaneParts& parts : planes_) {
      std::vector<PlaneActions>& plane = actions_.emplace_back();
      plane.reserve(parts.size());
      for (const auto& tables : parts)
        plane.push_back(ActionsOf(*tables, table_->strings.get(), rows_));
    }
  }

  // The actions of the message that has these tables.
  static const PlaneActions* Of(std::span<const PlaneActions> plane, const PlaneTables& tables) {
    const auto at = std::partition_point(plane.begin(), plane.end(), [&](const PlaneActions& a) {
      return a.tables->begin < tables.begin;
    });
    return &*at;
  }

  Status ReadMetaStats() {
    const auto& metas = trace_.names().metas;
    std::vector<WindowReader> readers;
    for (const auto& file : files_) readers.emplace_back(*file);
    for (size_t m = 0; m < metas.size(); ++m) {
      meta_stats_.first.push_back(static_cast<uint32_t>(meta_stats_.values.size()));
      const uint32_t plane = metas[m].plane.value;
      if (plane >= actions_.size() || !Wants(static_cast<uint32_t>(m))) continue;
      const PlaneTables* made_of = TablesOfMeta(planes_[plane], static_cast<uint32_t>(m));
      if (made_of == nullptr) continue;
      const PlaneTables& tables = *made_of;
      const uint32_t index = tables.event_ids.Find(metas[m].source_id);
      if (index == IdMap::kNone || !tables.event_metas[index].has_stats) continue;
      if ((m & 1023) == 0 && stop_.stop_requested()) break;
      ReadMeta(&readers[tables.file], *Of(actions_[plane], tables), tables.event_metas[index],
               static_cast<uint32_t>(m));
      if (!readers[tables.file].status().ok()) return readers[tables.file].status();
    }
    meta_stats_.first.push_back(static_cast<uint32_t>(meta_stats_.values.size()));
    return {};
  }

  void ReadMeta(WindowReader* reader, const PlaneActions& plane, const EventMetaScan& scan,
                uint32_t meta) {
    StatDecoder decoder(&plane, trace_.names().metas, table_->strings.get(), 0);
    SourceFieldReader fields(reader, scan.begin, scan.end);
    SourceField f;
    while (fields.Next(&f)) {
      if (f.number != 5 || f.wire != kLen || f.size() > kMaxStatBytes) continue;
      const std::string_view bytes = reader->Fetch(f.begin, static_cast<size_t>(f.size()));
      Field field;
      const StatAction* action = nullptr;
      StatBits value;
      decoder.DecodeCarefully(bytes, &field, &action);
      if (decoder.ToValue(field, action, meta, &value)) meta_stats_.values.push_back(value);
    }
  }

  std::vector<Part> MakeParts() const {
    std::vector<Part> parts;
    for (const Track& track : trace_.set.tracks) {
      const std::span<const Lane> lanes = trace_.set.LanesOf(track);
      if (track.plane.value >= actions_.size() || track.source >= files_.size() || lanes.empty())
        continue;
      TrackCutter cutter(lanes);
      for (size_t n = cutter.count(); n > 0; --n)
        parts.push_back({cutter.Next(), actions_[track.plane.value], files_[track.source].get()});
    }
    return parts;
  }

  // Parses the parts in parallel and appends their values to the table.
  void ReadWave(std::span<Part> parts) {
    for (size_t i = 0; i < parts.size(); ++i) items_[i].part = std::move(parts[i]);
    ParallelFor(parts.size(), [&](size_t i) {
      if (!stop_.stop_requested() && !error_.any()) ReadItem(&items_[i]);
    });
    if (stop_.stop_requested() || error_.any()) return;
    std::vector<StatTable*> pieces;
    for (size_t i = 0; i < parts.size(); ++i) pieces.push_back(&items_[i].table);
    AppendPieces(pieces, table_.get());
  }

  bool Wants(uint32_t meta) const { return meta < wanted_.size() && wanted_[meta] != 0; }

  // Leaves out the rows before the first and behind the last one whose stats are wanted.
  void Narrow(std::vector<Slice>* slices) const {
    for (Slice& slice : *slices) {
      const auto& metas = slice.lane->meta;
      while (slice.first < slice.last && !Wants(metas[slice.first])) ++slice.first;
      while (slice.first < slice.last && !Wants(metas[slice.last - 1])) --slice.last;
    }
    std::erase_if(*slices, [](const Slice& slice) { return slice.first == slice.last; });
  }

  // Finds the rows whose stats are wanted, and returns their number. Names of both kinds alternate,
  // so a branch for each row would be mispredicted.
  uint32_t FindWanted(const Slice& slice, std::array<uint32_t, kRowsPerSlice>* rows) const {
    uint32_t count = 0;
    for (uint32_t i = slice.first; i < slice.last; ++i) {
      (*rows)[count] = i;
      count += Wants(slice.lane->meta[i]) ? 1 : 0;
    }
    return count;
  }

  void ReadItem(Item* item) {
    Part& part = item->part;
    Narrow(&part.slices);
    if (part.slices.empty()) return;
    std::unique_ptr<Scratch> scratch = scratches_.Take();
    StatDecoder decoder(&part.plane.front(), trace_.names().metas, item->table.strings.get(),
                        kLocalText);
    WindowReader* reader = scratch->ReaderOf(*part.source);
    const auto [begin, end] = BytesOf(part.slices);
    reader->Load(begin, end);
    for (const Slice& slice : part.slices) {
      ReadSlice(slice, part.plane, reader, &decoder, &scratch->values);
      scratch->values.MoveTo(&item->table);
    }
    error_.Set(reader->status());
    scratches_.Give(std::move(scratch));
  }

  void ReadSlice(const Slice& slice, std::span<const PlaneActions> plane, WindowReader* reader,
                 StatDecoder* decoder, SliceValues* out) const {
    std::array<uint32_t, kRowsPerSlice> wanted;
    for (const uint32_t i : std::span(wanted).first(FindWanted(slice, &wanted))) {
      const uint32_t row = slice.lane->first_row + i, meta = slice.lane->meta[i];
      const uint64_t at = slice.lane->SourceOffset(i);
      if (plane.size() > 1 && at != ~uint64_t{0}) decoder->Use(ActionsAt(plane, at));
      if (at != ~uint64_t{0}) ReadEvent(reader, at, row, meta, decoder, out);
      for (const StatBits& v : meta_stats_.Of(meta)) out->Put(v.column, row, v.bits, false);
    }
  }

  static const PlaneActions* ActionsAt(std::span<const PlaneActions> plane, uint64_t offset) {
    const auto next =
        std::upper_bound(plane.begin() + 1, plane.end(), offset,
                         [](uint64_t at, const PlaneActions& a) { return at < a.tables->begin; });
    return &*(next - 1);
  }

  static void ReadEvent(WindowReader* reader, uint64_t at, uint32_t row, uint32_t meta,
                        StatDecoder* decoder, SliceValues* out) {
    const std::string_view view = reader->Fetch(at, kFirstFetch);
    const Bytes begin = reinterpret_cast<Bytes>(view.data());
    uint64_t size = 0;
    const Bytes p = ReadVarint(begin, begin + view.size(), &size);
    if (p == nullptr) return;
    const size_t used = static_cast<size_t>(p - begin);
    if (view.size() >= used + kSlack && size <= view.size() - used - kSlack) [[likely]] {
      if (ReadEventFast(p, p + size, row, meta, decoder, out)) return;
    }
    FieldReader fields(FetchEvent(reader, at));
    Field f;
    while (fields.Next(&f)) {
      if (f.number == 4 && f.wire == kLen) {
        ReadStat(f.begin, f.end, false, row, meta, decoder, out);
      }
    }
  }

  // Reads an event of known fields. kSlack bytes must be readable at `end`. False when it met
  // something else: the event must be read again with every check.
  static bool ReadEventFast(Bytes p, Bytes end, uint32_t row, uint32_t meta, StatDecoder* decoder,
                            SliceValues* out) {
    Bytes stats = nullptr;  // the first one
    bool learn = false;
    while (p < end) {
      const uint8_t tag = *p;
      if (tag == (4 << 3 | kLen) && stats == nullptr) {
        stats = p;
        p = decoder->PutAlike(p, end, row, meta, out, &learn);
        if (p == end) return true;
        continue;
      }
      if (tag == (4 << 3 | kLen)) {
        Bytes next = decoder->PutCommon(p, end, row, out);
        if (next == nullptr) next = ReadOther(p, end, row, meta, decoder, out);
        if (next == nullptr) return false;
        p = next;
        continue;
      }
      if ((tag & 7) != kVarint || tag < 8 || tag > (5 << 3 | kVarint) || tag == (4 << 3 | kVarint))
        return false;
      uint64_t value = 0;
      p = ReadVarintPadded(p + 1, &value);
      if (p == nullptr) return false;
    }
    if (p == end && learn) decoder->LearnForm(stats, end, meta, out);
    return p == end;
  }

  // Reads a stat of any form; returns its end, or null where it does not end within the event.
  static Bytes ReadOther(Bytes p, Bytes event_end, uint32_t row, uint32_t meta,
                         StatDecoder* decoder, SliceValues* out) {
    uint64_t size = 0;
    p = ReadLengthPadded(p + 1, event_end, &size);
    if (p == nullptr) return nullptr;
    ReadStat(p, p + size, true, row, meta, decoder, out);
    return p + size;
  }

  static void ReadStat(Bytes p, Bytes end, bool slack, uint32_t row, uint32_t meta,
                       StatDecoder* decoder, SliceValues* out) {
    Field field;
    const StatAction* action = nullptr;
    StatBits value;
    if (!slack || p == end || !decoder->DecodeFast(p, end, &field, &action)) {
      decoder->DecodeCarefully({reinterpret_cast<const char*>(p), static_cast<size_t>(end - p)},
                               &field, &action);
    }
    if (decoder->ToValue(field, action, meta, &value))
      out->Put(value.column, row, value.bits, true);
  }

  const Trace& trace_;
  std::span<const std::shared_ptr<const ByteSource>> files_;
  std::span<const PlaneParts> planes_;
  const StatRows rows_;
  std::vector<uint8_t> wanted_;  // by MetaId: whether its events' stats are
  std::stop_token stop_;
  std::shared_ptr<StatTable> table_ = std::make_shared<StatTable>();
  std::vector<std::vector<PlaneActions>> actions_;  // by PlaneId, then by message
  MetaStats meta_stats_;
  std::vector<Item> items_;  // of the wave
  Reused<Scratch> scratches_;
  FirstError error_;
};

}  // namespace

std::string_view FetchEvent(WindowReader* reader, uint64_t at) {
  const std::string_view head = reader->Fetch(at, kFirstFetch);
  const Bytes begin = reinterpret_cast<Bytes>(head.data()), end = begin + head.size();
  uint64_t size = 0;
  const Bytes p = ReadVarint(begin, end, &size);
  if (p == nullptr) return {};
  const size_t used = static_cast<size_t>(p - begin);
  if (size <= head.size() - used) return head.substr(used, static_cast<size_t>(size));
  const uint64_t left = reader->size() - at - used;
  return reader->Fetch(at + used, static_cast<size_t>(std::min(size, left)));
}

Result<std::shared_ptr<const StatTable>> ReadTypedStats(
    const Trace& trace, std::span<const std::shared_ptr<const ByteSource>> files,
    std::span<const PlaneParts> planes, StatRows rows, std::stop_token stop) {
  try {
    return TypedReader(trace, files, planes, rows, std::move(stop)).Run();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kLimit,
                  trace.path + ": not enough memory for the stats of all events");
  }
}

}  // namespace stepscope::xplane
