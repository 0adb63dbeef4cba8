#include "model/lane_mip.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr uint32_t kMinEvents = 64;              // a lane with fewer events has no pyramid
constexpr uint32_t kPartLevels = 4;              // levels of nodes that one BuildPart fills
constexpr uint32_t kPartLeaves = 8 * 8 * 8 * 8;  // leaves of a part: one node of its last level
static_assert(LaneMip::kFan == 8 && LaneMip::kPartEvents == kPartLeaves * LaneMip::kLeaf);
constexpr uint32_t kScanPerPixel = 15;  // up to so many events per pixel, scanning is faster

// The pixel columns of a view, in exact integers: column p begins at the first ps t with
// (t - begin) * width >= p * length. Works for any view, even one of fewer ps than pixels.
class PixelAxis {
 public:
  PixelAxis(TimeRange view, uint32_t width)
      : begin_(view.begin),
        length_(static_cast<uint64_t>(view.end) - static_cast<uint64_t>(view.begin)),
        width_(width) {}

  uint32_t PixelOf(Ps t) const { return Divide(Offset(t)); }  // t >= view.begin
  uint32_t LastPixel(Ps end) const {
    return Divide(Offset(end), 1);
  }  // the last pixel that an event ending at end > view.begin touches
  // The first ps behind pixel p; at most view.end.
  Ps ColumnEnd(uint32_t p) const {
    const auto product = static_cast<unsigned __int128>(p + uint64_t{1}) * length_ + width_ - 1;
    const uint64_t offset = (product >> 64) == 0 ? static_cast<uint64_t>(product) / width_
                                                 : static_cast<uint64_t>(product / width_);
    return static_cast<Ps>(static_cast<uint64_t>(begin_) + offset);
  }
  // The least duration of a pixel or more.
  uint64_t PixelLength() const { return length_ / width_ + (length_ % width_ != 0); }

 private:
  uint64_t Offset(Ps t) const { return static_cast<uint64_t>(t) - static_cast<uint64_t>(begin_); }
  uint32_t Divide(uint64_t offset, uint32_t minus = 0) const {
    const auto product = static_cast<unsigned __int128>(offset) * width_ - minus;
    const uint64_t p = (product >> 64) == 0 ? static_cast<uint64_t>(product) / length_
                                            : static_cast<uint64_t>(product / length_);
    return static_cast<uint32_t>(std::min<uint64_t>(p, width_ - 1));
  }

  Ps begin_;
  uint64_t length_;
  uint64_t width_;
};

// Durations of disjoint events sum to less than 2^64 ps, which may be more than kMaxPs.
Ps ClampBusy(uint64_t sum) { return static_cast<Ps>(std::min<uint64_t>(sum, kMaxPs)); }

Ps EndOf(const LaneView& lane, size_t event) {
  return SaturatingAdd(lane.start[event], lane.dur[event]);
}

MipLeaf Leaf(const LaneView& lane, uint32_t first, uint32_t last) {
  Ps longest_dur = lane.dur[first];
  uint32_t longest = first;
  uint64_t busy = 0;
  for (uint32_t i = first; i < last; ++i) {
    const Ps dur = lane.dur[i];
    busy += static_cast<uint64_t>(dur);
    longest = dur > longest_dur ? i : longest;
    longest_dur = std::max(dur, longest_dur);
  }
  return {ClampBusy(busy), static_cast<float>(longest_dur), longest};
}

// Sums nodes or leaves [begin, end).
template <typename Below>
MipLeaf SumOf(const Column<Below>& below, size_t begin, size_t end) {
  MipLeaf sum = below[begin];
  for (size_t k = begin + 1; k < end; ++k) {
    if (below[k].longest_dur > sum.longest_dur) {
      sum.longest_dur = below[k].longest_dur;
      sum.longest = below[k].longest;
    }
    sum.busy = SaturatingAdd(sum.busy, below[k].busy);
  }
  return sum;
}

}  // namespace

// The events that one bin has taken so far. `busy` sums whole durations
// and may wrap; Clipped corrects it.
struct Fold {
  uint64_t busy = 0;
  float longest_dur = -1;
  uint32_t longest = 0;

