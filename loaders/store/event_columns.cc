#include "loaders/store/event_columns.h"

#include <algorithm>
#include <utility>

#include "loaders/store/byte_codec.h"
#include "loaders/store/section.h"
#include "model/jobs/job.h"

namespace stepscope::store {
namespace {

constexpr uint32_t kMostNodes = 1u << 16;      // of all lanes
constexpr uint32_t kMostLaneNodes = 1u << 10;  // of a lane

}  // namespace

uint32_t WriteOverview(const TrackSet& set, std::string* out) {
  const auto lanes = static_cast<uint32_t>(std::min<size_t>(set.lanes.size(), kMostNodes));
  const uint32_t most = std::clamp(kMostNodes / std::max(lanes, 1u), 1u, kMostLaneNodes);
  std::vector<uint64_t> lane_nodes, begins, busy, metas;
  for (uint32_t l = 0; l < lanes; ++l) {
    const Lane& lane = set.lanes[l];
    const uint32_t group = (lane.size() + most - 1) / most;
    const size_t before = begins.size();
    Ps last = 0;
    for (uint32_t i = 0; i < lane.size(); i += group) {
      const uint32_t end = std::min(lane.size(), i + group);
      Ps sum = 0;
      uint32_t longest = i;
      for (uint32_t e = i; e < end; ++e) {
        sum = SaturatingAdd(sum, lane.dur[e]);
        if (lane.dur[e] > lane.dur[longest]) longest = e;
      }
      begins.push_back(static_cast<uint64_t>(lane.start[i]) - static_cast<uint64_t>(last));
      last = lane.start[i];
      busy.push_back(static_cast<uint64_t>(sum));
      metas.push_back(lane.meta[longest]);
    }
    lane_nodes.push_back(begins.size() - before);
  }
  ByteWriter writer(out);
  writer.Varint(lane_nodes.size());
  writer.Ints(lane_nodes);
  writer.Ints(begins);
  writer.Ints(busy);
  writer.Ints(metas);
  return static_cast<uint32_t>(begins.size());
}

bool ReadOverview(std::string_view bytes, uint32_t nodes, std::vector<OverviewLane>* out) {
  if (nodes > kMostNodes + kMostLaneNodes) return false;
  ByteReader reader(bytes);
  std::vector<uint64_t> lane_nodes(reader.Count(kMostNodes)), begins(nodes), busy(nodes),
      metas(nodes);
  reader.Ints(lane_nodes);
  reader.Ints(begins);
  reader.Ints(busy);
  reader.Ints(metas);
  if (!reader.ok()) return false;
  size_t at = 0;
  for (uint32_t l = 0; l < lane_nodes.size(); ++l) {
    if (lane_nodes[l] > nodes - at) return false;
    OverviewLane& lane = out->emplace_back();
    lane.lane = l;
    uint64_t begin = 0;
    for (uint64_t i = 0; i < lane_nodes[l]; ++i, ++at) {
      begin += begins[at];
      lane.begin.push_back(static_cast<Ps>(begin));
      lane.busy.push_back(std::max<Ps>(0, static_cast<Ps>(busy[at])));
      lane.meta.push_back(static_cast<uint32_t>(std::min<uint64_t>(metas[at], 0xffffffffu)));
    }
  }
  return true;
}

namespace {

// TrackSet::storage owns this.
struct Storage {
  Column<Ps> start, dur;
  Column<uint32_t> meta, ref;
  std::vector<std::vector<uint64_t>> ref_bases;
};

constexpr uint32_t kRefBlock = 1u << Lane::kRefShift;

}  // namespace

void WriteEvents(const TrackSet& set, uint32_t first, uint32_t count, std::string* out) {
  std::vector<uint64_t> starts(count), durs(count), metas(count), offsets(count);
  Ps first_start = 0;
  uint64_t last_offset = 0;
  size_t lane_index = set.LaneOf(EventRow(first)).value;
  for (uint32_t i = 0; i < count;) {
    const Lane& lane = set.lanes[lane_index++];
    uint32_t at = first + i - lane.first_row;
    if (i == 0) first_start = lane.start[at];
    Ps last = at == 0 ? lane.start[0] : lane.start[i == 0 ? at : at - 1];
    for (; at < lane.size() && i < count; ++at, ++i) {
      starts[i] = static_cast<uint64_t>(lane.start[at]) - static_cast<uint64_t>(last);
      last = lane.start[at];
      durs[i] = static_cast<uint64_t>(lane.dur[at]);
      metas[i] = lane.meta[at];
      const uint64_t offset = lane.SourceOffset(at) + 1;  // none is 0
      offsets[i] = offset - last_offset;
      last_offset = offset;
    }
  }
  ByteWriter writer(out);
  writer.Signed(first_start);
  writer.Ints(starts);
  writer.Ints(durs);
  writer.Ints(metas);
  writer.Ints(offsets);
}

void EventColumns::TakeOverview(const std::vector<OverviewLane>& overview) {
  std::vector<LaneFacts> with_nodes;
  std::vector<Ps> start, dur;
  std::vector<uint32_t> meta;
  for (const OverviewLane& nodes : overview) {
    if (nodes.lane >= lanes.size() || nodes.begin.empty()) continue;
    LaneFacts& lane = with_nodes.emplace_back(lanes[nodes.lane]);
    lane.first_row = static_cast<uint32_t>(start.size());
    lane.rows = static_cast<uint32_t>(nodes.begin.size());
    if (lane.kind == LaneKind::kNested) lane.kind = LaneKind::kSpill;
    start.insert(start.end(), nodes.begin.begin(), nodes.begin.end());
    dur.insert(dur.end(), nodes.busy.begin(), nodes.busy.end());
    meta.insert(meta.end(), nodes.meta.begin(), nodes.meta.end());
  }
  lanes = std::move(with_nodes);
  parts_.clear();
  Prepare({{0, static_cast<uint32_t>(start.size())}});
  std::copy(start.begin(), start.end(), start_.data());
  std::copy(dur.begin(), dur.end(), dur_.data());
  std::copy(meta.begin(), meta.end(), meta_.data());
  std::fill_n(offset_.data(), start.size(), ~uint64_t{0});
  if (!parts_.empty()) parts_.front().read = true;
}

size_t EventColumns::LaneAt(uint32_t row) const {
  const auto after =
      std::upper_bound(lanes.begin(), lanes.end(), row,
                       [](uint32_t r, const LaneFacts& lane) { return r < lane.first_row; });
  return static_cast<size_t>(after - lanes.begin()) - 1;
}

void EventColumns::Prepare(std::vector<Rows> sections) {
  std::sort(sections.begin(), sections.end(),
            [](const Rows& a, const Rows& b) { return a.first < b.first; });
  const uint64_t end = lanes.empty() ? 0 : uint64_t{lanes.back().first_row} + lanes.back().rows;
  uint64_t next = 0;
  uint32_t at = 0;
  for (const Rows& rows : sections) {
    if (rows.count == 0 || rows.first < next || uint64_t{rows.first} + rows.count > end) continue;
    parts_.push_back({rows, at, false});
    at += rows.count;
    next = uint64_t{rows.first} + rows.count;
  }
  start_.Resize(at);
  dur_.Resize(at);
  meta_.Resize(at);
  offset_.Resize(at);
}

bool EventColumns::Read(Rows rows, std::string_view bytes) {
  const auto part =
      std::lower_bound(parts_.begin(), parts_.end(), rows.first,
                       [](const Part& p, uint32_t first) { return p.rows.first < first; });
  if (part == parts_.end() || part->rows.first != rows.first || part->rows.count != rows.count)
    return false;
  ByteReader reader(bytes);
  std::vector<uint64_t> values(rows.count);
  const Ps first_start = reader.Signed();
  reader.Ints(values);
  size_t lane = LaneAt(rows.first);
  uint32_t row = rows.first, at = part->at;
  for (size_t i = 0; i < values.size(); ++lane) {
    const uint32_t lane_end = lanes[lane].first_row + lanes[lane].rows;
    auto last = static_cast<uint64_t>(i == 0 ? first_start : lanes[lane].begin);
    for (; row < lane_end && i < values.size(); ++row, ++i) {
      last += values[i];
      start_[at + i] = static_cast<Ps>(last);
    }
  }
  reader.Ints(values);
  for (size_t i = 0; i < values.size(); ++i) dur_[at + i] = static_cast<Ps>(values[i]);
  reader.Ints(values);
  for (size_t i = 0; i < values.size(); ++i)
    meta_[at + i] = static_cast<uint32_t>(std::min<uint64_t>(values[i], 0xffffffffu));
  reader.Ints(values);
  uint64_t offset = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    offset += values[i];
    offset_[at + i] = offset - 1;
  }
  part->read = reader.ok();
  return part->read;
}

