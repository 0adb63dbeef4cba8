#include "model/lane_builder.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <string>

#include "model/base/sort_runs.h"

namespace stepscope {
namespace {

constexpr uint32_t kSpillBit = 0x80000000u;     // marks the numbers of spill lanes while nesting
constexpr size_t kStopEvery = size_t{1} << 18;  // events

bool Stopped(size_t i, const std::stop_token& stop) {
  return i % kStopEvery == 0 && stop.stop_requested();
}

// ---- Times
// ------------------------------------------------------------------------------------------------------

// The facts that one pass over the slices finds.
struct Order {
  bool valid = true;     // no negative duration, no end past the range
  bool sorted = true;    // by start, longer first
  bool disjoint = true;  // sorted, and nothing overlaps
  Ps busy = 0;           // sum of durations where disjoint
};

Order Inspect(std::span<const Ps> start, std::span<const Ps> dur) {
  Order order;
  bool valid = true, sorted = true, disjoint = true;
  Ps before_start = kMinPs, before_dur = kMaxPs, before_end = kMinPs;
  uint64_t busy = 0;
  for (size_t i = 0; i < start.size(); ++i) {
    Ps end;
    valid &= (dur[i] >= 0) & !__builtin_add_overflow(start[i], dur[i], &end);
    sorted &= (start[i] > before_start) | ((start[i] == before_start) & (dur[i] <= before_dur));
    disjoint &= start[i] >= before_end;
    busy += static_cast<uint64_t>(dur[i]);
    before_start = start[i];
    before_dur = dur[i];
    before_end = end;
  }
  order.valid = valid;
  order.sorted = valid && sorted;
  order.disjoint = valid && disjoint;
  order.busy = static_cast<Ps>(std::min<uint64_t>(busy, static_cast<uint64_t>(kMaxPs)));
  return order;
}

uint64_t Clip(RawEvents* events) {
  uint64_t clipped = 0;
  for (size_t i = 0; i < events->start.size(); ++i) {
    Ps& dur = events->dur[i];
    Ps end;
    if (dur < 0) {
      dur = 0;
    } else if (__builtin_add_overflow(events->start[i], dur, &end)) {
      // Only a start after 0 can overflow with a positive duration
      dur = kMaxPs - events->start[i];
    } else {
      continue;
    }
    ++clipped;
  }
  return clipped;
}

// ---- Sorting
// ----------------------------------------------------------------------------------------------------

// Sets raw indices in the order of nesting: by start, longer ones first, then as in the file. Empty
// if the events are in that order already.
void FindOrder(const RawEvents& events, bool sorted, const std::stop_token& stop,
               Column<uint32_t>* out) {
  Column<uint32_t>& order = *out;
  order.Resize(sorted ? 0 : events.start.size());
  std::iota(order.data(), order.data() + order.size(), 0u);
  const auto before = [&](uint32_t a, uint32_t b) {
    if (events.start[a] != events.start[b]) return events.start[a] < events.start[b];
    return events.dur[a] > events.dur[b];
  };
  SortRuns(order.data(), order.data() + order.size(), before, stop);
}

// ---- Nesting
// ----------------------------------------------------------------------------------------------------

// Gives each event that overlaps partially the lowest lane that is free at its
// start. O(log lanes) for each event.
class SpillLanes {
 public:
  uint32_t Add(Ps start, Ps end) {
    while (!busy_.empty() && busy_.top().first <= start) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    uint32_t lane;
    if (free_.empty()) {
      lane = static_cast<uint32_t>(sizes_.size());
      sizes_.push_back(0);
    } else {
      lane = free_.top();
      free_.pop();
    }
    busy_.emplace(end, lane);
    ++sizes_[lane];
    return lane;
  }
  const std::vector<uint32_t>& sizes() const { return sizes_; }

