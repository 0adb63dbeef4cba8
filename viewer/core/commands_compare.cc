// Commands of two profiles beside each other.
#include <algorithm>
#include <string>
#include <utility>

#include "viewer/core/align_runs.h"
#include "viewer/core/command_actions.h"
#include "viewer/core/counterpart.h"
#include "viewer/core/folds.h"
#include "viewer/core/run_layout.h"

namespace stepscope::actions {

using C = ViewerContext;
using A = CommandArgs;

namespace {

struct Pair {
  const Run *base = nullptr, *run = nullptr;
  RunState *baseline = nullptr, *state = nullptr;
};

// What is compared; the pointers are null where nothing is.
Pair PairOf(C& c) {
  Pair pair;
  pair.run = ComparedRun(c.runs, c.view);
  if (pair.run == nullptr) return pair;
  pair.base = FindRun(c.runs, c.view.baseline);
  pair.baseline = c.view.Find(c.view.baseline);
  pair.state = c.view.Find(pair.run->id);
  return pair;
}

}  // namespace

bool Compares(const C& c) { return ComparedRun(c.runs, c.view) != nullptr; }

void SwapBaseline(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.run == nullptr) return;
  const TraceId was = c.view.baseline;
  c.view.baseline = pair.run->id;
  c.view.active = was;
  Say(c, "Baseline: " + pair.run->label);
}

void CompareColors(C& c, const A&) {
  const bool show = !c.settings.Bool("timeline.compare_colors");
  c.settings.Set("timeline.compare_colors", show ? "true" : "false");
  Say(c,
      show ? "Slices have the colours of their changes" : "Slices have the colours of their names");
}

// As many profiles are open as can have rows of their own.
bool HasAreas(const C& c) { return c.runs.size() > 1 && c.runs.size() <= kMostRunAreas; }

namespace {

// In a list the other profile is in sight only if little is shown of the first. Where each scrolls
// by itself there is room for all.
void ShowAllTracks(C& c) {
  for (const Run& run : c.runs) {
    RunState* state = c.view.Find(run.id);
    if (state != nullptr && state->only == BusiestTracks(*run.trace)) state->only.clear();
  }
}

}  // namespace

void ChooseLayout(C& c, const A& a) {
  const auto next = (static_cast<int>(LayoutOfRuns(c.settings, c.runs.size())) + 1) % 3;
  const RunLayout layout =
      a.text.empty() ? static_cast<RunLayout>(next) : RunLayoutFromName(a.text);
  c.settings.Set("timeline.run_layout", NameOf(layout));
  if (layout != RunLayout::kList) ShowAllTracks(c);
  Say(c, layout == RunLayout::kList ? "All profiles in one list"
                                    : std::string("Profiles lie ") + NameOf(layout));
}

void Counterpart(C& c, const A&) {
  const Pair pair = PairOf(c);
  const TrackSet* set = c.Set(c.view.selected);
  if (pair.run == nullptr || set == nullptr || c.view.selected.set != 0) return;
  const EventRef mine = c.view.selected;
  const Run* from = mine.trace == pair.base->id ? pair.base : pair.run;
  const Run* to = from == pair.base ? pair.run : pair.base;
  if (mine.trace != from->id) return;
  const EventRow found = CounterpartOf(*from, mine.row, *to);
  if (!found.valid()) {
    Say(c, to->label + " has no event of this name");
    return;
  }
  const EventRef theirs{to->id, 0, found};
  const Ps a = set->Duration(mine.row), b = to->trace->set.Duration(found);
  c.view.shown.Set({mine, theirs});
  c.Reveal(theirs);
  Say(c, FormatDuration(b, 4) + " here, " + FormatDuration(a, 4) + " in the other profile");
}

void AlignSteps(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.run == nullptr) return;
  const TimeRange view = c.Visible(pair.base->id);
  const Ps middle = view.begin + view.length() / 2;
  if (!AlignBySteps(*pair.base, *pair.baseline, middle, *pair.run, pair.state))
    Say(c, "One of the two has no steps");
}

void AlignBegins(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.run == nullptr) return;
  AlignTimes(*pair.baseline, pair.base->trace->span.begin, pair.run->trace->span.begin, pair.state);
}

void AlignEvents(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.run == nullptr) return;
  EventRef of_base, of_run;
  for (const EventRef& event : c.view.shown.events()) {
    if (event.trace == pair.base->id) of_base = event;
    if (event.trace == pair.run->id) of_run = event;
  }
  if (!of_base.valid() || !of_run.valid()) {
    Say(c, "Select an event of each profile first: Ctrl and a click add one");
    return;
  }
  AlignTimes(*pair.baseline, c.RangeOf(of_base).begin, c.RangeOf(of_run).begin, pair.state);
}

void StretchSteps(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.run == nullptr) return;
  TimeMap& map = pair.state->map;
  if (map.shared != map.of_own) {
    map.shared = map.of_own = 1;
    AlignSteps(c, {});
  } else if (!StretchToSteps(*pair.base, *pair.baseline, *pair.run, pair.state)) {
    Say(c, "One of the two has no steps");
  }
}

bool StepsStretched(const C& c) {
  return std::any_of(c.view.runs.begin(), c.view.runs.end(),
                     [](const RunState& r) { return r.map.shared != r.map.of_own; });
}

}  // namespace stepscope::actions
