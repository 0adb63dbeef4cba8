#include "loaders/xplane/lines/line_parser.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "loaders/xplane/scan/plane_tables.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr size_t kShortLine = size_t{4}
                              << 10;  // lines of fewer bytes are read with their neighbours
constexpr size_t kAheadBytes = size_t{64} << 10;  // bytes that are then read at once

constexpr uint8_t kTagEvent = 4 << 3 | kLen;
constexpr uint8_t kTagMetadataId = 1 << 3 | kVarint;
constexpr uint8_t kTagOffset = 2 << 3 | kVarint;
constexpr uint8_t kTagDuration = 3 << 3 | kVarint;
constexpr uint8_t kTagStats = 4 << 3 | kLen;
constexpr uint8_t kTagOccurrences = 5 << 3 | kVarint;

struct EventFields {
  uint64_t metadata_id = 0, offset = 0, duration = 0;
  bool aggregated = false;
  CoreTime core;
};

// Writes events into the four columns of a RawEvents through plain pointers; grows them together.
// While there is room elsewhere, it writes there.
class EventWriter {
 public:
  EventWriter(RawEvents* out, const EventRoom& room) : out_(out), room_(room) {
    n_ = out->start.size();
    capacity_ = in_room() ? room.end - room.begin : n_;
    Point();
  }
  void Add(Ps start, Ps dur, uint32_t meta, uint32_t ref) {
    if (n_ == capacity_) [[unlikely]]
      Grow();
    start_[n_] = start;
    dur_[n_] = dur;
    meta_[n_] = meta;
    ref_[n_] = ref;
    ++n_;
  }
  bool in_room() const { return room_.columns != nullptr; }
  size_t size() const { return n_; }
  // Makes room for `expected` more, so that a line of known size grows once.
  void Expect(size_t expected) {
    if (!in_room() && n_ + expected > capacity_) Resize(n_ + expected);
  }
  // Ends the writing. Returns the number of events in the room.
  uint32_t Close() {
    if (in_room()) return static_cast<uint32_t>(n_);
    Resize(n_);
    if (n_ < kManyEvents) {
      for (auto* column : {&out_->start, &out_->dur}) column->ShrinkToFit();
      for (auto* column : {&out_->meta, &out_->ref}) column->ShrinkToFit();
      Point();
    }
    return 0;
  }

 private:
  static constexpr size_t kManyEvents = 1024;  // of less, the room left over counts
  // Columns of fewer events are copied to lie side by side; larger ones grow where they are.
  static constexpr size_t kFewCopied = size_t{16} << 10;
  void Grow() {
    if (in_room()) return LeaveRoom();
    Resize(capacity_ + capacity_ / 2 + 8);
  }
  void LeaveRoom() {
    const RawEvents& full = *std::exchange(room_.columns, nullptr);
    const size_t first = room_.begin;
    capacity_ = 0;
    Resize(n_ + n_ / 8 + 8);
    std::copy_n(full.start.data() + first, n_, start_);
    std::copy_n(full.dur.data() + first, n_, dur_);
    std::copy_n(full.meta.data() + first, n_, meta_);
    std::copy_n(full.ref.data() + first, n_, ref_);
  }
  void Resize(size_t n) {
    if (capacity_ < kFewCopied && n > capacity_)
      out_->start.ReserveWith(n, &out_->dur, &out_->meta, &out_->ref);
    out_->start.Resize(n);
    out_->dur.Resize(n);
    out_->meta.Resize(n);
    out_->ref.Resize(n);
    capacity_ = n;
    Point();
  }
  void Point() {
    RawEvents& to = in_room() ? *room_.columns : *out_;
    const size_t first = in_room() ? room_.begin : 0;
    start_ = to.start.data() + first;
    dur_ = to.dur.data() + first;
    meta_ = to.meta.data() + first;
    ref_ = to.ref.data() + first;
  }

  RawEvents* out_;
  EventRoom room_;
  size_t n_ = 0, capacity_ = 0;
  Ps* start_ = nullptr;
  Ps* dur_ = nullptr;
  uint32_t* meta_ = nullptr;
  uint32_t* ref_ = nullptr;
};