 private:
  template <typename T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<T>>;
  MinHeap<std::pair<Ps, uint32_t>> busy_;  // by end
  MinHeap<uint32_t> free_;
  std::vector<uint32_t> sizes_;
};

struct Nesting {
  explicit Nesting(Column<uint32_t>* p) : place(*p) {}
  Column<uint32_t>& place;  // by raw index: first the lane's number, later the row within the track
  std::vector<uint32_t> nested;   // sizes of the nested lanes, by depth
  std::vector<uint32_t> spilled;  // sizes of the spill lanes
  uint64_t overlaps = 0, too_deep = 0, rounded = 0;
  Ps busy = 0;  // sum of durations of depth 0 and of spilled events
};

// Whether an event that begins inside another one ends after it by rounding only: more of it lies
// inside than after the end.
bool EndsLateByRounding(Ps start, Ps end, Ps enclosing_end, Ps rounding) {
  const Ps late = end - enclosing_end;
  return late > 0 && late <= rounding && late < enclosing_end - start;
}

// How events become lanes.
struct NestRules {
  bool apart;   // no event encloses another; each takes the lowest lane that is free at its start
  Ps rounding;  // TrackData::rounding
};

Nesting Nest(RawEvents* all, const Column<uint32_t>& order, const NestRules& rules,
             const std::stop_token& stop, Column<uint32_t>* place) {
  RawEvents& events = *all;
  const bool apart = rules.apart;
  Nesting result(place);
  const size_t n = events.start.size();
  result.place.Resize(n);
  SpillLanes spill;
  std::vector<Ps> open;  // ends of the events that enclose the current one
  for (size_t k = 0; k < n && !Stopped(k, stop); ++k) {
    const uint32_t i = order.empty() ? static_cast<uint32_t>(k) : order[k];
    const Ps start = events.start[i];
    Ps end = start + events.dur[i];
    while (!open.empty() && open.back() <= start) open.pop_back();
    if (!apart && !open.empty() && EndsLateByRounding(start, end, open.back(), rules.rounding)) {
      end = open.back();
      events.dur[i] = end - start;
      ++result.rounded;
    }
    const bool overlaps = !apart && !open.empty() && end > open.back();
    const bool deep = !overlaps && open.size() >= kMaxDepth;
    if (apart || overlaps || deep) {
      result.overlaps += overlaps;
      result.too_deep += deep;
      result.place[i] = kSpillBit | spill.Add(start, end);
      result.busy = SaturatingAdd(result.busy, end - start);
      continue;
    }
    const size_t depth = open.size();
    if (depth == 0) result.busy = SaturatingAdd(result.busy, end - start);
    if (depth == result.nested.size()) result.nested.push_back(0);
    ++result.nested[depth];
    result.place[i] = static_cast<uint32_t>(depth);
    open.push_back(end);
  }
  result.spilled = spill.sizes();
  return result;
}

// Turns lane numbers into rows: lane by lane, and in the order of nesting within each.
void PlaceRows(Nesting* nesting, const Column<uint32_t>& order) {
  const size_t depths = nesting->nested.size();
  std::vector<uint32_t> next(depths + nesting->spilled.size());
  uint32_t row = 0;
  for (size_t lane = 0; lane < next.size(); ++lane) {
    next[lane] = row;
    row += lane < depths ? nesting->nested[lane] : nesting->spilled[lane - depths];
  }
  for (size_t k = 0; k < nesting->place.size(); ++k) {
    uint32_t& place = nesting->place[order.empty() ? k : order[k]];
    place = next[(place & kSpillBit) != 0 ? depths + (place & ~kSpillBit) : place]++;
  }
}

// Brings a column into its new order. `scratch` takes a copy of it.
template <typename T>
void Scatter(const Column<uint32_t>& place, const std::stop_token& stop, Column<std::byte>* scratch,
             Column<T>* column) {
  const size_t bytes = column->size() * sizeof(T);
  if (bytes > scratch->size()) scratch->Resize(bytes);
  std::memcpy(scratch->data(), column->data(), bytes);
  const auto* const from = reinterpret_cast<const T*>(scratch->data());
  for (size_t i = 0; i < column->size(); ++i) {
    if (Stopped(i, stop)) return;
    (*column)[place[i]] = from[i];
  }
}

// Brings all columns into their new order. A stopped call leaves some in no order.
void Reorder(const Column<uint32_t>& place, const std::stop_token& stop, Column<std::byte>* scratch,
             RawEvents* events) {
  const size_t n = place.size();
  const auto scatter = [&](auto* column) { Scatter(place, stop, scratch, column); };
  scatter(&events->start);
  if (events->dur.size() == n) scatter(&events->dur);
  scatter(&events->meta);
  if (events->ref.size() == n) scatter(&events->ref);
  if (events->wide_ref.size() == n) scatter(&events->wide_ref);
}

// ---- References
// -------------------------------------------------------------------------------------------------

// The references of lanes, as Lane has them. Wide references become narrow ones
// with a base for each block of rows.
class References {
 public:
  References(RawEvents* events, LaneColumns* columns, std::span<const uint32_t> lane_sizes)
      : wide_(std::move(events->wide_ref)), base_(events->ref_base), columns_(columns) {
    columns->ref = std::move(events->ref);
    const size_t rows = columns->start.size();
    const bool wide = rows > 0 && wide_.size() == rows;
    if (!wide && columns->ref.size() != rows) columns->ref.Release();
    if (!wide && columns->ref.empty()) return;
    size_t blocks = 0;
    for (const uint32_t size : lane_sizes) {
      const size_t own = Blocks(size);
      blocks = wide ? blocks + own : std::max(blocks, own);  // one base: all lanes share its blocks
    }
    columns->ref_bases.assign(blocks, base_);
    if (wide) columns->ref.Resize(rows);
  }

