#include "viewer/timeline/slices/draw_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "model/base/check.h"
#include "model/base/key_table.h"
#include "model/jobs/job.h"
#include "viewer/timeline/slices/plan_area.h"

namespace stepscope {
namespace {

constexpr size_t kRowsForThreads = 24;  // below, starting a thread costs more than it saves
constexpr float kGapGrey = 0.5f;        // between the ground and muted text
constexpr float kIdleShare = 0.6f;      // of the colour of its loss, the rest is the ground
constexpr uint32_t kGapFrom = 4;        // slices at least this wide give a column to the gap

PlanRowKey KeyOf(const PlanInput& input, const LayoutItem& item, uint32_t depth) {
  const uint32_t id =
      item.kind == LayoutItemKind::kPlaneHeading ? item.plane.value : item.track.value;
  // The first row shows another lane while outer frames are one row, and a stripe has other
  // colours.
  const uint32_t look = FirstDepth(item) << 16 | (item.thin ? 1u << 31 : 0u);
  return {input.profiles[item.profile].id, item.kind, item.set, id, depth | look};
}

// Returns the kind whose colour the derived track has in other places; null for none.
constexpr std::pair<DerivedTrackKind, std::optional<Kind>> kLaneKinds[] = {
    {DerivedTrackKind::kUtilisation, Kind::kDeviceCompute},
    {DerivedTrackKind::kQueue, Kind::kKernelLaunch},
    {DerivedTrackKind::kLaunchDelay, Kind::kKernelLaunch},
    {DerivedTrackKind::kMemory, Kind::kHeap}};

// The utilisation that a row shows: its own, or that of the plane that it heads.
UtilisationTrack UtilisationIn(const PlanInput& input, const LayoutItem& item) {
  const Profile& profile = input.profiles[item.profile];
  if (item.kind == LayoutItemKind::kPlaneHeading) return UtilisationOf(profile, item.plane);
  const TrackSet& set = profile.Set(item.set);
  return {&set, &set.tracks[item.track.value]};
}

// Whether the item holds what no recording holds. Its slices are drawn by the time that they cover:
// microseconds between kernels, each a column wide, would make a busy GPU look idle.
bool IsDerived(const PlanInput& input, const LayoutItem& item) {
  if (item.rest != nullptr) return false;
  return item.set != 0 ||
         input.profiles[item.profile].trace->set.tracks[item.track.value].derived_in_file;
}

// Slices longer than this span most of the trace and are drawn grey: a program's main function
// encloses everything that its thread does. kMaxPs: no slice is that long.
Ps AllTheTime(const PlanInput& input, const LayoutItem& item) {
  const Trace& trace = *input.profiles[item.profile].trace;
  if (item.set != 0 || !item.plane.valid() || item.depth < 2) return kMaxPs;
  if (IsDevice(trace.planes[item.plane.value].kind)) return kMaxPs;
  const Lane* outermost = LaneAt(trace.set, item, 0);
  if (outermost == nullptr || outermost->size() == 0) return kMaxPs;
  const Ps length = outermost->end(outermost->size() - 1) - outermost->start.front();
  return length < trace.span.length() / 2 ? kMaxPs : length - length / 20;
}

// The same limit for Python functions. Other events, such as the end of the profiler, can make
// the thread longer than its main function.
Ps AllTheTimeOfPython(const PlanInput& input, const LayoutItem& item) {
  const bool own = item.set == 0 && item.plane.valid() && item.depth >= 2;
  const Ps span = input.profiles[item.profile].trace->span.length();
  return own ? span - span / 4 : kMaxPs;
}

}  // namespace

// The colours of the slices of an item, by meta: the colour of the name, or of how the name
// changed. A slice that spans most of the trace and encloses others is grey.
class DrawPlan::SliceColors {
 public:
  SliceColors(const DrawPlan& plan, const PlanInput& input, const LayoutItem& item)
      : plan_(plan),
        names_(input.names->Colors(*input.profiles[item.profile].Set(item.set).names)),
        changes_(plan.ChangesOf(input, item)),
        metas_(input.profiles[item.profile].Set(item.set).names->metas),
        all_the_time_(AllTheTime(input, item)),
        python_(AllTheTimeOfPython(input, item)),
        deepest_(item.depth + FirstDepth(item)),
        frames_(item.frames_in_one ? item.frames : 0),
        kinds_(plan.KindsOf(input, item)),
        idle_(item.lane == DerivedTrackKind::kIdle),
        theme_(input.names->theme()),
        grey_(Mix(input.names->theme()[Role::kPanel], input.names->theme()[Role::kText3],
                  kGapGrey)) {}
  Rgba operator()(const Lane& lane, uint32_t event) const {
    const Ps dur = lane.dur[event];
    const bool always =
        dur >= all_the_time_ ||
        (dur >= python_ && metas_[lane.meta[event]].category == EventCategory::kPythonFunction);
    const bool frames = lane.depth < frames_;
    const bool grey = frames || (always && lane.depth + 1u < deepest_);
    return grey && !plan_.patterns_ ? grey_ : (*this)(lane.meta[event]);
  }
  Rgba operator()(uint32_t meta) const {
    if (kinds_ != nullptr && meta < kinds_->size()) return theme_[(*kinds_)[meta]];
    if (plan_.patterns_ && changes_ != nullptr)
      return plan_.tint_colors_(meta < changes_->size() ? (*changes_)[meta] : NameChange());
    const Rgba color = idle_ ? Quieter(names_(meta)) : names_(meta);
    return plan_.patterns_ ? texel::WithPattern(color, texel::Pattern::kPlain) : color;
  }