// Skips a message whose tag is at `p`. Null: it does not end within `end`.
inline Bytes SkipMessage(Bytes p, Bytes end) {
  uint64_t size = 0;
  p = ReadLengthPadded(p + 1, end, &size);
  return p == nullptr ? nullptr : p + size;
}

// Reads a field of an event; returns its end. Null where the field is unknown or malformed.
inline Bytes ReadField(Bytes p, Bytes end, EventFields* e) {
  uint64_t occurrences = 0;
  switch (*p) {
    case kTagMetadataId:
      return ReadVarintPadded(p + 1, &e->metadata_id);
    case kTagOffset:
      e->aggregated = false;
      return ReadVarintPadded(p + 1, &e->offset);
    case kTagDuration:
      return ReadVarintPadded(p + 1, &e->duration);
    case kTagStats:
      return SkipMessage(p, end);
    case kTagOccurrences:
      e->aggregated = true;
      e->offset = 0;
      return ReadVarintPadded(p + 1, &occurrences);
    default:
      return nullptr;
  }
}

// Reads the common kind of event without a check per byte: known fields only, all within [p, end).
// At least kBlockPadding bytes must be readable at `end`. False: ReadEventCarefully must read it.
// Writers put the fields in order, so each is asked for in turn: a switch over tags would jump to a
// place that the processor does not foresee.
inline bool ReadEventFast(Bytes p, Bytes end, EventFields* e) {
  const auto number = [&](uint8_t tag, uint64_t* value) {
    if (p != nullptr && p < end && *p == tag) p = ReadVarintPadded(p + 1, value);
  };
  number(kTagMetadataId, &e->metadata_id);
  number(kTagOffset, &e->offset);
  number(kTagDuration, &e->duration);
  while (p != nullptr && p < end && *p == kTagStats) p = SkipMessage(p, end);
  while (p != nullptr && p < end) [[unlikely]] p = ReadField(p, end, e);
  return p == end;
}

// Both times must be there. The event lies in [p, end).
CoreTime CoreTimeOf(Bytes p, Bytes end, const CoreTimeStats& ids) {
  int64_t offset = -1, duration = -1;
  FieldReader fields(p, end);
  Field f;
  while (fields.Next(&f)) {
    if (f.number != 4 || f.wire != kLen) continue;
    const XStat stat = ReadXStat(f.bytes());
    const bool number = stat.value.number == kInt64Value || stat.value.number == kUint64Value;
    if (stat.id == ids.offset) offset = number ? stat.value.Int() : -1;
    if (stat.id == ids.duration) duration = number ? stat.value.Int() : -1;
  }
  const auto is_time = [](int64_t t) { return t >= 0 && t < kMaxPs; };
  return is_time(offset) && is_time(duration) ? CoreTime{offset, duration} : CoreTime{};
}

struct Parser {
  const LineJob& job;
  ParseBuffer& buffer;
  std::stop_token stop;
  Progress* progress;
  ParsedLine& out;
  EventWriter slices, instants;
  std::unordered_map<int64_t, uint32_t> missing;
  Ps busy_end = kMinPs;
  bool wide;

  Parser(const LineJob& j, ParseBuffer* b, std::stop_token s, Progress* p, ParsedLine* o)
      : job(j),
        buffer(*b),
        stop(std::move(s)),
        progress(p),
        out(*o),
        slices(&o->slices, j.slice_room),
        instants(&o->instants, j.instant_room),
        wide(j.end - j.line_begin >= 0xffffffffu) {}

