#include "app/report/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/analysis/naming/short_label.h"
#include "model/base/svg_writer.h"
#include "model/lookup.h"
#include "viewer/core/look/theme.h"

namespace stepscope {
namespace {

constexpr double kTimelineWidth = 1160, kTimelineLeft = 190, kRow = 18, kGap = 6, kAxis = 20;
constexpr size_t kMostOwn = 3, kMostStreams = 3, kMostDepth = 4;
constexpr double kCharacter = 6.2;  // width of a character of a label that is 11 pixels high
constexpr double kNarrow = 1;       // pixels; a narrower slice is merged with the next ones

Ps BusyIn(const TrackSet& set, const Track& track, TimeRange range) {
  Ps busy = 0;
  for (const Lane& lane : set.LanesOf(track)) {
    if (lane.depth > 0 || lane.kind == LaneKind::kInstant) continue;
    const auto [first, last] = EventsIn(lane, range);
    for (uint32_t i = first; i < last; ++i)
      busy += std::min(lane.end(i), range.end) - std::max(lane.start[i], range.begin);
  }
  return busy;
}

void AddOnce(TrackId track, std::vector<TrackId>* tracks) {
  if (std::find(tracks->begin(), tracks->end(), track) == tracks->end()) tracks->push_back(track);
}

// Adds the tracks that are busiest in the range among the planes of a kind.
void AddBusiest(const Trace& trace, TimeRange range, PlaneKind kind, size_t most,
                std::vector<TrackId>* tracks) {
  std::vector<std::pair<Ps, TrackId>> found;
  for (const Plane& plane : trace.planes) {
    if (plane.kind != kind) continue;
    for (const TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      const bool plain = kind != PlaneKind::kGpu || track.kind == TrackKind::kStream;
      const Ps busy = plain && !track.derived_in_file ? BusyIn(trace.set, track, range) : 0;
      if (busy > 0) found.emplace_back(-busy, id);
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.value) < std::pair(b.first, b.second.value);
  });
  for (size_t i = 0; i < std::min(most, found.size()); ++i) AddOnce(found[i].second, tracks);
}

std::vector<TrackId> TracksOf(const Trace& trace, const TimelinePicture& picture) {
  std::vector<TrackId> tracks;
  for (const EventRow row : picture.rows) {
    if (tracks.size() == kMostOwn || trace.set.Start(row) > picture.range.end) break;
    AddOnce(trace.set.TrackOf(row), &tracks);
  }
  AddBusiest(trace, picture.range, PlaneKind::kGpu, kMostStreams, &tracks);
  AddBusiest(trace, picture.range, PlaneKind::kHostThreads, 1, &tracks);
  std::sort(tracks.begin(), tracks.end(), [&](TrackId a, TrackId b) {
    const auto rank = [&](TrackId id) {
      const PlaneId plane = trace.set.tracks[id.value].plane;
      const bool device = plane.valid() && trace.planes[plane.value].kind == PlaneKind::kGpu;
      return std::pair(!device, id.value);
    };
    return rank(a) < rank(b);
  });
  return tracks;
}

class Painter {
 public:
  Painter(const Trace& trace, const TimelinePicture& picture) : trace_(trace), in_(picture) {}

  std::string Draw(const std::vector<TrackId>& tracks) {
    for (const TrackId track : tracks) AddTrack(track);
    if (y_ == kAxis) return {};
    return fmt::format("<figure><svg viewBox=\"0 0 {} {:.0f}\" role=\"img\">", kTimelineWidth, y_) +
           Shade() + Axis() + out_.text() + "</svg></figure>\n";
  }

 private:
  double X(Ps t) const {
    const double at = static_cast<double>(SaturatingSub(t, in_.range.begin)) /
                      static_cast<double>(in_.range.length());
    return kTimelineLeft + (kTimelineWidth - kTimelineLeft) * std::clamp(at, 0.0, 1.0);
  }

  std::string Shade() const {
    if (in_.marked.empty()) return {};
    const double a = X(in_.marked.begin), b = std::max(X(in_.marked.end), a + 1);
    SvgWriter out;
    out.Rect({a, 0, b - a, y_}, "var(--accent)", "opacity=\"0.14\"");
    return out.text();
  }