 private:
  // Time without work is quieter than work. A slice of it mostly has the name of the slice before,
  // so the last mix is kept.
  Rgba Quieter(Rgba color) const {
    if (std::exchange(loud_, color) != color) quiet_ = Mix(theme_[Role::kPanel], color, kIdleShare);
    return quiet_;
  }

  const DrawPlan& plan_;
  const NameColors names_;
  const std::vector<NameChange>* changes_;
  std::span<const EventMeta> metas_;
  const Ps all_the_time_, python_;
  const uint32_t deepest_, frames_;
  const std::vector<Kind>* kinds_;  // null: colours of names
  const bool idle_;
  const Theme& theme_;
  const Rgba grey_;
  mutable Rgba loud_ = 0, quiet_ = 0;  // the last colour and its mix; names_ never gives 0
};

void DrawPlan::Clear() {
  cache_.clear();
  kinds_.clear();
  rows_.clear();
  labels_.clear();
  marks_.clear();
  last_rows_.clear();
}

const std::vector<Kind>* DrawPlan::KindsOf(const PlanInput& input, const LayoutItem& item) const {
  if (!item.thin || patterns_) return nullptr;
  const auto found = kinds_.find(input.profiles[item.profile].Set(item.set).names.get());
  return found != kinds_.end() ? &found->second : nullptr;
}

// Finds the kinds of events once for each trace whose ranks are stripes. O(names)
void DrawPlan::LearnKinds(const PlanInput& input) {
  // A table may go, and another take its place in memory.
  if (std::exchange(kinds_content_, input.content_generation) != input.content_generation)
    kinds_.clear();
  for (const PlanRow& row : rows_) {
    const LayoutItem& item = input.layout->items()[row.item];
    if (!item.thin) continue;
    const NameTable& names = *input.profiles[item.profile].Set(item.set).names;
    auto& kinds = kinds_[&names];
    for (size_t m = kinds.size(); m < names.metas.size(); ++m) {
      const EventMeta& meta = names.metas[m];
      kinds.push_back(WorkKind(WorkPartOf(names.strings.View(meta.name), meta.category)));
    }
  }
}

// Idle time keeps the colours of its classes, so it has no changes.
const std::vector<NameChange>* DrawPlan::ChangesOf(const PlanInput& input,
                                                   const LayoutItem& item) const {
  if (!patterns_ || item.lane != DerivedTrackKind::kNone) return nullptr;
  return input.tints->Of(input.profiles[item.profile].id, item.set);
}

void DrawPlan::Build(const PlanInput& input) {
  STEPSCOPE_DCHECK(input.layout != nullptr && input.names != nullptr);
  STEPSCOPE_DCHECK(input.axes.size() == input.profiles.size());
  ++frame_;
  width_ = input.width;
  patterns_ = input.tints != nullptr && input.tints->on();
  if (patterns_ && tint_names_ != input.names->generation()) {
    tint_colors_ = TintColors(input.names->theme());
    tint_names_ = input.names->generation();
  }
  input.names->Trim();
  CollectRows(input);
  LearnKinds(input);
  FindStale(input);
  const unsigned threads = work_.size() >= kRowsForThreads ? input.threads : 1;
  if (threads == 1) {
    for (Work& work : work_) FillRow(input, work);
  } else {
    ParallelFor(
        work_.size(), [&](size_t i) { FillRow(input, work_[i]); }, threads);
  }
  Compose(input);
  PlaceLabels(input);
}

void DrawPlan::CollectRows(const PlanInput& input) {
  rows_.clear();
  const Layout& layout = *input.layout;
  const double bottom = input.scroll + static_cast<double>(input.height);
  const auto [first, last] = layout.Visible(input.scroll, bottom);
  const auto sticks = [&](size_t i) {
    return std::any_of(input.sticky.begin(), input.sticky.end(),
                       [i](const StickyItem& sticky) { return sticky.item == i; });
  };
  for (size_t i = first; i < last; ++i) {
    if (!sticks(i)) AddRows(input, i, layout.items()[i].y - input.scroll);
  }
  below_ = rows_.size();
  for (const StickyItem& sticky : input.sticky)
    AddRows(input, sticky.item, sticky.y - input.scroll);
}

void DrawPlan::AddRows(const PlanInput& input, size_t i, double top) {
  const Layout& layout = *input.layout;
  const LayoutItem& item = layout.items()[i];
  PlanRow row;
  row.item = static_cast<uint32_t>(i);
  if (item.kind == LayoutItemKind::kPlaneHeading || item.kind == LayoutItemKind::kCounter) {
    row.kind = TexelLine::kArea;
    row.y = static_cast<float>(std::floor(top)) + 2;
    row.height = item.height - 3;
    const bool stack =
        item.kind == LayoutItemKind::kPlaneHeading || item.lane == DerivedTrackKind::kUtilisation;
    if (stack && UtilisationIn(input, item).HasParts()) row.kind = TexelLine::kStack;
    rows_.push_back(row);
  } else if (item.kind == LayoutItemKind::kTrack) {
    const double row_height = static_cast<double>(layout.RowHeight(item));
    // Only depths in sight are filled, because a track may have thousands.
    const auto skip = static_cast<uint32_t>(std::max(0.0, std::floor(-top / row_height)));
    const TrackSet& set = input.profiles[item.profile].Set(item.set);
    for (uint32_t depth = skip; depth < item.rows; ++depth) {
      row.depth = depth;
      row.y = static_cast<float>(std::floor(top + row_height * depth));
      row.height = layout.RowHeight(item);
      if (row.y >= static_cast<float>(input.height)) break;
      row.lane = LaneAt(set, item, depth);
      rows_.push_back(row);
    }
  }
}

void DrawPlan::FindStale(const PlanInput& input) {
  row_cache_.clear();
  size_t used = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const LayoutItem& item = input.layout->items()[rows_[i].item];
    const TimeRange view = input.axes[item.profile].view();
    Cached& cached = cache_[KeyOf(input, item, rows_[i].depth)];
    const uint64_t highlight = input.highlight != nullptr ? input.highlight->version : 0;
    const bool fresh = cached.view == view && cached.width == input.width &&
                       cached.names == input.names->generation() && cached.highlight == highlight &&
                       cached.content == input.content_generation;
    row_cache_.push_back(&cached);
    if (!fresh) {
      cached.view = view;
      cached.width = input.width;
      cached.names = input.names->generation();
      cached.highlight = highlight;
      cached.content = input.content_generation;
      if (used == work_.size()) work_.emplace_back();
      work_[used].cached = &cached;
      work_[used].row = static_cast<uint32_t>(i);
      ++used;
    }
    cached.used = frame_;
  }
  work_.resize(used);
  // Rows that scrolled away are kept until there are too many of them.
  if (cache_.size() > 4 * rows_.size() + 256) {
    std::erase_if(cache_, [&](const auto& entry) { return entry.second.used != frame_; });
  }
}