  void Add(uint32_t event, float dur, Ps all_busy) {
    busy += static_cast<uint64_t>(all_busy);
    longest = dur > longest_dur ? event : longest;
    longest_dur = std::max(dur, longest_dur);
  }
};

// Writes the bins of one lane for one view.
class BinWriter {
 public:
  BinWriter(const LaneMip& mip, const LaneView& lane, TimeRange view, uint32_t width,
            std::vector<Bin>* out)
      : leaves_(mip.leaves_),
        levels_(mip.levels_),
        start_(lane.start.data()),
        dur_(lane.dur.data()),
        view_(view),
        axis_(view, width),
        pixel_(axis_.PixelLength()),
        out_(out),
        out_begin_(out->size()) {}

  // [first, last): the events that touch the view. `scan`: read each event instead of the pyramid.
  void Run(uint32_t first, uint32_t last, bool scan);

 private:
  bool AtNode(uint32_t i) const { return !scan_ && i % LaneMip::kLeaf == 0; }
  bool AllShort(const MipLeaf& sums) const { return sums.longest_dur < static_cast<float>(pixel_); }
  // Asks the leaf if one begins at the event: its cache line is read anyway.
  bool Long(uint32_t i) const {
    if (AtNode(i) && AllShort(leaves_[i / LaneMip::kLeaf])) return false;
    return static_cast<uint64_t>(dur_[i]) >= pixel_;
  }
  Ps Clipped(uint32_t i, uint32_t next, uint64_t busy) const;
  uint32_t FoldNodes(uint32_t i, Ps column_end, Fold* fold) const;
  uint32_t FoldColumn(uint32_t i, Ps column_end, Fold* fold) const;
  void Emit(uint32_t first_px, uint32_t last_px, uint32_t event, uint32_t count, Ps busy);

  const Column<MipLeaf>& leaves_;
  const std::vector<Column<MipNode>>& levels_;
  const Ps* const start_;
  const Ps* const dur_;
  const TimeRange view_;
  const PixelAxis axis_;
  const uint64_t pixel_;
  bool scan_ = true;
  std::vector<Bin>* const out_;
  const size_t out_begin_;
  uint32_t first_ = 0, last_ = 0;
};

// The busy time of events [i, next) inside the view. Only the very first and the
// very last event can reach out of it.
Ps BinWriter::Clipped(uint32_t i, uint32_t next, uint64_t busy) const {
  if (i == first_ && start_[i] < view_.begin) {
    busy -= static_cast<uint64_t>(view_.begin) - static_cast<uint64_t>(start_[i]);
  }
  if (next == last_) {
    const Ps end = SaturatingAdd(start_[next - 1], dur_[next - 1]);
    if (end > view_.end) busy -= static_cast<uint64_t>(end) - static_cast<uint64_t>(view_.end);
  }
  return ClampBusy(busy);
}

// Folds whole nodes, from event i on, that begin in the column and end at most a quarter of a pixel
// behind it. Returns the first event that it did not fold. That quarter keeps columns on the
// borders of nodes, so that hardly any single event is read. It climbs to a larger node if one
// begins at i and fits, so a column takes O(log n) however many events it has.
uint32_t BinWriter::FoldNodes(uint32_t i, Ps column_end, Fold* fold) const {
  const Ps limit =
      column_end < view_.end ? SaturatingAdd(column_end, static_cast<Ps>(pixel_ / 4)) : column_end;
  constexpr uint32_t kLeaf = LaneMip::kLeaf;
  const auto leaf_fits = [&] {
    if (i % kLeaf != 0 || last_ - i < kLeaf || start_[i] >= column_end) return false;
    const uint32_t end = i + kLeaf - 1;
    return AllShort(leaves_[i / kLeaf]) && SaturatingAdd(start_[end], dur_[end]) <= limit;
  };
  const auto fits = [&](size_t at, uint32_t events) {
    if (i % events != 0 || last_ - i < events) return false;
    const MipNode& node = levels_[at][i / events];
    return node.end <= limit && node.begin < column_end && AllShort(node);
  };
  size_t height = 0;      // 0: of leaves, else one more than the level
  uint32_t size = kLeaf;  // events of a leaf or node there
  for (;;) {
    if (height < levels_.size() && fits(height, size * LaneMip::kFan)) {
      ++height;
      size *= LaneMip::kFan;
    } else if (height == 0 ? leaf_fits() : fits(height - 1, size)) {
      const MipLeaf& sums = height == 0 ? leaves_[i / size] : levels_[height - 1][i / size];
      fold->Add(sums.longest, sums.longest_dur, sums.busy);
      i += size;
    } else if (height == 0) {
      return i;
    } else {
      --height;
      size /= LaneMip::kFan;
    }
  }
}

