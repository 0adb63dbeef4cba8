#include "viewer/timeline/plan_area.h"

#include <algorithm>
#include <cmath>

#include "viewer/core/short_label.h"

namespace stepscope {
namespace {

constexpr uint32_t kPixelsPerColumn = 3;  // a preview needs less detail than rows of slices
constexpr size_t kShortest = 4;           // letters of a cut label worth drawing

void AddBins(std::span<const Bin> bins, double ps_per_column, bool mean,
             std::vector<float>* share) {
  const auto columns = static_cast<uint32_t>(share->size());
  for (const Bin& bin : bins) {
    const uint32_t end = std::min(columns, bin.px + std::max<uint32_t>(1, bin.width));
    if (bin.px >= end) continue;
    const double busy =
        static_cast<double>(bin.busy) / ps_per_column / static_cast<double>(end - bin.px);
    const float value = static_cast<float>(std::clamp(busy, 0.0, 1.0));
    for (uint32_t x = bin.px; x < end; ++x) {
      (*share)[x] = mean ? (*share)[x] + value : std::max((*share)[x], value);
    }
  }
}

std::vector<TrackId> OfKind(const Trace& trace, const Plane& plane, TrackKind kind) {
  std::vector<TrackId> out;
  for (TrackId id : plane.tracks) {
    const Track& track = trace.set.tracks[id.value];
    if (track.kind == kind && track.events > 0 && track.lane_count > 0) out.push_back(id);
  }
  return out;
}

}  // namespace

bool IsDevice(PlaneKind kind) {
  return kind == PlaneKind::kGpu || kind == PlaneKind::kTpu || kind == PlaneKind::kTpuSparseCore ||
         kind == PlaneKind::kTpuChip || kind == PlaneKind::kCustom;
}

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
          track.kind != TrackKind::kSteps) {
        out.push_back(id);
      }
    }
  }
  if (out.size() > kMaxActivityTracks) {
    std::nth_element(out.begin(), out.begin() + kMaxActivityTracks, out.end(),
                     [&](TrackId a, TrackId b) {
                       return trace.set.tracks[a.value].busy > trace.set.tracks[b.value].busy;
                     });
    out.resize(kMaxActivityTracks);
  }
  return out;
}

PlaneActivity PlaneActivityInView(const Run& run, PlaneId plane, const TimeAxis& axis,
                                  uint32_t width_px, std::vector<Bin>* scratch) {
  PlaneActivity out;
  const std::vector<TrackId> tracks = ActivityTracks(*run.trace, plane);
  if (tracks.empty()) return out;
  out.device = IsDevice(run.trace->planes[plane.value].kind);
  const uint32_t columns = std::max<uint32_t>(1, width_px / kPixelsPerColumn);
  out.share.assign(columns, 0.0f);
  const double ps_per_column = static_cast<double>(axis.view().length()) / columns;
  for (TrackId id : tracks) {
    const Lane& lane = run.trace->set.LanesOf(run.trace->set.tracks[id.value]).front();
    scratch->clear();
    lane.mip.AppendBins(lane.view(), axis.view(), columns, scratch);
    AddBins(*scratch, ps_per_column, !out.device, &out.share);
  }
  double sum = 0;
  for (float& value : out.share) {
    if (!out.device) value /= static_cast<float>(tracks.size());
    sum += static_cast<double>(value);
  }
  out.mean = sum / columns;
  return out;
}

void CounterInView(const CounterSeries& series, const TimeAxis& axis, std::span<float> out) {
  const double low = std::min(0.0, series.min);
  const double range = series.max > low ? series.max - low : 1.0;
  const auto scaled = [&](double v) { return static_cast<float>((v - low) / range); };
  std::fill(out.begin(), out.end(), 0.0f);
  size_t i = static_cast<size_t>(
      std::upper_bound(series.time.begin(), series.time.end(), axis.view().begin) -
      series.time.begin());
  double current = i > 0 ? series.value[i - 1] : low;
  for (size_t x = 0; x < out.size(); ++x) {
    const Ps end = axis.At(static_cast<double>(x + 1));
    double best = current;
    // Long columns: look at their ends by binary search and at no more than a few dozen values
    // between.
    const size_t last = static_cast<size_t>(
        std::lower_bound(series.time.begin() + static_cast<ptrdiff_t>(i), series.time.end(), end) -
        series.time.begin());
    const size_t step = std::max<size_t>(1, (last - i) / 32);
    for (size_t k = i; k < last; k += step) best = std::max(best, series.value[k]);
    if (last > i) current = series.value[last - 1];
    i = last;
    out[x] = scaled(std::max(best, current));
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
  // Nothing fits whole: cut the tiny form if there is one, else the middle, else the name.
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

}  // namespace stepscope