void DrawPlan::FillRow(const PlanInput& input, Work& work) const {
  const PlanRow& row = rows_[work.row];
  const LayoutItem& item = input.layout->items()[row.item];
  Cached& cached = *work.cached;
  cached.texels.assign(input.width, texel::kEmpty);
  cached.alone.clear();
  cached.marks.clear();
  if (item.kind == LayoutItemKind::kPlaneHeading) {
    FillArea(input, item, work);
  } else if (item.kind == LayoutItemKind::kCounter) {
    FillCounter(input, item, cached);
  } else {
    FillSlices(input, item, row, work);
    FillInstants(input, item, row, work);
  }
}

void DrawPlan::FillSlices(const PlanInput& input, const LayoutItem& item, const PlanRow& row,
                          Work& work) const {
  if (row.lane == nullptr) return;
  const TimeAxis& axis = input.axes[item.profile];
  Cached& cached = *work.cached;
  work.bins.clear();
  row.lane->mip.AppendBins(row.lane->view(), axis.view(), input.width, &work.bins);
  const bool dimming = input.highlight != nullptr && input.highlight->version != 0;
  const uint32_t flags = dimming ? texel::kDim : 0;
  const SliceColors color_of(*this, input, item);
  const bool gaps = item.lane == DerivedTrackKind::kNone;  // idle time lies side by side
  for (const Bin& bin : work.bins) {
    if (bin.px >= input.width) continue;
    const uint32_t end = std::min(input.width, bin.px + std::max<uint32_t>(bin.width, 1));
    const Rgba color =
        bin.count == 1 ? color_of(*row.lane, bin.event) : color_of(row.lane->meta[bin.event]);
    uint32_t coverage = texel::kOpaque;
    if (bin.count > 1) {
      const double share = std::min(1.0, static_cast<double>(bin.busy) / axis.ps_per_px() /
                                             static_cast<double>(end - bin.px));
      coverage = static_cast<uint32_t>(24.0 + 39.0 * share);
    }
    std::fill(cached.texels.begin() + bin.px, cached.texels.begin() + end,
              texel::Make(color, coverage, flags));
    if (bin.count != 1) continue;
    const bool ends_inside = row.lane->end(bin.event) < axis.view().end;
    if (end - bin.px >= kGapFrom && ends_inside && gaps) {
      cached.texels[end - 1] = texel::Make(color, coverage, flags | texel::kEdge);
    }
    if (end - bin.px >= kMinAlone) cached.alone.push_back({bin.px, end - bin.px, bin.event});
  }
  if (IsDerived(input, item)) CoverByTime(*row.lane, work.bins, axis, &work.shares, cached.texels);
  if (!dimming) return;
  const uint32_t numbering = item.rest != nullptr ? WithoutPython::kSet : item.set;
  if (const auto* hits = input.highlight->Find(input.profiles[item.profile].id, numbering)) {
    Brighten(*row.lane, *hits, axis, cached.texels);
  }
}