std::vector<EventColumns::Kept> EventColumns::PresentRows(const LaneFacts& lane) const {
  std::vector<Kept> kept;
  const uint32_t end = lane.first_row + lane.rows;
  auto part = std::upper_bound(parts_.begin(), parts_.end(), lane.first_row,
                               [](uint32_t row, const Part& p) { return row < p.rows.first; });
  if (part != parts_.begin()) --part;
  for (; part != parts_.end() && part->rows.first < end; ++part) {
    const uint32_t from = std::max(part->rows.first, lane.first_row);
    const uint32_t to = std::min(part->rows.first + part->rows.count, end);
    if (from >= to || !part->read) continue;
    const uint32_t at = part->at + (from - part->rows.first);
    if (!kept.empty() && kept.back().at + kept.back().count == at &&
        kept.back().row + kept.back().count == from) {
      kept.back().count += to - from;
    } else {
      kept.push_back({from, at, to - from});
    }
  }
  return kept;
}

// Keeps the events that follow each other and lie within their parents, and moves them together.
void EventColumns::CheckLane(const LaneFacts& lane, const LanePieces* parent, uint32_t metas,
                             LanePieces* out) {
  const std::vector<Kept> present = PresentRows(lane);
  if (present.empty()) return;
  out->at = present.front().at;
  uint32_t to = out->at;
  Ps free = kMinPs;  // the end of the last event
  uint32_t p = 0;    // the parent that begins last, of those that began
  for (const Kept& piece : present) {
    for (uint32_t i = 0; i < piece.count; ++i) {
      const uint32_t from = piece.at + i;
      const Ps start = start_[from], dur = dur_[from];
      const Ps end = SaturatingAdd(start, dur);
      bool good = start >= free && dur >= 0 && end - dur == start && meta_[from] < metas;
      good = good && (lane.kind != LaneKind::kInstant || dur == 0);
      if (parent != nullptr && good) {
        const uint32_t first = parent->at;
        while (p + 1 < parent->size && start_[first + p + 1] <= start) ++p;
        good = parent->size > 0 && start_[first + p] <= start &&
               start < start_[first + p] + dur_[first + p] &&
               end <= start_[first + p] + dur_[first + p];
      }
      if (!good) {
        ++out->refused;
        continue;
      }
      free = end;
      if (to != from) {
        start_[to] = start, dur_[to] = dur;
        meta_[to] = meta_[from], offset_[to] = offset_[from];
      }
      const uint32_t row = piece.row + i;
      if (!out->pieces.empty() && out->pieces.back().row + out->pieces.back().count == row) {
        ++out->pieces.back().count;
      } else {
        out->pieces.push_back({row, to, 1});
      }
      ++to;
    }
  }
  out->size = to - out->at;
}