  Status Run();
  Bytes Block(Bytes p, Bytes end, uint64_t at, bool last);
  void Event(Bytes p, Bytes end, uint64_t at);
  void ReadEventCarefully(Bytes p, Bytes end, uint64_t at, EventFields* e);
  void EventField(uint32_t number, uint32_t wire, uint64_t value, uint64_t at, EventFields* e);
  Status LongField(uint64_t* at);
  Status LongEvent(uint64_t at, uint64_t begin, uint64_t end, WindowReader* reader);
  void Emit(const EventFields& e, uint64_t at);
  void HeaderField(const Field& f, uint64_t at);
  uint32_t Meta(uint64_t metadata_id, uint64_t at);
  void ClipTimes(int64_t offset, Ps* start, Ps* dur, uint64_t at);
  void CountCut(uint64_t at) {
    out.diagnostics.Count(XspaceDiagnostic::kLengthPastEnd, at);
    out.cut = true;
  }

  bool stopped = false;    // garbage was met
  bool step_over = false;  // the next field is one for LongField
};

uint32_t Parser::Meta(uint64_t metadata_id, uint64_t at) {
  const int64_t id = static_cast<int64_t>(metadata_id);
  const uint32_t index = job.ids->Find(id);
  if (index != IdMap::kNone) [[likely]]
    return job.metas[index];
  out.diagnostics.Count(XspaceDiagnostic::kMissingMetadata, at);
  const auto [it, added] = missing.try_emplace(id, static_cast<uint32_t>(out.missing.size()));
  if (added) out.missing.push_back(id);
  return kMissingMeta + it->second;
}

void Parser::ClipTimes(int64_t offset, Ps* start, Ps* dur, uint64_t at) {
  const Ps wanted = SaturatingAdd(job.base_ps, offset);
  if (*dur < 0) {
    out.diagnostics.Count(XspaceDiagnostic::kNegativeDuration, at);
    *dur = 0;
  }
  *start = std::clamp(wanted, -kMaxTimePs, kMaxTimePs);
  const Ps room = *start > 0 ? kMaxTimePs - *start : kMaxTimePs;
  const bool clipped = *start != wanted || *dur > room;
  *dur = std::min(*dur, room);
  if (clipped) out.diagnostics.Count(XspaceDiagnostic::kTimeClipped, at);
}

inline void Parser::Emit(const EventFields& e, uint64_t at) {
  const uint32_t meta = Meta(e.metadata_id, at);
  Ps dur = static_cast<Ps>(e.duration), start = 0;
  const int64_t offset = static_cast<int64_t>(e.offset);
  const bool overflow = __builtin_add_overflow(job.base_ps, offset, &start);
  // Within half the range nothing can overflow; other times are checked one by one.
  constexpr uint64_t kHalf = static_cast<uint64_t>(kMaxTimePs) / 2;
  if (overflow || static_cast<uint64_t>(start) + kHalf > 2 * kHalf || e.duration > kHalf)
      [[unlikely]] {
    ClipTimes(offset, &start, &dur, at);
  }
  const uint64_t ref = at - job.line_begin;
  ++out.events;
  out.aggregated += e.aggregated ? 1 : 0;
  if (job.core_times != nullptr) (dur == 0 ? out.instant_times : out.slice_times).push_back(e.core);
  if (dur == 0) {
    instants.Add(start, 0, meta, static_cast<uint32_t>(ref));
    if (wide) [[unlikely]]
      out.instants.wide_ref.push_back(at);
    return;
  }
  slices.Add(start, dur, meta, static_cast<uint32_t>(ref));
  if (wide) [[unlikely]]
    out.slices.wide_ref.push_back(at);
  const Ps event_end = start + dur;
  if (event_end > busy_end) {
    out.busy = SaturatingAdd(out.busy, event_end - std::max(start, busy_end));
    busy_end = event_end;
  }
}

void Parser::EventField(uint32_t number, uint32_t wire, uint64_t value, uint64_t at,
                        EventFields* e) {
  if (number == 0 || number > 5) return;
  if (wire != (number == 4 ? kLen : kVarint))
    return out.diagnostics.Count(XspaceDiagnostic::kWrongType, at);
  if (number == 1) e->metadata_id = value;
  if (number == 2) e->offset = value;
  if (number == 3) e->duration = value;
  if (number == 5) e->offset = 0;
  if (number == 2 || number == 5) e->aggregated = number == 5;
}