void DrawPlan::FillInstants(const PlanInput& input, const LayoutItem& item, const PlanRow& row,
                            Work& work) const {
  const TrackSet& set = input.profiles[item.profile].Set(item.set);
  const bool dimming = input.highlight != nullptr && input.highlight->version != 0;
  std::vector<PlanMark>& marks = work.cached->marks;
  const SliceColors color_of(*this, input, item);
  for (const Lane& lane : InstantLanes(set, item)) {
    // Instants are drawn in the track's first row, whatever row their parents have.
    if (row.depth != 0) continue;
    work.bins.clear();
    lane.mip.AppendBins(lane.view(), input.axes[item.profile].view(), input.width, &work.bins);
    float next = 0;  // marks that are closer would be a smear
    for (const Bin& bin : work.bins) {
      if (bin.px >= input.width) continue;
      const Rgba color = color_of(lane.meta[bin.event]);
      uint32_t& out = work.cached->texels[bin.px];
      if (texel::Alpha(out) == 0) {
        out = texel::Make(color, texel::kOpaque, dimming ? texel::kDim : 0);
      } else if (const auto x = static_cast<float>(bin.px); x >= next) {
        marks.push_back({x, 0, color});
        next = x + kMarkDistance;
      }
    }
    if (!dimming) continue;
    if (const auto* hits = input.highlight->Find(input.profiles[item.profile].id, item.set)) {
      Brighten(lane, *hits, input.axes[item.profile], work.cached->texels);
    }
  }
}

void DrawPlan::FillArea(const PlanInput& input, const LayoutItem& item, Work& work) const {
  const PlaneActivity activity = PlaneActivityInView(
      input.profiles[item.profile], item.plane, input.axes[item.profile], input.width, &work.bins);
  work.cached->utilisation = activity.mean;
  if (activity.share.empty()) return;
  const Theme& theme = input.names->theme();
  const std::span<uint32_t> texels = work.cached->texels;
  if (!activity.parts.parts.empty()) return DrawStack(activity.parts, texels);
  DrawCurve(activity.share, theme[WorkKind(activity)], texels);
}