void EventColumns::NarrowReferences(LanePieces* out) {
  out->ref_bases.resize((size_t{out->size} + kRefBlock - 1) / kRefBlock);
  for (size_t b = 0; b < out->ref_bases.size(); ++b) {
    const uint32_t begin = out->at + static_cast<uint32_t>(b) * kRefBlock;
    const uint32_t end = std::min(out->at + out->size, begin + kRefBlock);
    const uint64_t base = *std::min_element(offset_.data() + begin, offset_.data() + end);
    out->ref_bases[b] = base;
    for (uint32_t i = begin; i < end; ++i) {
      const uint64_t distance = offset_[i] - base;
      const bool none = offset_[i] == ~uint64_t{0} || distance >= Lane::kNoRef;
      ref_[i] = none ? Lane::kNoRef : static_cast<uint32_t>(distance);
    }
  }
}

void EventColumns::CheckTrack(size_t first_lane, size_t lanes_end, uint32_t metas,
                              std::vector<LanePieces>* pieces) {
  for (size_t i = first_lane; i < lanes_end; ++i) {
    const bool child = lanes[i].kind == LaneKind::kNested && i > first_lane;
    CheckLane(lanes[i], child ? &(*pieces)[i - 1] : nullptr, metas, &(*pieces)[i]);
    NarrowReferences(&(*pieces)[i]);
  }
}

