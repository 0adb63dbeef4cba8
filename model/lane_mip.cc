#include "model/lane_mip.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr uint32_t kMinEvents = 64;              // below, no pyramid
constexpr uint32_t kPartLevels = 5;              // levels that one BuildPart fills
constexpr uint32_t kPartLeaves = 8 * 8 * 8 * 8;  // leaves of a part: one node of its last level
static_assert(LaneMip::kFan == 8 && LaneMip::kPartEvents == kPartLeaves * LaneMip::kLeaf);
constexpr uint32_t kScanPerPixel =
    15;  // up to so many events a pixel, scanning beats the pyramid (docs/build.md)

// Pixel columns of a view, exact in integers: column p begins at the first ps t with
// (t - begin) * width >= p * length. Works for any view, also one of fewer ps than pixels.
class PixelAxis {
 public:
  PixelAxis(TimeRange view, uint32_t width)
      : begin_(view.begin),
        length_(static_cast<uint64_t>(view.end) - static_cast<uint64_t>(view.begin)),
        width_(width) {}

  uint32_t PixelOf(Ps t) const { return Divide(Offset(t)); }  // t >= view.begin
  uint32_t LastPixel(Ps end) const {
    return Divide(Offset(end), 1);
  }  // touched by a time before end > begin
  // The first ps that belongs to a pixel after p. At most view.end.
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

MipNode EmptyNode(Ps begin, uint32_t longest) { return {begin, begin, 0, longest, 0}; }

void AddLeaf(const LaneView& lane, uint32_t first, uint32_t last, MipNode* node) {
  *node = EmptyNode(lane.start[first], first);
  Ps longest = -1, busy = 0;
  for (uint32_t i = first; i < last; ++i) {
    const Ps dur = lane.dur[i];
    busy = SaturatingAdd(busy, dur);
    if (dur > longest) {
      longest = dur;
      node->longest = i;
    }
  }
  node->busy = busy;
  node->end = SaturatingAdd(lane.start[last - 1], lane.dur[last - 1]);
  node->count = last - first;
}

}  // namespace

// What a fold knows of its events so far.
struct Fold {
  Ps busy = 0;
  Ps longest = -1;
  uint32_t event = 0;

  void Add(uint32_t i, Ps dur, Ps busy_inside) {
    busy = SaturatingAdd(busy, busy_inside);
    if (dur > longest) {
      longest = dur;
      event = i;
    }
  }
};

// Writes the bins of one lane and view. Keeps no state but its position in the output.
class BinWriter {
 public:
  BinWriter(const LaneMip& mip, const LaneView& lane, TimeRange view, uint32_t width,
            std::vector<Bin>* out)
      : levels_(mip.levels_),
        lane_(lane),
        view_(view),
        axis_(view, width),
        out_(out),
        out_begin_(out->size()) {
    pixel_ = axis_.PixelLength();
  }

  void Run(uint32_t first, uint32_t last, bool scan);

 private:
  Ps End(uint32_t i) const { return SaturatingAdd(lane_.start[i], lane_.dur[i]); }
  bool Long(uint32_t i) const { return static_cast<uint64_t>(lane_.dur[i]) >= pixel_; }
  Ps Inside(uint32_t i) const {
    return SaturatingSub(std::min(End(i), view_.end), std::max(lane_.start[i], view_.begin));
  }
  uint32_t Skip(uint32_t i, uint32_t last, Ps column_end, Fold* fold) const;
  void Emit(uint32_t first_px, uint32_t last_px, uint32_t event, uint32_t count, Ps busy);

  const std::vector<Column<MipNode>>& levels_;
  const LaneView& lane_;
  const TimeRange view_;
  const PixelAxis axis_;
  std::vector<Bin>* out_;
  const size_t out_begin_;
  uint64_t pixel_ = 0;
};

// Folds whole nodes from event i on that end before the column does (one that ends with it may hold
// an instant of the next); returns the first event not folded. Climbs where i is at a larger node's
// beginning that fits too, so a column costs O(log n) however many events it has.
uint32_t BinWriter::Skip(uint32_t i, uint32_t last, Ps column_end, Fold* fold) const {
  size_t level = 0;
  uint32_t size = LaneMip::kLeaf;  // events of a node at `level`
  const auto fits = [&](size_t at, uint32_t events) {
    return i % events == 0 && last - i >= events && levels_[at][i / events].end < column_end;
  };
  for (;;) {
    if (level + 1 < levels_.size() && fits(level + 1, size * LaneMip::kFan)) {
      ++level;
      size *= LaneMip::kFan;
    } else if (fits(level, size)) {
      const MipNode& node = levels_[level][i / size];
      fold->Add(node.longest, lane_.dur[node.longest], node.busy);
      i += size;
    } else if (level == 0) {
      return i;
    } else {
      --level;
      size /= LaneMip::kFan;
    }
  }
}