// Reads an event field by field with every check, and counts what is wrong. Keeps what was decoded
// before the first error.
void Parser::ReadEventCarefully(Bytes p, Bytes end, uint64_t at, EventFields* e) {
  *e = {};
  FieldReader fields(p, end);
  Field f;
  while (fields.Next(&f)) EventField(f.number, f.wire, f.value, at, e);
  if (fields.clamped()) out.diagnostics.Count(XspaceDiagnostic::kLengthPastEnd, at);
  if (fields.bad()) out.diagnostics.Count(XspaceDiagnostic::kBadEvent, at);
}

inline void Parser::Event(Bytes p, Bytes end, uint64_t at) {
  EventFields e;
  if (!ReadEventFast(p, end, &e)) [[unlikely]]
    ReadEventCarefully(p, end, at, &e);
  if (job.core_times != nullptr) e.core = CoreTimeOf(p, end, *job.core_times);
  Emit(e, at);
}

// Reads a field that does not fit a block, or a group, in the file. Moves *at to its end.
Status Parser::LongField(uint64_t* at) {
  WindowReader reader(*job.source);
  SourceFieldReader fields(&reader, *at, job.end);
  SourceField f;
  const uint64_t here = *at;
  bool more = fields.Next(&f);
  const bool is_event = more && f.number == 4 && f.wire == kLen;
  while (more && fields.in_group() && !stop.stop_requested()) more = fields.Next(&f);
  if (!reader.status().ok()) return reader.status();
  *at = fields.position();
  stopped = !more;
  if (more && f.wire == kLen && f.clamped) CountCut(here);
  return is_event ? LongEvent(here + 1, f.begin, f.end, &reader) : reader.status();
}

Status Parser::LongEvent(uint64_t at, uint64_t begin, uint64_t end, WindowReader* reader) {
  SourceFieldReader fields(reader, begin, end);
  SourceField f;
  EventFields e;
  while (!stop.stop_requested() && fields.Next(&f)) {
    if (f.wire == kLen && f.clamped) out.diagnostics.Count(XspaceDiagnostic::kLengthPastEnd, at);
    EventField(f.number, f.wire, f.value, at, &e);
  }
  if (fields.bad() && reader->status().ok()) out.diagnostics.Count(XspaceDiagnostic::kBadEvent, at);
  Emit(e, at);
  return reader->status();
}

void Parser::HeaderField(const Field& f, uint64_t at) {
  const bool text = f.number == 2 || f.number == 11;
  if ((f.number == 1 || f.number == 3 || f.number == 9 || f.number == 10 || text) &&
      f.wire != (text ? kLen : kVarint)) {
    return out.diagnostics.Count(XspaceDiagnostic::kWrongType, at);
  }
  const bool late = out.events > 0 || !job.first_piece;  // ScanFile did not see it
  switch (f.number) {
    case 1:
      out.late_id = f.Int();
      out.has_late_id = late;
      break;
    case 2:
      if (late) out.late_name = f.text();
      break;
    case 3:
      out.timestamp_after_events = late;
      out.timestamp_ns = f.Int();
      break;
    case 10:
      out.display_id = f.Int();
      break;
    case 11:
      out.display_name = f.text();
      break;
    default:
      break;
  }
}

// Parses what lies whole in [p, end); `at` is the file offset of p. Returns where it stopped: at
// `end`, before a field that goes on beyond it, at garbage (stopped), or at a group (step_over).
Bytes Parser::Block(Bytes p, Bytes end, uint64_t at, bool last) {
  const Bytes block = p;
  while (p < end) {
    const uint64_t here = at + static_cast<uint64_t>(p - block);
    if (*p == kTagEvent) [[likely]] {
      uint64_t n = 0;
      const Bytes q = ReadLengthPadded(p + 1, end, &n);
      if (q != nullptr) [[likely]] {
        Event(q, q + n, here + 1);
        p = q + n;
        continue;
      }
      if (!last) return p;
    } else if (!last && end - p < 32) {
      return p;  // its tag or length may go on after the block
    }
    FieldReader fields(p, end);
    Field f;
    if (!fields.Next(&f)) {
      stopped = true;
      return p;
    }
    step_over = f.wire == kGroup;
    if (step_over || (f.wire == kLen && f.clamped && !last)) return p;
    if (f.wire == kLen && f.clamped) CountCut(here);
    if (f.number == 4 && f.wire == kLen) {
      Event(f.begin, f.end, here + 1);
    } else {
      HeaderField(f, here);
    }
    p = fields.position();
  }
  return p;
}

