#include "viewer/timeline/slices/plan_area.h"

#include <algorithm>
#include <cmath>

#include "model/allocator_history.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "model/analysis/naming/short_label.h"
#include "model/base/check.h"

namespace stepscope {
namespace {

constexpr uint32_t kPixelsPerColumn = 3;  // a preview needs less detail than a row of slices
constexpr size_t kShortest = 4;           // letters of a cut label worth drawing

// Returns the busy share of each column of a lane. A bin stands at the column in which its first
// event begins. Time that does not fit into that column is spread over the columns behind it.
std::vector<float> SharesOf(std::span<const Bin> bins, double ps_per_column, uint32_t columns) {
  std::vector<float> share(columns, 0.0f);
  double rest = 0;
  uint32_t at = 0;
  const auto fill = [&](uint32_t end) {
    for (; at < end && rest > 0; ++at) {
      const double room = 1.0 - static_cast<double>(share[at]);
      share[at] += static_cast<float>(std::min(rest, room));
      rest -= room;
    }
    rest = std::max(rest, 0.0);
  };
  for (const Bin& bin : bins) {
    fill(std::min(columns, bin.px));
    at = std::max(at, std::min(columns, bin.px));
    rest += static_cast<double>(bin.busy) / ps_per_column;
  }
  fill(columns);
  return share;
}

void AddShares(const std::vector<float>& lane, bool mean, std::vector<float>* share) {
  for (size_t x = 0; x < share->size(); ++x)
    (*share)[x] = mean ? (*share)[x] + lane[x] : std::max((*share)[x], lane[x]);
}

std::vector<TrackId> OfKind(const Trace& trace, const Plane& plane, TrackKind kind) {
  std::vector<TrackId> out;
  for (TrackId id : plane.tracks) {
    const Track& track = trace.set.tracks[id.value];
    if (track.kind == kind && track.events > 0 && track.lane_count > 0) out.push_back(id);
  }
  return out;
}

// Whether the track has only marks of a device, such as waits of the host for it ("Context Sync"),
// by the first events of its lanes.
bool HoldsOnlyMarks(const Trace& trace, const Track& track) {
  constexpr size_t kAsked = 1024;
  for (const Lane& lane : trace.set.LanesOf(track)) {
    for (const uint32_t meta : lane.meta.first(std::min(kAsked, lane.meta.size()))) {
      const EventCategory category = trace.names().metas[meta].category;
      if (category != EventCategory::kOverhead && category != EventCategory::kGpuUserAnnotation)
        return false;
    }
  }
  return true;
}

}  // namespace

std::vector<TrackId> ActivityTracks(const Trace& trace, PlaneId plane) {
  if (!plane.valid() || plane.value >= trace.planes.size()) return {};
  const Plane& p = trace.planes[plane.value];
  std::vector<TrackId> out;
  if (IsDevice(p.kind)) {
    out = OfKind(trace, p, TrackKind::kStream);
    if (out.empty()) out = OfKind(trace, p, TrackKind::kXlaOps);
  }
  if (out.empty()) {
    for (TrackId id : p.tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (track.events > 0 && track.lane_count > 0 && !track.derived_in_file &&
          track.kind != TrackKind::kSteps && !(IsDevice(p.kind) && HoldsOnlyMarks(trace, track))) {
        out.push_back(id);
      }
    }
  }
  // Instants take no time, so a plane that has nothing else is neither busy nor idle.
  if (std::none_of(out.begin(), out.end(),
                   [&](TrackId id) { return trace.set.tracks[id.value].busy > 0; }))
    return {};
  if (out.size() > kMaxActivityTracks) {
    std::nth_element(out.begin(), out.begin() + kMaxActivityTracks, out.end(),
                     [&](TrackId a, TrackId b) {
                       return trace.set.tracks[a.value].busy > trace.set.tracks[b.value].busy;
                     });
    out.resize(kMaxActivityTracks);
  }
  return out;
}

uint32_t StackAt(const StackedShares& shares, size_t column) {
  uint32_t texel = texel::kEmpty, height = 0;
  size_t next = 0;
  for (size_t part = 0; part < texel::kStackCurves; ++part) {
    if (next < shares.parts.size() && static_cast<size_t>(shares.parts[next]) == part) {
      const float share = std::clamp(shares.sums[next++][column], 0.0f, 1.0f);
      height = static_cast<uint32_t>(std::lround(share * 255.0f));
    }
    texel = texel::WithHeight(texel, part, height);
  }
  return texel;
}

std::array<Rgba, texel::kStackCurves> StackColors(const Theme& theme) {
  std::array<Rgba, texel::kStackCurves> colors{};
  for (size_t i = 0; i < colors.size(); ++i) colors[i] = theme[WorkKind(static_cast<WorkPart>(i))];
  return colors;
}

Kind WorkKind(WorkPart part) {
  switch (part) {
    case WorkPart::kCollectives:
      return Kind::kCollective;
    case WorkPart::kCopies:
      return Kind::kOutput;  // as the loss `copies`
    default:
      return Kind::kDeviceCompute;
  }
}

Kind WorkKind(const PlaneActivity& activity) {
  if (activity.memory) return Kind::kHeap;
  return activity.device ? Kind::kDeviceCompute : Kind::kHostCompute;
}

UtilisationTrack UtilisationOf(const Profile& profile, PlaneId plane) {
  for (const std::shared_ptr<const TrackSet>& set : profile.derived) {
    for (const Track& track : set->tracks) {
      if (track.plane == plane && DerivedTrackKindOf(track) == DerivedTrackKind::kUtilisation &&
          !track.counters.empty())
        return {set.get(), &track};
    }
  }
  return {};
}

StackedShares StackUtilisation(const UtilisationTrack& of, const TimeAxis& axis, size_t columns) {
  StackedShares out;
  for (size_t i = 1; i < of.track->counters.size(); ++i) {
    const CounterSeries& series = of.track->counters[i];
    out.parts.push_back(WorkPartOf(of.set->names->strings.View(series.name)));
    std::vector<float>& sum = out.sums.emplace_back(columns);
    CounterInView(series, axis, sum, CounterScale::kPercent);
    if (i == 1) continue;
    const std::vector<float>& below = out.sums[i - 2];
    for (size_t x = 0; x < columns; ++x) sum[x] = std::min(1.0f, sum[x] + below[x]);
  }
  return out;
}

namespace {

// Returns the memory in use of a plane of a memory snapshot; null for other planes.
const CounterSeries* MemoryOf(const Trace& trace, PlaneId plane) {
  if (HistoryOf(trace) == nullptr || plane.value >= trace.planes.size()) return nullptr;
  for (const TrackId id : trace.planes[plane.value].tracks) {
    const Track& track = trace.set.tracks[id.value];
    if (!track.counters.empty()) return &track.counters.front();
  }
  return nullptr;
}

// Returns the mean, weighted by time. The value is 0 before the first change.
double MeanIn(const CounterSeries& series, TimeRange range) {
  const auto all = series.time.begin();
  const auto first = std::upper_bound(all, series.time.end(), range.begin);
  double held = first == all ? 0 : series.value[size_t(first - all) - 1], sum = 0;
  Ps at = range.begin;
  for (size_t i = size_t(first - all); i < series.time.size() && series.time[i] < range.end; ++i) {
    sum += held * static_cast<double>(series.time[i] - at);
    at = series.time[i];
    held = series.value[i];
  }
  sum += held * static_cast<double>(range.end - at);
  return range.empty() ? held : sum / static_cast<double>(range.length());
}

}  // namespace

PlaneActivity PlaneActivityInView(const Profile& profile, PlaneId plane, const TimeAxis& axis,
                                  uint32_t width_px, std::vector<Bin>* scratch) {
  PlaneActivity out;
  const uint32_t coarse_width = std::max<uint32_t>(1, width_px / kPixelsPerColumn);
  if (const CounterSeries* memory = MemoryOf(*profile.trace, plane)) {
    out.memory = true;
    out.share.assign(coarse_width, 0.0f);
    CounterInView(*memory, TimeAxis(axis.view(), coarse_width), out.share);
    return out;
  }
  const std::vector<TrackId> tracks = ActivityTracks(*profile.trace, plane);
  if (tracks.empty()) return out;
  out.device = IsDevice(profile.trace->planes[plane.value].kind);
  const TimeRange& span = profile.trace->span;
  const TimeRange recorded{std::max(axis.view().begin, span.begin),
                           std::min(axis.view().end, span.end)};
  const uint32_t columns = coarse_width;
  out.share.assign(columns, 0.0f);
  if (const UtilisationTrack known = UtilisationOf(profile, plane); known.track != nullptr) {
    const TimeAxis coarse(axis.view(), columns);
    const CounterSeries& whole = known.track->counters.front();
    if (!recorded.empty()) out.mean = MeanIn(whole, recorded) / 100;
    out.parts = StackUtilisation(known, coarse, columns);
    if (out.parts.sums.empty()) {
      CounterInView(whole, coarse, out.share, CounterScale::kPercent);
    } else {
      out.share = out.parts.sums.back();
    }
    return out;
  }
  const double ps_per_column = static_cast<double>(axis.view().length()) / columns;
  for (TrackId id : tracks) {
    const Lane& lane = profile.trace->set.LanesOf(profile.trace->set.tracks[id.value]).front();
    scratch->clear();
    lane.mip.AppendBins(lane.view(), axis.view(), columns, scratch);
    AddShares(SharesOf(*scratch, ps_per_column, columns), !out.device, &out.share);
  }
  double sum = 0;
  for (float& value : out.share) {
    if (!out.device) value /= static_cast<float>(tracks.size());
    sum += static_cast<double>(value);
  }
  if (!recorded.empty())
    out.mean = std::min(1.0, sum * ps_per_column / static_cast<double>(recorded.length()));
  return out;
}

namespace {

// Returns the first change from `from` on that is not `before`. O(log of its distance)
template <class Before>
size_t FirstFrom(const CounterSeries& series, size_t from, const Before& before) {
  const size_t n = series.time.size();
  size_t low = from, step = 1;
  while (step <= n - low && before(series.time[low + step - 1])) low += step, step *= 2;
  const auto all = series.time.begin();
  const auto end = all + static_cast<ptrdiff_t>(std::min(n, low + step - 1));
  return static_cast<size_t>(std::partition_point(all + static_cast<ptrdiff_t>(low), end, before) -
                             all);
}

// `from` is the first change after the begin of the range.
CounterColumn CounterFrom(const CounterSeries& series, TimeRange range, size_t from) {
  CounterColumn column;
  const size_t end = FirstFrom(series, from, [&](Ps t) { return t < range.end; });
  double held = from == 0 ? std::min(0.0, series.min) : series.value[from - 1];
  column.first = column.least = column.most = held;
  column.changes = end - from;
  // If there are many changes, one in each of kMostLooks equal parts is read, and always the last
  // one.
  const size_t step = (column.changes + kMostLooks - 1) / kMostLooks;
  Ps at = range.begin;
  double sum = 0;
  for (size_t i = from; i < end; i = i + step < end ? i + step : std::max(i + 1, end - 1)) {
    sum += held * static_cast<double>(series.time[i] - at);
    at = series.time[i];
    held = series.value[i];
    column.least = std::min(column.least, held);
    column.most = std::max(column.most, held);
  }
  sum += held * static_cast<double>(range.end - at);
  column.mean = range.empty() ? held : sum / static_cast<double>(range.length());
  return column;
}

size_t FirstAfter(const CounterSeries& series, Ps time) {
  const auto all = series.time.begin();
  return static_cast<size_t>(std::upper_bound(all, series.time.end(), time) - all);
}

}  // namespace

CounterColumn CounterIn(const CounterSeries& series, TimeRange range) {
  return CounterFrom(series, range, FirstAfter(series, range.begin));
}

void CounterInView(const CounterSeries& series, const TimeAxis& axis, std::span<float> out,
                   CounterScale scale) {
  const bool share = scale == CounterScale::kPercent;
  const double low = share ? 0 : std::min(0.0, series.min);
  const double high = share ? 100 : series.max;
  const double range = high > low ? high - low : 1.0;
  size_t from = FirstAfter(series, axis.At(0));
  for (size_t x = 0; x < out.size(); ++x) {
    const Ps begin = axis.At(static_cast<double>(x));
    from = FirstFrom(series, from, [begin](Ps t) { return t <= begin; });
    const CounterColumn column = CounterFrom(
        series, {begin, std::max(axis.At(static_cast<double>(x + 1)), begin + 1)}, from);
    out[x] = static_cast<float>(((share ? column.mean : column.most) - low) / range);
  }
}

bool FitLabel(const NameLabel& label, float space, const NameCache& names, PlanLabel* out) {
  for (size_t i = 0; i < label.forms.size(); ++i) {
    if (label.forms[i].empty() || label.widths[i] > space) continue;
    out->text = label.forms[i];
    out->width = label.widths[i];
    out->cut = false;
    return true;
  }
  // No form fits whole. The tiny form is cut if there is one, else the middle form, else the
  // name.
  const std::string& form = !label.forms[2].empty()   ? label.forms[2]
                            : !label.forms[1].empty() ? label.forms[1]
                                                      : label.forms[0];
  const float ellipsis = names.Measure("\xE2\x80\xA6", 1e9f, nullptr);
  size_t fit = form.size();
  names.Measure(form, space - ellipsis, &fit);
  const std::string_view text = CutEnd(form, fit);
  if (text.size() < kShortest) return false;
  out->text = text;
  out->width = std::min(space, names.Measure(text, 1e9f, nullptr) + ellipsis);
  out->cut = true;
  return true;
}

namespace {

// The share of each column that the events of a lane cover. A bin of one event covers exactly the
// time that the event takes; one of several begins in its column, and a rest that does not fit
// covers the next ones. O(columns)
void AddCoverage(const Lane& lane, std::span<const Bin> bins, const TimeAxis& axis,
                 std::vector<float>* share) {
  const auto columns = static_cast<double>(share->size());
  for (const Bin& bin : bins) {
    const bool one = bin.count == 1;
    const double first = one ? std::clamp(axis.X(lane.start[bin.event]), 0.0, columns) : bin.px;
    const double last = one ? std::clamp(axis.X(lane.end(bin.event)), first, columns)
                            : first + static_cast<double>(bin.busy) / axis.ps_per_px();
    for (auto x = static_cast<size_t>(first); x < share->size(); ++x) {
      const double left = static_cast<double>(x);
      if (left >= last) break;
      (*share)[x] += static_cast<float>(std::min(last, left + 1) - std::max(first, left));
    }
  }
}

uint32_t CoverageOf(float share) {
  return static_cast<uint32_t>(std::clamp(std::round(texel::kOpaque * share), 1.0f, 63.0f));
}

}  // namespace

void DrawCurve(std::span<const float> values, Rgba color, std::span<uint32_t> row) {
  STEPSCOPE_DCHECK(!values.empty());
  for (size_t x = 0; x < row.size(); ++x) {
    const float value = std::clamp(values[x * values.size() / row.size()], 0.0f, 1.0f);
    row[x] = texel::Make(color, 0) | (static_cast<uint32_t>(std::lround(value * 255.0f)) << 24);
  }
}

void DrawStack(const StackedShares& shares, std::span<uint32_t> row) {
  if (shares.sums.empty()) return;
  const size_t columns = shares.sums.front().size();
  for (size_t x = 0; x < row.size();) {
    const size_t column = x * columns / row.size();  // it may be several pixels wide
    const size_t end = ((column + 1) * row.size() + columns - 1) / columns;
    std::fill(row.begin() + static_cast<ptrdiff_t>(x), row.begin() + static_cast<ptrdiff_t>(end),
              StackAt(shares, column));
    x = end;
  }
}

void CoverByTime(const Lane& lane, std::span<const Bin> bins, const TimeAxis& axis,
                 std::vector<float>* shares, std::span<uint32_t> row) {
  shares->assign(row.size(), 0);
  AddCoverage(lane, bins, axis, shares);
  for (size_t x = 0; x < row.size(); ++x) {
    if ((texel::Alpha(row[x]) & texel::kOpaque) == 0) continue;
    row[x] = (row[x] & ~(texel::kOpaque << 24)) | (CoverageOf((*shares)[x]) << 24);
  }
}

void Brighten(const Lane& lane, std::span<const uint32_t> hits, const TimeAxis& axis,
              std::span<uint32_t> row) {
  STEPSCOPE_DCHECK(std::is_sorted(hits.begin(), hits.end()));
  const auto width = static_cast<int64_t>(row.size());
  auto hit = std::lower_bound(hits.begin(), hits.end(), lane.first_row);
  const auto last = std::lower_bound(hit, hits.end(), lane.first_row + lane.size());
  // The first hit that ends inside the view: hits of a lane are ordered by time.
  hit = std::partition_point(hit, last, [&](uint32_t event) {
    return lane.end(event - lane.first_row) < axis.view().begin;
  });
  while (hit != last) {
    const uint32_t i = *hit - lane.first_row;
    const double x0 = axis.X(lane.start[i]);
    if (x0 >= static_cast<double>(width)) return;
    const auto from = std::clamp<int64_t>(static_cast<int64_t>(std::floor(x0)), 0, width - 1);
    const auto to =
        std::clamp<int64_t>(static_cast<int64_t>(std::floor(axis.X(lane.end(i)))), from, width - 1);
    for (int64_t x = from; x <= to; ++x) {
      row[static_cast<size_t>(x)] &= ~(texel::kDim << 24);
    }
    const Ps next = axis.At(static_cast<double>(to + 1));
    hit = std::partition_point(
        hit + 1, last, [&](uint32_t event) { return lane.end(event - lane.first_row) <= next; });
  }
}

}  // namespace stepscope