  std::string Axis() const {
    constexpr int kParts = 4;
    SvgWriter out;
    for (int i = 0; i <= kParts; ++i) {
      const double x = kTimelineLeft + (kTimelineWidth - kTimelineLeft) * i / kParts;
      const char* anchor = i == 0 ? "start" : i == kParts ? "end" : "middle";
      const Ps t = in_.range.length() / kParts * i;
      out.Line(x, kAxis - 4, x, y_, "class=\"grid\"");
      out.Text(x, 12, i == 0 ? FormatDuration(in_.range.begin) : "+" + FormatDuration(t, 3),
               fmt::format("class=\"axis\" text-anchor=\"{}\"", anchor));
    }
    return out.text();
  }

  void AddTrack(TrackId id) {
    const Track& track = trace_.set.tracks[id.value];
    const double top = y_;
    for (const Lane& lane : trace_.set.LanesOf(track)) {
      if (lane.kind == LaneKind::kInstant || lane.depth >= kMostDepth) continue;
      const auto [first, last] = EventsIn(lane, in_.range);
      if (first == last) continue;
      const double y = top + kRow * lane.depth;
      AddLane(lane, first, last, y);
      y_ = std::max(y_, y + kRow);
    }
    if (y_ == top) return;
    std::string label(trace_.set.names->strings.View(track.name));
    if (track.plane.valid()) label = trace_.planes[track.plane.value].display_name + " · " + label;
    out_.Text(0, top + kRow - 5, CutEnd(label, 30), "class=\"axis\"");
    y_ += kGap;
  }

  void AddLane(const Lane& lane, uint32_t first, uint32_t last, double y) {
    for (uint32_t i = first; i < last;) {
      const double a = X(lane.start[i]);
      uint32_t end = i + 1;
      double b = X(lane.end(i));
      while (end < last && X(lane.end(end)) - a < kNarrow) b = X(lane.end(end++));
      AddSlice(lane, i, end - i, {a, std::max(b, a + 0.5)}, y);
      i = end;
    }
  }

  void AddSlice(const Lane& lane, uint32_t i, uint32_t count, std::pair<double, double> x,
                double y) {
    const std::string_view name = trace_.set.names->DisplayName(MetaId(lane.meta[i]));
    const EventRow row(lane.first_row + i);
    const bool own = std::find(in_.rows.begin(), in_.rows.end(), row) != in_.rows.end();
    const double width = x.second - x.first;
    const std::string title =
        count > 1 ? fmt::format("{} events", count)
                  : fmt::format("{} · {}", CutEnd(name, 200), FormatDuration(lane.dur[i]));
    const Rgba color = theme_.NameColor(name);
    out_.Rect({x.first, y + 1, width, kRow - 2}, count > 1 ? "var(--soft)" : SvgColor(color),
              own ? "stroke=\"var(--text)\" stroke-width=\"1.5\"" : "", title);
    const auto room = static_cast<size_t>(std::max(0.0, (width - 8) / kCharacter));
    if (count > 1 || room < 3) return;
    std::string label(WithoutNamespaces(WithoutArguments(name)));
    if (label.size() > room) label = std::string(CutEnd(label, room - 1)) + "…";
    out_.Text(x.first + 4, y + kRow - 5, label,
              fmt::format("font-size=\"11\" fill=\"{}\"", SvgColor(theme_.TextOn(color))));
  }

  const Trace& trace_;
  const TimelinePicture& in_;
  const Theme theme_ = MakeTheme(ThemeKind::kLight);
  SvgWriter out_;
  double y_ = kAxis;
};

}  // namespace

TimelinePicture PictureOf(const Trace& trace, std::span<const EventRow> rows) {
  TimelinePicture picture;
  picture.rows = rows;
  if (rows.empty() || rows.front().value >= trace.set.rows) return picture;
  const Ps begin = trace.set.Start(rows.front());
  const Ps length = std::max<Ps>(trace.set.Duration(rows.front()), kPsPerUs);
  picture.marked = {begin, SaturatingAdd(begin, length)};
  picture.range = {SaturatingSub(begin, length / 3), SaturatingAdd(picture.marked.end, length / 3)};
  return picture;
}

std::string TimelineSvg(const Trace& trace, const TimelinePicture& picture) {
  if (picture.range.empty()) return {};
  return Painter(trace, picture).Draw(TracksOf(trace, picture));
}

}  // namespace stepscope