  // Sets the references of the next lane. Returns how many were lost because they lie 4 GB or more
  // from those of their block.
  uint64_t Fill(uint32_t begin, uint32_t size, Lane* lane) {
    if (columns_->ref.empty()) return 0;
    uint64_t lost = 0;
    const size_t blocks = Blocks(size);
    const size_t first_block = used_;
    if (!wide_.empty()) {
      for (size_t b = 0; b < blocks; ++b) {
        const uint32_t from = begin + (static_cast<uint32_t>(b) << Lane::kRefShift);
        const uint32_t to = std::min(begin + size, from + (1u << Lane::kRefShift));
        lost += FillBlock(from, to, &columns_->ref_bases[used_++]);
      }
    }
    lane->ref = columns_->ref.span().subspan(begin, size);
    lane->ref_bases = std::span<const uint64_t>(columns_->ref_bases).subspan(first_block, blocks);
    return lost;
  }

 private:
  static size_t Blocks(uint32_t size) {
    return (size_t{size} + (1u << Lane::kRefShift) - 1) >> Lane::kRefShift;
  }

  uint64_t FillBlock(uint32_t from, uint32_t to, uint64_t* base) {
    *base = *std::min_element(wide_.data() + from, wide_.data() + to);
    uint64_t lost = 0;
    for (uint32_t i = from; i < to; ++i) {
      const uint64_t distance = wide_[i] - *base;
      const bool none = wide_[i] == ~uint64_t{0};
      lost += !none && distance >= Lane::kNoRef;
      columns_->ref[i] =
          none || distance >= Lane::kNoRef ? Lane::kNoRef : static_cast<uint32_t>(distance);
    }
    return lost;
  }