// As ByteSource::Read, for a few bytes: reading each of a million short lines by itself takes
// longer than parsing them.
Result<size_t> ReadAhead(const ByteSource& source, uint64_t at, size_t want, ParseBuffer* buffer) {
  const uint64_t ahead_end = buffer->ahead_begin + buffer->ahead.size();
  if (buffer->ahead_source != &source || at < buffer->ahead_begin || at + want > ahead_end) {
    buffer->ahead_source = nullptr;
    buffer->ahead.resize(kAheadBytes);
    Result<size_t> n = source.Read(at, std::as_writable_bytes(std::span(buffer->ahead)));
    if (!n.ok()) return n;
    buffer->ahead.resize(*n);
    buffer->ahead_begin = at;
    buffer->ahead_source = &source;
  }
  const size_t n = std::min<size_t>(want, buffer->ahead.size() - (at - buffer->ahead_begin));
  std::memcpy(buffer->bytes.data(), buffer->ahead.data() + (at - buffer->ahead_begin), n);
  return n;
}

// Reads [at, end of the block) into the buffer, followed by zeros. Returns the bytes read.
Result<size_t> ReadBlock(const ByteSource& source, uint64_t at, uint64_t end, ParseBuffer* buffer) {
  const size_t want = static_cast<size_t>(std::min<uint64_t>(kBlockBytes, end - at));
  Result<size_t> n =
      want <= kShortLine
          ? ReadAhead(source, at, want, buffer)
          : source.Read(at, std::as_writable_bytes(std::span(buffer->bytes)).first(want));
  if (n.ok()) std::memset(buffer->bytes.data() + *n, 0, kBlockPadding);
  return n;
}

Status Parser::Run() {
  uint64_t at = job.begin;
  while (at < job.end && !stopped) {
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    const Result<size_t> n = ReadBlock(*job.source, at, job.end, &buffer);
    if (!n.ok()) return n.status();
    if (*n == 0) break;
    const Bytes begin = buffer.bytes.data();
    const uint64_t events_before = out.events;
    const Bytes p = Block(begin, begin + *n, at, at + *n >= job.end);
    const uint64_t done = static_cast<uint64_t>(p - begin);
    if (progress != nullptr) {
      progress->bytes_done.fetch_add(
          static_cast<uint64_t>(static_cast<double>(done) * job.progress_per_byte),
          std::memory_order_relaxed);
      progress->events.fetch_add(out.events - events_before, std::memory_order_relaxed);
    }
    // The events of a line are mostly alike: its first block tells how many there will be.
    if (at == job.begin && done > 0) {
      slices.Expect(static_cast<size_t>(static_cast<double>(slices.size()) * 1.02 *
                                        static_cast<double>(job.end - at - done) /
                                        static_cast<double>(done)));
    }
    at += done;
    if (!stopped && (step_over || done == 0)) {
      step_over = false;
      if (Status s = LongField(&at); !s.ok()) return s;
    }
  }
  if (stopped) out.diagnostics.Count(XspaceDiagnostic::kBadLine, at);
  out.cut = out.cut || stopped;
  out.slices_in_room = slices.Close();
  out.instants_in_room = instants.Close();
  for (RawEvents* events : {&out.slices, &out.instants}) {
    events->ref_base = wide ? 0 : job.line_begin;
    if (wide) events->ref.Release();
  }
  return {};
}

}  // namespace

Status ParseLine(const LineJob& job, ParseBuffer* buffer, const std::stop_token& stop,
                 Progress* progress, ParsedLine* out) {
  return Parser(job, buffer, stop, progress, out).Run();
}

}  // namespace stepscope::xplane
