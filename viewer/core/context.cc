#include "viewer/core/context.h"

#include <algorithm>
#include <utility>

#include "viewer/core/time_axis.h"

namespace stepscope {

const Run* ViewerContext::RunOf(TraceId run) const {
  return FindRun(runs, run.valid() ? run : view.active);
}

RunState* ViewerContext::StateOf(TraceId run) { return view.Find(run.valid() ? run : view.active); }

const RunState* ViewerContext::StateOf(TraceId run) const {
  return std::as_const(view).Find(run.valid() ? run : view.active);
}

const TrackSet* ViewerContext::Set(const EventRef& event) const {
  const Run* run = FindRun(runs, event.trace);
  return run != nullptr ? run->SetOf(event) : nullptr;
}

TimeRange ViewerContext::RangeOf(const EventRef& event) const {
  const TrackSet* set = Set(event);
  if (set == nullptr) return {};
  const Ps start = set->Start(event.row);
  return {start, SaturatingAdd(start, std::max<Ps>(1, set->Duration(event.row)))};
}

TimeRange ViewerContext::Visible(TraceId run) const {
  return view.VisibleIn(run.valid() ? run : view.active);
}

TimeRange ViewerContext::Whole(TraceId id) const {
  const Run* run = RunOf(id);
  if (run == nullptr) return {};
  // A trace of one instant has no length; its first view has.
  const TimeRange &span = run->trace->span, &first = run->trace->first_view;
  if (first.empty()) return span;
  return {std::min(span.begin, first.begin), std::max(span.end, first.end)};
}

void ViewerContext::SetVisible(TimeRange range, TraceId run) {
  constexpr Ps kShortest = 10;  // ps across the whole canvas: nothing in a profile is finer
  const RunState* state = StateOf(run);
  if (state == nullptr || RunOf(run) == nullptr) return;
  if (range.length() < kShortest) range.end = SaturatingAdd(range.begin, kShortest);
  view.visible = state->map.ToShared(KeepInside(range, Whole(run)));
}

void ViewerContext::ZoomTo(TimeRange range, bool closer_only, TraceId run) {
  if (range.empty()) return;
  const Ps shown = Visible(run).length();
  // 2.5 times as long: some context stays.
  const Ps margin = std::max<Ps>(SaturatingMul(range.length(), 3) / 4, 5);
  Ps length = SaturatingAdd(range.length(), SaturatingMul(margin, 2));
  // Whoever asks for something closer does not get something further away: what fits into the view
  // is not shown with more around it than before.
  if (shown > 0 && (closer_only || range.length() <= shown)) length = std::min(length, shown);
  const Ps middle = SaturatingAdd(range.begin, range.length() / 2);
  SetVisible({SaturatingSub(middle, length / 2), SaturatingAdd(middle, length - length / 2)}, run);
}

void ViewerContext::Reveal(const EventRef& event) {
  const TimeRange range = RangeOf(event);
  if (range.empty()) return;
  view.selected = event;
  view.active = event.trace;
  ++view.reveals;
  const TimeRange visible = Visible(event.trace);
  const bool begins = range.begin >= visible.begin && range.begin < visible.end;
  const bool fits = range.length() <= visible.length();
  // In sight already, or all that is in sight lies in it.
  if (fits ? begins : range.begin <= visible.begin && range.end >= visible.end) return;
  if (fits) {  // keeps the zoom
    const Ps length = visible.length(), middle = range.begin + range.length() / 2;
    SetVisible({SaturatingSub(middle, length / 2), SaturatingAdd(middle, length - length / 2)},
               event.trace);
  } else {
    ZoomTo(range, false, event.trace);
  }
}

Definitions DefinitionsOf(const Settings& settings) {
  return settings.Get("definitions") == "XProf" ? Definitions::kXprof : Definitions::kStepscope;
}

}  // namespace stepscope
