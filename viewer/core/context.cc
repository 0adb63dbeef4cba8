#include "viewer/core/context.h"

#include <algorithm>

#include "viewer/core/time_axis.h"

namespace stepscope {

const RunView* ViewerContext::ActiveRun() const {
  const int i = RunIndex(view.active);
  return i < 0 ? nullptr : &session.runs[static_cast<size_t>(i)];
}

RunViewState* ViewerContext::ActiveView() {
  for (RunViewState& run : view.runs) {
    if (run.trace == view.active) return &run;
  }
  return nullptr;
}

int ViewerContext::RunIndex(TraceId id) const {
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].id == id) return static_cast<int>(i);
  }
  return -1;
}

const TrackSet* ViewerContext::Set(const EventRef& event) const {
  const int run = RunIndex(event.trace);
  if (run < 0 || !event.valid() || event.set >= runs[static_cast<size_t>(run)].sets())
    return nullptr;
  const TrackSet& set = runs[static_cast<size_t>(run)].Set(event.set);
  return event.row.value < set.rows ? &set : nullptr;
}

TimeRange ViewerContext::RangeOf(const EventRef& event) const {
  const TrackSet* set = Set(event);
  if (set == nullptr) return {};
  const Ps start = set->Start(event.row);
  return {start, SaturatingAdd(start, std::max<Ps>(1, set->Duration(event.row)))};
}

TimeRange ViewerContext::Visible() const {
  for (const RunViewState& run : view.runs) {
    if (run.trace == view.active) return run.visible;
  }
  return {};
}

TimeRange ViewerContext::Whole() const {
  const RunView* run = ActiveRun();
  if (run == nullptr) return {};
  // A trace of one instant has no length; its first view has.
  const TimeRange &span = run->trace->span, &first = run->trace->first_view;
  if (first.empty()) return span;
  return {std::min(span.begin, first.begin), std::max(span.end, first.end)};
}

void ViewerContext::SetVisible(TimeRange range) {
  constexpr Ps kShortest = 10;  // ps across the whole canvas: nothing in a profile is finer
  if (ActiveRun() == nullptr) return;
  if (range.length() < kShortest) range.end = SaturatingAdd(range.begin, kShortest);
  range = KeepInside(range, Whole());
  // Runs side by side show the same stretch of time.
  for (RunViewState& state : view.runs) state.visible = range;
}

void ViewerContext::ZoomTo(TimeRange range, bool closer_only) {
  if (range.empty()) return;
  const Ps shown = Visible().length();
  // 2.5 times as long: some context stays.
  const Ps margin = std::max<Ps>(SaturatingMul(range.length(), 3) / 4, 5);
  Ps length = SaturatingAdd(range.length(), SaturatingMul(margin, 2));
  // Whoever asks for something closer does not get something further away: what fits into the view
  // is not shown with more around it than before.
  if (shown > 0 && (closer_only || range.length() <= shown)) length = std::min(length, shown);
  const Ps middle = SaturatingAdd(range.begin, range.length() / 2);
  SetVisible({SaturatingSub(middle, length / 2), SaturatingAdd(middle, length - length / 2)});
}

void ViewerContext::Reveal(const EventRef& event) {
  const TimeRange range = RangeOf(event);
  if (range.empty()) return;
  view.selected = event;
  view.active = event.trace;
  ++view.reveals;
  const TimeRange visible = Visible();
  const bool begins = range.begin >= visible.begin && range.begin < visible.end;
  const bool fits = range.length() <= visible.length();
  // In sight already, or all that is in sight lies in it.
  if (fits ? begins : range.begin <= visible.begin && range.end >= visible.end) return;
  if (fits) {  // keeps the zoom
    const Ps length = visible.length(), middle = range.begin + range.length() / 2;
    SetVisible({SaturatingSub(middle, length / 2), SaturatingAdd(middle, length - length / 2)});
  } else {
    ZoomTo(range, false);
  }
}

}  // namespace stepscope
