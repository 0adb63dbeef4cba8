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

void ViewerContext::SetVisible(TimeRange range) {
  constexpr Ps kShortest = 10;  // ps across the whole canvas: nothing in a profile is finer
  const RunView* run = ActiveRun();
  if (run == nullptr) return;
  const TimeRange whole = run->trace->span;
  const Ps longest = std::max<Ps>(SaturatingMul(whole.length(), 2), kShortest);
  if (range.length() < kShortest) range.end = SaturatingAdd(range.begin, kShortest);
  if (range.length() > longest)
    range = {whole.begin - whole.length() / 2, whole.end + whole.length() / 2};
  range = KeepNear(range, whole);
  // Runs side by side show the same stretch of time.
  for (RunViewState& state : view.runs) state.visible = range;
}

void ViewerContext::Reveal(const EventRef& event) {
  const TimeRange range = RangeOf(event);
  if (range.empty()) return;
  view.selected = event;
  view.active = event.trace;
  ++view.reveals;
  const TimeRange visible = Visible();
  const bool seen = range.begin >= visible.begin && range.begin < visible.end;
  const double share =
      static_cast<double>(range.length()) / static_cast<double>(std::max<Ps>(1, visible.length()));
  if (seen && share < 1.0) return;
  // Keep the zoom unless the event would be a dot or larger than the view.
  const Ps length = share > 1.0 ? SaturatingMul(range.length(), 2) : visible.length();
  const Ps middle = range.begin + range.length() / 2;
  SetVisible({SaturatingSub(middle, length / 2), SaturatingAdd(middle, length - length / 2)});
}

}  // namespace stepscope
