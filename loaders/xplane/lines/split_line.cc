#include "loaders/xplane/lines/split_line.h"

#include <algorithm>
#include <span>
#include <utility>

#include "loaders/xplane/lines/event_chain.h"
#include "loaders/xplane/lines/line_join.h"

namespace stepscope::xplane {
namespace {

// An event is looked for in so many bytes, and where there is none, in more.
constexpr std::array<size_t, 2> kSearchBytes = {size_t{32} << 10, size_t{128} << 10};
constexpr size_t kMeasuredEvents = 1024;
// The room of a piece beside that for the events expected: pages that nothing is written to take no
// memory.
constexpr double kRoom = 1.1;
constexpr double kMoreRoom = 1024;

struct EventKind {
  RawEvents ParsedLine::*events;
  uint32_t ParsedLine::*in_room;
};
constexpr std::array<EventKind, 2> kEventKinds = {
    {{&ParsedLine::slices, &ParsedLine::slices_in_room},
     {&ParsedLine::instants, &ParsedLine::instants_in_room}}};

// Calls fn with each column, and the same one of the other.
template <class Fn>
void ForColumns(RawEvents* to, const RawEvents& from, const Fn& fn) {
  fn(&to->start, from.start);
  fn(&to->dur, from.dur);
  fn(&to->meta, from.meta);
  fn(&to->ref, from.ref);
}

void Reserve(RawEvents* events, size_t n) {
  if (events->start.empty()) return;
  events->start.Reserve(n), events->dur.Reserve(n), events->meta.Reserve(n);
  events->wide_ref.empty() ? events->ref.Reserve(n) : events->wide_ref.Reserve(n);
}

}  // namespace

Status SplitLine::Cut(uint64_t target, ParseBuffer* buffer, const std::stop_token& stop) {
  const LineJob& job = task_.job;
  std::vector<Place> places;
  bounds_ = {job.begin};
  for (uint64_t at = job.begin + target; at < job.end; at = std::max(at, bounds_.back()) + target) {
    const Result<Place> place = FindEvent(at, buffer, stop);
    if (!place.ok()) return place.status();
    if (place->event == job.end) continue;
    bounds_.push_back(place->event);
    places.push_back(*place);
  }
  bounds_.push_back(job.end);
  parsed_.resize(bounds_.size() - 1);
  const bool wide = job.end - job.line_begin >= Lane::kNoRef;
  if (places.empty() || wide || job.core_times != nullptr) return {};
  for (size_t kind = 0; kind < kEventKinds.size(); ++kind) MakeRooms(places, kind);
  return {};
}

Result<SplitLine::Place> SplitLine::FindEvent(uint64_t at, ParseBuffer* buffer,
                                              const std::stop_token& stop) const {
  const LineJob& job = task_.job;
  for (const size_t most : kSearchBytes) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(most, job.end - at));
    const std::span<uint8_t> bytes = std::span(buffer->bytes).first(wanted);
    const Result<size_t> n = job.source->Read(at, std::as_writable_bytes(bytes));
    if (!n.ok()) return n.status();
    const EventChain chain = FindEventChain(bytes.first(*n), *job.ids, kMeasuredEvents);
    if (chain.events > 0) return Measure(at + chain.begin, at + chain.end, buffer, stop);
  }
  return Place{job.end, {}};
}

Result<SplitLine::Place> SplitLine::Measure(uint64_t begin, uint64_t end, ParseBuffer* buffer,
                                            const std::stop_token& stop) const {
  LineJob job = task_.job;
  job.begin = begin;
  job.end = end;
  job.first_piece = false;
  ParsedLine parsed;
  if (Status s = ParseLine(job, buffer, stop, nullptr, &parsed); !s.ok()) return s;
  Place place{begin, {}};
  for (size_t kind = 0; kind < kEventKinds.size(); ++kind) {
    const size_t count = (parsed.*kEventKinds[kind].events).start.size();
    place.by_byte[kind] = static_cast<double>(count) / static_cast<double>(end - begin);
  }
  return place;
}