  Column<uint64_t> wide_;
  uint64_t base_;
  LaneColumns* columns_;
  size_t used_ = 0;
};

// The track as diagnostics name it.
std::string PlaceOf(std::string_view name) { return "track '" + std::string(name) + "'"; }

// ---- Lanes
// ------------------------------------------------------------------------------------------------------

// Moves the columns to `columns` and adds lanes of the given sizes that view them.
void AddLanes(RawEvents* events, LaneColumns* columns, std::span<const uint32_t> sizes,
              size_t nested_count, LaneKind kind, std::string_view name, BuiltTrack* out) {
  columns->start = std::move(events->start);
  columns->dur = std::move(events->dur);
  columns->meta = std::move(events->meta);
  References references(events, columns, sizes);
  columns->start.ShrinkToFit();
  columns->dur.ShrinkToFit();
  columns->meta.ShrinkToFit();
  columns->ref.ShrinkToFit();
  uint32_t begin = 0;
  uint64_t lost = 0;
  const uint32_t rows_before =
      out->lanes.empty() ? 0 : out->lanes.back().first_row + out->lanes.back().size();
  out->lanes.reserve(out->lanes.size() + sizes.size());
  for (size_t k = 0; k < sizes.size(); ++k) {
    Lane& lane = out->lanes.emplace_back();
    lane.kind = kind == LaneKind::kInstant || k < nested_count ? kind : LaneKind::kSpill;
    lane.depth =
        static_cast<uint16_t>(std::min<uint32_t>(out->rows, std::numeric_limits<uint16_t>::max()));
    lane.first_row = rows_before + begin;
    lane.start = columns->start.span().subspan(begin, sizes[k]);
    lane.dur = columns->dur.span().subspan(begin, sizes[k]);
    lane.meta = columns->meta.span().subspan(begin, sizes[k]);
    lost += references.Fill(begin, sizes[k], &lane);
    begin += sizes[k];
    ++out->rows;
  }
  if (lost > 0) {
    out->diagnostics.Count(
        "track.reference_too_far", Severity::kWarning,
        "Details cannot be shown for events whose records lie 4 GB from their neighbours'",
        PlaceOf(name), lost);
  }
}

void CountNesting(const Nesting& nesting, std::string_view name, Diagnostics* diagnostics) {
  if (nesting.overlaps > 0) {
    diagnostics->Count(
        "track.partial_overlap", Severity::kInfo,
        "Events overlap without one enclosing the other; they are drawn in rows of their own",
        PlaceOf(name), nesting.overlaps);
  }
  if (nesting.rounded > 0) {
    diagnostics->Count("track.rounded_end", Severity::kInfo,
                       "Events end one or two nanoseconds after the event around them by rounding; "
                       "they are cut at its end",
                       PlaceOf(name), nesting.rounded);
  }
  if (nesting.too_deep > 0) {
    diagnostics->Count("track.too_deep", Severity::kWarning,
                       "Events nested deeper than 4096 levels are drawn in rows of their own",
                       PlaceOf(name), nesting.too_deep);
  }
}

void BuildSlices(RawEvents& events, bool keep_rows, const NestRules& rules, std::string_view name,
                 std::stop_token stop, LaneScratch* scratch, BuiltTrack* out) {
  const uint32_t n = static_cast<uint32_t>(events.start.size());
  if (n == 0) return;
  out->slice_count = n;
  Order order = Inspect(events.start.span(), events.dur.span());
  if (!order.valid) {
    out->diagnostics.Count(
        "time.clipped", Severity::kWarning,
        "Times beyond the range of \u00b1106 days or negative durations were clipped",
        PlaceOf(name), Clip(&events));
    order = Inspect(events.start.span(), events.dur.span());
  }
  if (order.sorted && order.disjoint) {
    out->busy = order.busy;
    AddLanes(&events, &out->slices, {&n, 1}, 1, LaneKind::kNested, name, out);
    return;
  }
  if (stop.stop_requested()) return;
  FindOrder(events, order.sorted, stop, &scratch->order);
  if (stop.stop_requested()) return;
  Nesting nesting = Nest(&events, scratch->order, rules, stop, &scratch->place);
  if (stop.stop_requested()) return;
  CountNesting(nesting, name, &out->diagnostics);
  out->busy = nesting.busy;
  PlaceRows(&nesting, scratch->order);
  Reorder(nesting.place, stop, &scratch->column, &events);
  if (stop.stop_requested()) return;
  if (keep_rows) out->row_of_slice.assign(nesting.place.data(), nesting.place.data() + n);
  std::vector<uint32_t> sizes = std::move(nesting.nested);
  const size_t depths = sizes.size();
  sizes.insert(sizes.end(), nesting.spilled.begin(), nesting.spilled.end());
  AddLanes(&events, &out->slices, sizes, depths, LaneKind::kNested, name, out);
}

void BuildInstants(RawEvents& events, std::string_view name, const std::stop_token& stop,
                   LaneScratch* scratch, BuiltTrack* out) {
  const uint32_t n = static_cast<uint32_t>(events.start.size());
  if (n == 0) return;
  out->instant_count = n;
  events.dur.Resize(n);
  std::fill(events.dur.data(), events.dur.data() + n, 0);
  if (!std::is_sorted(events.start.data(), events.start.data() + n)) {
    FindOrder(events, false, stop, &scratch->order);
    if (stop.stop_requested()) return;
    scratch->place.Resize(n);
    for (uint32_t k = 0; k < n; ++k) scratch->place[scratch->order[k]] = k;
    Reorder(scratch->place, stop, &scratch->column, &events);
    if (stop.stop_requested()) return;
  }
  AddLanes(&events, &out->instants, {&n, 1}, 0, LaneKind::kInstant, name, out);
}

}  // namespace

BuiltTrack BuildLanes(TrackData& data, bool keep_rows, std::string_view name, std::stop_token stop,
                      LaneScratch* scratch) {
  BuiltTrack out;
  // Asynchronous ops overlap by their nature; a shorter one is no part of a longer one.
  const NestRules rules{data.track.kind == TrackKind::kAsyncXlaOps, data.rounding};
  BuildSlices(data.slices, keep_rows, rules, name, stop, scratch, &out);
  if (!stop.stop_requested()) BuildInstants(data.instants, name, stop, scratch, &out);
  if (stop.stop_requested()) return {};
  bool first = true;
  for (const Lane& lane : out.lanes) {
    const Ps begin = lane.start.front(), end = lane.end(lane.size() - 1);
    out.span = first ? TimeRange{begin, end}
                     : TimeRange{std::min(out.span.begin, begin), std::max(out.span.end, end)};
    first = false;
  }
  return out;
}

}  // namespace stepscope