EventColumns::Built EventColumns::Finish(std::vector<Track> tracks, uint32_t metas) {
  std::vector<LanePieces> pieces(lanes.size());
  std::vector<std::pair<size_t, size_t>> by_track(tracks.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    auto& [first, end] = by_track[lanes[i].track];
    if (end == 0) first = i;
    end = i + 1;
  }
  ref_.Resize(offset_.size());
  ParallelFor(tracks.size(),
              [&](size_t t) { CheckTrack(by_track[t].first, by_track[t].second, metas, &pieces); });
  offset_.Release();
  Built built;
  auto storage = std::make_shared<Storage>();
  storage->start = std::move(start_);
  storage->dur = std::move(dur_);
  storage->meta = std::move(meta_);
  storage->ref = std::move(ref_);
  storage->ref_bases.reserve(lanes.size());
  TrackSet& set = built.set;
  set.lanes.reserve(lanes.size());
  for (size_t t = 0; t < tracks.size(); ++t) {
    Track& track = tracks[t];
    for (size_t i = by_track[t].first; i < by_track[t].second; ++i) {
      LanePieces& from = pieces[i];
      built.refused += from.refused;
      built.missing += lanes[i].rows - from.refused - from.size;
      if (from.size == 0) continue;
      if (track.lane_count == 0) track.first_lane = LaneId(static_cast<uint32_t>(set.lanes.size()));
      Lane& lane = set.lanes.emplace_back();
      lane.track = TrackId(static_cast<uint32_t>(t));
      lane.kind = lanes[i].kind;
      lane.depth = static_cast<uint16_t>(std::min(track.lane_count, 0xffffu));
      lane.first_row = built.rows.rows();
      lane.start = storage->start.span().subspan(from.at, from.size);
      lane.dur = storage->dur.span().subspan(from.at, from.size);
      lane.meta = storage->meta.span().subspan(from.at, from.size);
      storage->ref_bases.push_back(std::move(from.ref_bases));
      lane.ref = storage->ref.span().subspan(from.at, from.size);
      lane.ref_bases = storage->ref_bases.back();
      for (const Kept& piece : from.pieces) built.rows.Add(piece.row, piece.count);
      ++track.lane_count;
    }
    track.rows = track.lane_count;
  }
  ParallelFor(tracks.size(), [&](size_t t) {
    Track& track = tracks[t];
    for (uint32_t i = 0; i < track.lane_count; ++i) {
      const Lane& lane = set.lanes[track.first_lane.value + i];
      const TimeRange range{lane.start.front(), lane.end(lane.size() - 1)};
      track.span = i == 0 ? range
                          : TimeRange{std::min(track.span.begin, range.begin),
                                      std::max(track.span.end, range.end)};
      track.events += lane.size();
      if (lane.kind == LaneKind::kSpill || (lane.kind == LaneKind::kNested && i == 0)) {
        for (const Ps dur : lane.dur) track.busy = SaturatingAdd(track.busy, dur);
      }
    }
  });
  set.tracks = std::move(tracks);
  set.rows = built.rows.rows();
  set.storage = std::move(storage);
  return built;
}

}  // namespace stepscope::store