// A piece is about as full of events as its two ends.
void SplitLine::MakeRooms(const std::vector<Place>& places, size_t kind) {
  Rooms& rooms = rooms_[kind];
  double rows = 0;
  rooms.bounds = {0};
  for (size_t p = 0; p < pieces(); ++p) {
    const Place& first = places[p == 0 ? 0 : p - 1];
    const Place& last = places[std::min(p, places.size() - 1)];
    const double by_byte = (first.by_byte[kind] + last.by_byte[kind]) / 2;
    rows += static_cast<double>(BytesOf(p)) * by_byte * kRoom + kMoreRoom;
    rooms.bounds.push_back(static_cast<uint32_t>(rows));
  }
  const size_t all = rooms.bounds.back();
  RawEvents& columns = rooms.columns;
  columns.start.ReserveWith(all, &columns.dur, &columns.meta, &columns.ref);
  ForColumns(&columns, columns, [all](auto* column, const auto&) { column->Resize(all); });
}

LineJob SplitLine::JobOf(size_t piece) {
  LineJob job = task_.job;
  job.begin = bounds_[piece];
  job.end = bounds_[piece + 1];
  job.first_piece = piece == 0;
  job.slice_room = RoomOf(piece, 0);
  job.instant_room = RoomOf(piece, 1);
  return job;
}

EventRoom SplitLine::RoomOf(size_t piece, size_t kind) {
  Rooms& rooms = rooms_[kind];
  if (rooms.bounds.empty()) return {};
  return {&rooms.columns, rooms.bounds[piece], rooms.bounds[piece + 1]};
}

// A piece that ends with a whole field shows that the next one begins at a field. Events that all
// fit their rooms stay there. Else the line takes the memory of the first piece, which grows; that
// of the others is given back at once, so that a line never lies in memory twice.
bool SplitLine::Join() {
  const auto any = [&](const auto& of) { return std::any_of(parsed_.begin(), parsed_.end(), of); };
  if (std::any_of(parsed_.begin(), parsed_.end() - 1, [](const ParsedLine& p) { return p.cut; })) {
    parsed_.clear();
    rooms_ = {};
    return false;
  }
  const bool missing = any([](const ParsedLine& p) { return !p.missing.empty(); });
  std::array<bool, kEventKinds.size()> in_place{};
  std::array<size_t, kEventKinds.size()> counts{};
  for (size_t k = 0; k < kEventKinds.size(); ++k) {
    const auto& [events, in_room] = kEventKinds[k];
    in_place[k] = !missing && !rooms_[k].bounds.empty() &&
                  !any([&](const ParsedLine& p) { return !(p.*events).start.empty(); });
    for (const ParsedLine& p : parsed_) counts[k] += p.*in_room + (p.*events).start.size();
  }
  for (size_t p = 0; p < pieces(); ++p) {
    for (size_t k = 0; k < kEventKinds.size(); ++k) {
      if (!in_place[k]) TakeOut(p, k);
    }
    AppendLine(task_.parsed, &parsed_[p]);
    for (size_t k = 0; k < kEventKinds.size(); ++k)
      Reserve(&(task_.parsed->*kEventKinds[k].events), counts[k]);
  }
  for (size_t k = 0; k < kEventKinds.size(); ++k) {
    if (in_place[k]) JoinInPlace(k);
  }
  return true;
}

// Moves the events of each piece to those of the piece before it.
void SplitLine::JoinInPlace(size_t kind) {
  auto& [columns, bounds] = rooms_[kind];
  size_t rows = 0;
  for (size_t p = 0; p < pieces(); ++p) {
    const size_t count = parsed_[p].*kEventKinds[kind].in_room;
    ForColumns(&columns, columns, [&](auto* column, const auto&) {
      std::copy_n(column->data() + bounds[p], count, column->data() + rows);
    });
    rows += count;
  }
  ForColumns(&columns, columns, [&](auto* column, const auto&) {
    column->Resize(rows);
    column->ShrinkToFit();
  });
  columns.ref_base = task_.job.line_begin;
  task_.parsed->*kEventKinds[kind].events = std::move(columns);
}

// Copies the events of a piece from its room.
void SplitLine::TakeOut(size_t piece, size_t kind) {
  ParsedLine& parsed = parsed_[piece];
  const size_t count = parsed.*kEventKinds[kind].in_room;
  if (count == 0) return;
  ForColumns(&(parsed.*kEventKinds[kind].events), rooms_[kind].columns,
             [&](auto* to, const auto& from) {
               to->Resize(count);
               std::copy_n(from.data() + rooms_[kind].bounds[piece], count, to->data());
             });
}

}  // namespace stepscope::xplane