// Folds the short events, from event i on, that begin in the column. Returns
// the first event that it did not fold.
uint32_t BinWriter::FoldColumn(uint32_t i, Ps column_end, Fold* fold) const {
  if (scan_) {  // the same loop without nodes, because a frame sends millions of events through it
    const uint32_t last = last_;
    const uint64_t pixel = pixel_;
    Fold local = *fold;
    for (; i < last && start_[i] < column_end && static_cast<uint64_t>(dur_[i]) < pixel; ++i) {
      local.Add(i, static_cast<float>(dur_[i]), dur_[i]);
    }
    *fold = local;
    return i;
  }
  bool nodes = true;  // after one series of nodes less than a node is left of the column
  while (i < last_ && start_[i] < column_end && !Long(i)) {
    if (nodes && AtNode(i)) {
      nodes = false;
      const uint32_t next = FoldNodes(i, column_end, fold);
      if (next != i) {
        i = next;
        continue;
      }
    }
    fold->Add(i, static_cast<float>(dur_[i]), dur_[i]);
    ++i;
  }
  return i;
}

void BinWriter::Run(uint32_t first, uint32_t last, bool scan) {
  first_ = first;
  last_ = last;
  scan_ = scan;
  for (uint32_t i = first; i < last;) {
    const uint32_t px = axis_.PixelOf(std::max(start_[i], view_.begin));
    if (Long(i)) {
      const Ps end = std::min(SaturatingAdd(start_[i], dur_[i]), view_.end);
      const Ps busy = Clipped(i, i + 1, static_cast<uint64_t>(dur_[i]));
      Emit(px, std::max(px, axis_.LastPixel(end)), i, 1, busy);
      ++i;
      continue;
    }
    Fold fold;
    const uint32_t next = FoldColumn(i, axis_.ColumnEnd(px), &fold);
    Emit(px, px, fold.longest, next - i, Clipped(i, next, fold.busy));
    i = next;
  }
}

void BinWriter::Emit(uint32_t first_px, uint32_t last_px, uint32_t event, uint32_t count, Ps busy) {
  if (out_->size() > out_begin_) {
    Bin& before = out_->back();
    if (before.px + before.width > first_px) {
      if (before.width > 1) {
        --before.width;
      } else if (last_px > first_px) {
        ++first_px;
      } else {
        if (dur_[event] > dur_[before.event]) before.event = event;
        before.count += count;
        before.busy = SaturatingAdd(before.busy, busy);
        return;
      }
    }
  }
  out_->push_back({first_px, last_px - first_px + 1, event, count, busy});
}

std::pair<uint32_t, uint32_t> EventsTouching(const LaneView& lane, TimeRange range) {
  const auto begin = lane.start.begin();
  uint32_t first =
      static_cast<uint32_t>(std::lower_bound(begin, lane.start.end(), range.begin) - begin);
  if (range.empty()) return {first, first};
  const uint32_t last =
      static_cast<uint32_t>(std::lower_bound(begin + first, lane.start.end(), range.end) - begin);
  if (first > 0 && EndOf(lane, first - 1) > range.begin) --first;
  return {first, last};
}

uint32_t LaneMip::Prepare(const LaneView& lane) {
  leaves_.Release();
  levels_.clear();
  const size_t n = lane.start.size();
  if (n < kMinEvents) return 0;
  const size_t leaves = (n + kLeaf - 1) / kLeaf;
  leaves_.Resize(leaves);
  for (size_t nodes = leaves; nodes > kFan;) {
    nodes = (nodes + kFan - 1) / kFan;
    levels_.emplace_back().Resize(nodes);
  }
  return static_cast<uint32_t>((leaves + kPartLeaves - 1) / kPartLeaves);
}