void DrawPlan::FillCounter(const PlanInput& input, const LayoutItem& item, Cached& cached) const {
  const TrackSet& set = input.profiles[item.profile].Set(item.set);
  const Track& track = set.tracks[item.track.value];
  if (track.counters.empty()) return;
  const TimeAxis& axis = input.axes[item.profile];
  const Theme& theme = input.names->theme();
  const bool share = item.lane == DerivedTrackKind::kUtilisation;
  if (share && track.counters.size() > 1)
    return DrawStack(StackUtilisation({&set, &track}, axis, input.width), cached.texels);
  const CounterSeries& series = track.counters.front();
  const std::optional<Kind> kind = FindValue(kLaneKinds, item.lane, std::nullopt);
  const Rgba color = kind ? theme[*kind] : theme.NameColor(set.names->strings.View(track.name));
  std::vector<float> values(input.width);
  CounterInView(series, axis, values, share ? CounterScale::kPercent : CounterScale::kPeaks);
  DrawCurve(values, color, cached.texels);
}

void DrawPlan::Compose(const PlanInput& input) {
  const size_t size = size_t{width_} * rows_.size();
  const bool resized = texels_.size() != size || last_rows_.size() != rows_.size();
  texels_.resize(size);
  last_rows_.resize(rows_.size(), 0);
  dirty_begin_ = static_cast<uint32_t>(rows_.size());
  dirty_end_ = 0;
  for (uint32_t r = 0; r < rows_.size(); ++r) {
    const Cached& cached = *row_cache_[r];
    const LayoutItem& item = input.layout->items()[rows_[r].item];
    // The stamp names the row and its contents. If it equals last frame's, the texels are the
    // same.
    uint64_t stamp = PlanRowKeyHash()(KeyOf(input, item, rows_[r].depth));
    for (uint64_t part :
         {static_cast<uint64_t>(cached.view.begin), static_cast<uint64_t>(cached.view.end),
          cached.names, cached.highlight, cached.content}) {
      stamp = (stamp ^ part) * 0xff51afd7ed558ccdull;
      stamp ^= stamp >> 32;
    }
    if (!resized && stamp == last_rows_[r]) continue;
    last_rows_[r] = stamp;
    std::copy(cached.texels.begin(), cached.texels.end(),
              texels_.begin() + static_cast<ptrdiff_t>(size_t{r} * width_));
    dirty_begin_ = std::min(dirty_begin_, r);
    dirty_end_ = r + 1;
  }
  if (dirty_begin_ > dirty_end_) dirty_begin_ = dirty_end_;
  ComposeLines(input);
}

void DrawPlan::ComposeLines(const PlanInput& input) {
  lines_.assign(input.height, TexelLine{});
  for (uint32_t r = 0; r < below_; ++r) SetLines(r, 0);
  if (input.sticky.empty()) return;
  const auto end_of = [&](const StickyItem& heading) {
    const auto height = static_cast<double>(input.layout->items()[heading.item].height);
    const double end = std::floor(heading.y - input.scroll) + height;
    return static_cast<int>(std::clamp(end, 0.0, static_cast<double>(input.height)));
  };
  // Rows under the sticky items are cleared, so that nothing shows through at their edges.
  std::fill(lines_.begin(), lines_.begin() + end_of(input.sticky.back()), TexelLine{});
  // An item that is pushed out is covered by the item above it.
  size_t at = 0;
  for (auto r = static_cast<uint32_t>(below_); r < rows_.size(); ++r) {
    while (input.sticky[at].item != rows_[r].item) ++at;
    SetLines(r, at > 0 ? end_of(input.sticky[at - 1]) : 0);
  }
}

void DrawPlan::SetLines(uint32_t r, int first) {
  const PlanRow& row = rows_[r];
  const int top = static_cast<int>(row.y), height = static_cast<int>(row.height);
  const int bottom = std::min(top + height, static_cast<int>(lines_.size()));
  for (int y = std::max(first, top); y < bottom; ++y) {
    lines_[static_cast<size_t>(y)] = {static_cast<uint16_t>(r), static_cast<uint16_t>(y - top),
                                      static_cast<uint16_t>(height),
                                      static_cast<uint16_t>(row.kind)};
  }
}