void BinWriter::Run(uint32_t first, uint32_t last, bool scan) {
  for (uint32_t i = first; i < last;) {
    const Ps start = std::max(lane_.start[i], view_.begin);
    const uint32_t px = axis_.PixelOf(start);
    if (Long(i)) {
      const uint32_t last_px = std::max(px, axis_.LastPixel(std::min(End(i), view_.end)));
      Emit(px, last_px, i, 1, Inside(i));
      ++i;
      continue;
    }
    const Ps column_end = axis_.ColumnEnd(px);
    const uint32_t fold_first = i;
    Fold fold;
    fold.Add(i, lane_.dur[i], Inside(i));
    ++i;
    bool skipped = scan;
    while (i < last && lane_.start[i] < column_end && !Long(i)) {
      if (!skipped && i % LaneMip::kLeaf == 0) {
        skipped = true;
        const uint32_t next = Skip(i, last, column_end, &fold);
        if (next != i) {
          i = next;
          continue;
        }
      }
      fold.Add(i, lane_.dur[i], Inside(i));
      ++i;
    }
    Emit(px, px, fold.event, i - fold_first, fold.busy);
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
        if (lane_.dur[event] > lane_.dur[before.event]) before.event = event;
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
  if (first > 0 && SaturatingAdd(lane.start[first - 1], lane.dur[first - 1]) > range.begin) --first;
  return {first, last};
}

uint32_t LaneMip::Prepare(const LaneView& lane) {
  levels_.clear();
  const size_t n = lane.start.size();
  if (n < kMinEvents) return 0;
  size_t nodes = (n + kLeaf - 1) / kLeaf;
  const size_t leaves = nodes;
  for (;; nodes = (nodes + kFan - 1) / kFan) {
    levels_.emplace_back().Resize(nodes);
    if (nodes <= kFan) break;
  }
  return static_cast<uint32_t>((leaves + kPartLeaves - 1) / kPartLeaves);
}

void LaneMip::BuildPart(const LaneView& lane, uint32_t part) {
  Column<MipNode>& leaves = levels_[0];
  const uint32_t n = static_cast<uint32_t>(lane.start.size());
  size_t begin = size_t{part} * kPartLeaves, end = std::min(leaves.size(), begin + kPartLeaves);
  for (size_t leaf = begin; leaf < end; ++leaf) {
    const uint32_t first = static_cast<uint32_t>(leaf) * kLeaf;
    AddLeaf(lane, first, first + std::min(kLeaf, n - first), &leaves[leaf]);
  }
  for (size_t level = 1; level < std::min<size_t>(kPartLevels, levels_.size()); ++level) {
    begin /= kFan;
    end = (end + kFan - 1) / kFan;
    FillLevel(lane, level, begin, end);
  }
}

void LaneMip::Finish(const LaneView& lane) {
  for (size_t level = kPartLevels; level < levels_.size(); ++level)
    FillLevel(lane, level, 0, levels_[level].size());
}

void LaneMip::FillLevel(const LaneView& lane, size_t level, size_t begin, size_t end) {
  const Column<MipNode>& below = levels_[level - 1];
  for (size_t i = begin; i < end; ++i) {
    const size_t last = std::min(below.size(), (i + 1) * kFan);
    MipNode node = below[i * kFan];
    for (size_t k = i * kFan + 1; k < last; ++k) {
      if (lane.dur[below[k].longest] > lane.dur[node.longest]) node.longest = below[k].longest;
      node.busy = SaturatingAdd(node.busy, below[k].busy);
      node.count += below[k].count;
    }
    node.end = below[last - 1].end;
    levels_[level][i] = node;
  }
}

void LaneMip::Build(const LaneView& lane) {
  const uint32_t parts = Prepare(lane);
  for (uint32_t part = 0; part < parts; ++part) BuildPart(lane, part);
  Finish(lane);
}

void LaneMip::AppendBins(const LaneView& lane, TimeRange view, uint32_t width_px,
                         std::vector<Bin>* out) const {
  if (width_px == 0 || view.empty()) return;
  const auto [first, last] = EventsTouching(lane, view);
  const bool scan = levels_.empty() || last - first <= uint64_t{kScanPerPixel} * width_px;
  BinWriter(*this, lane, view, width_px, out).Run(first, last, scan);
}

Ps LaneMip::BusyIn(const LaneView& lane, TimeRange range) const {
  auto [first, last] = EventsTouching(lane, range);
  const auto inside = [&](uint32_t i) {
    const Ps end = SaturatingAdd(lane.start[i], lane.dur[i]);
    return SaturatingSub(std::min(end, range.end), std::max(lane.start[i], range.begin));
  };
  if (first == last) return 0;
  Ps sum = inside(first);  // only the first and the last event can be clipped
  if (++first == last) return sum;
  sum = SaturatingAdd(sum, inside(--last));
  const auto add_events = [&](uint32_t to) {
    for (; first < to; ++first) sum = SaturatingAdd(sum, lane.dur[first]);
  };
  size_t level = 0;
  uint64_t size = kLeaf;
  if (!levels_.empty()) {
    add_events(static_cast<uint32_t>(
        std::min<uint64_t>(last, (first + uint64_t{kLeaf} - 1) / kLeaf * kLeaf)));
    while (first < last) {  // up while whole nodes of the next level fit, then down
      while (level + 1 < levels_.size() && first % (size * kFan) == 0 &&
             last - first >= size * kFan) {
        ++level;
        size *= kFan;
      }
      while (level > 0 && last - first < size) {
        --level;
        size /= kFan;
      }
      if (last - first < size) break;
      sum = SaturatingAdd(sum, levels_[level][first / size].busy);
      first += static_cast<uint32_t>(size);
    }
  }
  add_events(last);
  return sum;
}

size_t LaneMip::bytes() const {
  size_t sum = levels_.capacity() * sizeof(levels_[0]);
  for (const auto& level : levels_) sum += level.size() * sizeof(MipNode);
  return sum;
}

}  // namespace stepscope