void LaneMip::BuildPart(const LaneView& lane, uint32_t part) {
  const uint32_t n = static_cast<uint32_t>(lane.start.size());
  size_t begin = size_t{part} * kPartLeaves, end = std::min(leaves_.size(), begin + kPartLeaves);
  for (size_t leaf = begin; leaf < end; ++leaf) {
    const uint32_t first = static_cast<uint32_t>(leaf) * kLeaf;
    leaves_[leaf] = Leaf(lane, first, first + std::min(kLeaf, n - first));
  }
  for (size_t level = 0; level < std::min<size_t>(kPartLevels, levels_.size()); ++level) {
    begin /= kFan;
    end = (end + kFan - 1) / kFan;
    if (level == 0) {
      FillFirst(lane, begin, end);
    } else {
      FillLevel(level, begin, end);
    }
  }
}

void LaneMip::Finish() {
  for (size_t level = kPartLevels; level < levels_.size(); ++level)
    FillLevel(level, 0, levels_[level].size());
}

void LaneMip::FillFirst(const LaneView& lane, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const size_t last = std::min(leaves_.size(), (i + 1) * kFan);
    const size_t behind = std::min(lane.start.size(), last * kLeaf);
    levels_[0][i] = {SumOf(leaves_, i * kFan, last), lane.start[i * kFan * kLeaf],
                     EndOf(lane, behind - 1)};
  }
}

void LaneMip::FillLevel(size_t level, size_t begin, size_t end) {
  const Column<MipNode>& below = levels_[level - 1];
  for (size_t i = begin; i < end; ++i) {
    const size_t last = std::min(below.size(), (i + 1) * kFan);
    levels_[level][i] = {SumOf(below, i * kFan, last), below[i * kFan].begin, below[last - 1].end};
  }
}

void LaneMip::Build(const LaneView& lane) {
  const uint32_t parts = Prepare(lane);
  for (uint32_t part = 0; part < parts; ++part) BuildPart(lane, part);
  Finish();
}

void LaneMip::AppendBins(const LaneView& lane, TimeRange view, uint32_t width_px,
                         std::vector<Bin>* out) const {
  if (width_px == 0 || view.empty()) return;
  const auto [first, last] = EventsTouching(lane, view);
  const bool scan = leaves_.empty() || last - first <= uint64_t{kScanPerPixel} * width_px;
  BinWriter(*this, lane, view, width_px, out).Run(first, last, scan);
}

Ps LaneMip::BusyIn(const LaneView& lane, TimeRange range) const {
  const auto touching = EventsTouching(lane, range);
  // Clang 14 captures no structured bindings
  uint32_t first = touching.first, last = touching.second;
  const auto inside = [&](uint32_t i) {
    return SaturatingSub(std::min(EndOf(lane, i), range.end), std::max(lane.start[i], range.begin));
  };
  if (first == last) return 0;
  Ps sum = inside(first);  // only the first and the last event may reach out of the range
  if (++first == last) return sum;
  sum = SaturatingAdd(sum, inside(--last));
  const auto add_events = [&](uint32_t to) {
    for (; first < to; ++first) sum = SaturatingAdd(sum, lane.dur[first]);
  };
  size_t height = 0;  // 0: of leaves, else one more than the level
  uint64_t size = kLeaf;
  if (!leaves_.empty()) {
    add_events(static_cast<uint32_t>(
        std::min<uint64_t>(last, (first + uint64_t{kLeaf} - 1) / kLeaf * kLeaf)));
    while (first < last) {  // climbs while whole nodes of the next level fit, then descends
      while (height < levels_.size() && first % (size * kFan) == 0 && last - first >= size * kFan) {
        ++height;
        size *= kFan;
      }
      while (height > 0 && last - first < size) {
        --height;
        size /= kFan;
      }
      if (last - first < size) break;
      const MipLeaf& sums = height == 0 ? leaves_[first / size] : levels_[height - 1][first / size];
      sum = SaturatingAdd(sum, sums.busy);
      first += static_cast<uint32_t>(size);
    }
  }
  add_events(last);
  return sum;
}

size_t LaneMip::bytes() const {
  size_t sum = leaves_.size() * sizeof(MipLeaf) + levels_.capacity() * sizeof(levels_[0]);
  for (const auto& level : levels_) sum += level.size() * sizeof(MipNode);
  return sum;
}

}  // namespace stepscope