const NameLabel& DrawPlan::FramesLabel(const PlanInput& input, uint32_t frames,
                                       const NameLabel& innermost) {
  NameLabel& label = frames_labels_.emplace_back();
  label.forms[1] = fmt::format("{} frames", frames);
  label.forms[0] = label.forms[1] + " \u00b7 " + innermost.forms[0];
  for (size_t i = 0; i < label.forms.size(); ++i)
    label.widths[i] = input.names->Measure(label.forms[i], 1e9f, nullptr);
  return label;
}

void DrawPlan::PlaceLabels(const PlanInput& input) {
  struct Candidate {
    uint32_t row, slice;
    uint32_t width;
  };
  std::vector<Candidate> candidates;
  marks_.clear();
  labels_.clear();
  frames_labels_.clear();
  size_t all_marks = 0;
  for (const auto& cached : row_cache_) all_marks += cached->marks.size();
  // Where there are too many, all rows have fewer: a row whose marks end midway says that nothing
  // follows.
  const size_t every = all_marks / kMaxMarks + 1;
  for (uint32_t r = 0; r < rows_.size(); ++r) {
    const Cached& cached = *row_cache_[r];
    if (input.layout->items()[rows_[r].item].thin) continue;  // no room for letters
    for (uint32_t i = 0; i < cached.alone.size(); ++i) {
      if (static_cast<float>(cached.alone[i].width) >= kMinLabelWidth)
        candidates.push_back({r, i, cached.alone[i].width});
    }
    for (size_t i = 0; i < cached.marks.size(); i += every) {
      const PlanMark& mark = cached.marks[i];
      marks_.push_back({mark.x, rows_[r].y, mark.color, r >= below_});
    }
  }
  if (candidates.size() > kMaxLabels) {  // the widest labels say most
    std::nth_element(candidates.begin(), candidates.begin() + kMaxLabels, candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.width > b.width; });
    candidates.resize(kMaxLabels);
  }
  for (const Candidate& c : candidates) {
    const PlanRow& row = rows_[c.row];
    const PlanSlice& wide = row_cache_[c.row]->alone[c.slice];
    const LayoutItem& item = input.layout->items()[row.item];
    const TrackSet& set = input.profiles[item.profile].Set(item.set);
    const uint32_t meta = row.lane->meta[wide.event];
    const NameLabel& own = input.names->Label(*set.names, meta);
    const bool frames = item.frames_in_one && row.depth == 0;
    const NameLabel& label = frames ? FramesLabel(input, item.frames, own) : own;
    const float space = static_cast<float>(wide.width) - 2 * kLabelPadding + 1;
    PlanLabel out;
    out.x = static_cast<float>(wide.px) + kLabelPadding;
    out.y = row.y;
    out.sticks = c.row >= below_;
    out.color = input.names->theme().TextOn(SliceColors(*this, input, item)(*row.lane, wide.event));
    if (input.highlight != nullptr && input.highlight->version != 0) {
      const uint32_t t = texels_[size_t{c.row} * width_ + wide.px];
      if ((texel::Alpha(t) & texel::kDim) != 0) out.color = input.names->theme()[Role::kText3];
    }
    if (FitLabel(label, space, *input.names, &out)) labels_.push_back(out);
  }
}

double DrawPlan::Utilisation(uint32_t item) const {
  for (size_t r = 0; r < rows_.size(); ++r) {
    if (rows_[r].item == item) return row_cache_[r]->utilisation;
  }
  return -1;
}

void DrawPlan::AddSlicesOf(std::span<const Profile> profiles, const Layout& layout,
                           std::string_view name, size_t most, std::vector<PlanBox>* out) const {
  for (size_t r = 0; r < rows_.size(); ++r) {
    const PlanRow& row = rows_[r];
    const LayoutItem& item = layout.items()[row.item];
    if (item.kind != LayoutItemKind::kTrack || row.lane == nullptr) continue;
    const NameTable& names = *profiles[item.profile].Set(item.set).names;
    for (const PlanSlice& slice : row_cache_[r]->alone) {
      if (names.DisplayName(MetaId(row.lane->meta[slice.event])) != name) continue;
      if (out->size() >= most) return;
      out->push_back({static_cast<float>(slice.px), row.y, static_cast<float>(slice.width),
                      row.height - 1, r >= below_});
    }
  }
}

const PlanRow* DrawPlan::RowAt(size_t item, float y) const {
  for (const PlanRow& row : rows_) {
    if (row.item == item && y >= row.y && y < row.y + row.height) return &row;
  }
  return nullptr;
}

}  // namespace stepscope
