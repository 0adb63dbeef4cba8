#include "loaders/xplane/lines/line_pieces.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "loaders/common/wire.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr uint8_t kEventField = 4 << 3 | kLen;

bool IsPlacedEvent(Bytes begin, Bytes end, const IdMap& ids) {
  FieldReader fields(begin, end);
  Field f;
  int64_t id = 0;
  bool placed = false;
  while (fields.Next(&f)) {
    if (f.number < 1 || f.number > 5 || f.clamped || f.wire != (f.number == 4 ? kLen : kVarint))
      return false;
    if (f.number == 1) id = f.Int();
    placed = placed || f.number == 2 || f.number == 5;
  }
  return placed && !fields.bad() && ids.Find(id) != IdMap::kNone;
}

// The end of the event's field at p; null where there is none that is whole.
Bytes EndOfEvent(Bytes p, Bytes end, const IdMap& ids) {
  uint64_t size = 0;
  if (p == end || *p != kEventField) return nullptr;
  p = ReadVarint(p + 1, end, &size);
  if (p == nullptr || size > static_cast<uint64_t>(end - p)) return nullptr;
  return IsPlacedEvent(p, p + size, ids) ? p + size : nullptr;
}

}  // namespace

EventChain FindEventChain(std::span<const uint8_t> bytes, const IdMap& ids, size_t most) {
  const Bytes begin = bytes.data(), end = begin + bytes.size();
  for (Bytes p = std::find(begin, end, kEventField); p < end;
       p = std::find(p + 1, end, kEventField)) {
    EventChain chain{static_cast<size_t>(p - begin), 0, 0};
    Bytes at = p;
    for (; chain.events < most; ++chain.events) {
      const Bytes next = EndOfEvent(at, end, ids);
      if (next == nullptr) break;
      at = next;
    }
    chain.end = static_cast<size_t>(at - begin);
    if (chain.events >= kLeastChain) return chain;
  }
  return {};
}

namespace {

template <typename T>
void Append(Column<T>* to, const Column<T>& from) {
  const size_t n = to->size(), wanted = n + from.size();
  if (from.empty()) return;
  if (wanted > to->capacity()) to->Reserve(wanted + n / 2);  // thousands of pieces may follow
  to->Resize(wanted);
  std::copy(from.data(), from.data() + from.size(), to->data() + n);
}

void WidenRefs(RawEvents* events) {
  if (!events->wide_ref.empty()) return;
  events->wide_ref.Resize(events->ref.size());
  for (size_t i = 0; i < events->ref.size(); ++i)
    events->wide_ref[i] = events->ref_base + events->ref[i];
  events->ref.Release();
  events->ref_base = 0;
}

// Makes the references of both count from the same place, in 64 bits where 32 are not enough.
void AlignRefs(RawEvents* a, RawEvents* b) {
  const bool narrow = a->wide_ref.empty() && b->wide_ref.empty();
  if (narrow && a->ref_base == b->ref_base) return;
  const uint64_t shift = b->ref_base - a->ref_base;  // of no use if negative: then it is large
  const auto last = std::max_element(b->ref.data(), b->ref.data() + b->ref.size());
  if (!narrow || shift >= Lane::kNoRef || shift + *last >= Lane::kNoRef) {
    WidenRefs(a);
    return WidenRefs(b);
  }
  for (size_t i = 0; i < b->ref.size(); ++i) b->ref[i] += static_cast<uint32_t>(shift);
  b->ref_base = a->ref_base;
}

// Appends the missing ids of `from` to those of the pieces before it, and renumbers its events.
void AppendMissing(ParsedLine* to, ParsedLine* from) {
  if (from->missing.empty()) return;
  const uint32_t shift = static_cast<uint32_t>(to->missing.size());
  for (RawEvents* events : {&from->slices, &from->instants})
    RenumberMissing({events->meta.data(), events->meta.size()}, shift);
  to->missing.insert(to->missing.end(), from->missing.begin(), from->missing.end());
}

// Appends times of events, of which there are so many before and in all.
void AppendTimes(std::vector<CoreTime>* to, std::vector<CoreTime>* from, size_t before,
                 size_t all) {
  if (to->empty() && from->empty()) return;
  to->resize(before);
  to->insert(to->end(), from->begin(), from->end());
  to->resize(all);
}

}  // namespace

void RenumberMissing(std::span<uint32_t> metas, uint32_t before) {
  for (uint32_t& meta : metas) meta += meta >= kMissingMeta ? before : 0;
}

void AppendEvents(RawEvents* to, RawEvents* from) {
  if (from->start.empty()) return;
  if (to->start.empty()) {
    const uint64_t base = from->ref_base;
    *to = std::move(*from);
    to->ref_base = base;
    return;
  }
  AlignRefs(to, from);
  Append(&to->start, from->start);
  Append(&to->dur, from->dur);
  Append(&to->meta, from->meta);
  Append(&to->ref, from->ref);
  Append(&to->wide_ref, from->wide_ref);
}

void AppendLine(ParsedLine* to, ParsedLine* from) {
  AppendMissing(to, from);
  const auto counts = [](const RawEvents& a, const RawEvents& b) {
    return std::pair(a.start.size(), a.start.size() + b.start.size());
  };
  const auto [slices, all_slices] = counts(to->slices, from->slices);
  const auto [instants, all_instants] = counts(to->instants, from->instants);
  AppendTimes(&to->slice_times, &from->slice_times, slices, all_slices);
  AppendTimes(&to->instant_times, &from->instant_times, instants, all_instants);
  AppendEvents(&to->slices, &from->slices);
  AppendEvents(&to->instants, &from->instants);
  to->diagnostics.Merge(from->diagnostics);
  to->events += from->events;
  to->aggregated += from->aggregated;
  to->busy = SaturatingAdd(to->busy, from->busy);
  to->cut = to->cut || from->cut;
  if (from->timestamp_after_events) {
    to->timestamp_after_events = true;
    to->timestamp_ns = from->timestamp_ns;
  }
  if (from->display_id != 0) to->display_id = from->display_id;
  if (!from->display_name.empty()) to->display_name = std::move(from->display_name);
  if (!from->late_name.empty()) to->late_name = std::move(from->late_name);
  if (from->has_late_id) {
    to->has_late_id = true;
    to->late_id = from->late_id;
  }
}

}  // namespace stepscope::xplane
