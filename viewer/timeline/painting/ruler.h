// Ticks: the ticks of the time axis, at steps of 1, 2 or 5 times a power of ten, and the texts of
// the ruler and of the strip below it. Pure.
#pragma once

#include <string>

#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

struct Ticks {
  Ps step = 1;   // between labelled ticks: 1, 2 or 5 times a power of ten ps
  Ps minor = 1;  // between unlabelled ones
  Ps first =
      0;        // first minor tick at or before the view's begin, a multiple of `minor` from `base`
  Ps base = 0;  // labels count from here: 0, or the view's left edge once labels would get too long
  bool relative = false;
  Ps unit = 1;  // of all labels: the largest unit that the view's times reach
};

// Returns the smallest 1-2-5 step of at least `ps`.
Ps NiceStep(double ps);
// Returns ticks whose labels are at least `min_label_px` apart.
Ticks MakeTicks(const TimeAxis& axis, double min_label_px);
// "+2 ms" or "104.2 ms", with as many digits as the step needs.
std::string TickLabel(const Ticks& ticks, Ps t);

// Returns the time at the corner of the ruler, exact to the step: "9.7123456 s", "434 µs". If
// labels are relative, it is the base that they count from, else the view's left edge.
std::string CornerLabel(const Ticks& ticks, const TimeAxis& axis);

// Returns the step's time, as all pages have it: "11.2 ms". Where the bar of the step is of another
// length, because it goes from the first device's begin to the last one's end, the text says which
// time that is: "11.2 ms, mean of devices".
std::string BarText(const StepMarker& step, TimeRange bar);

}  // namespace stepscope
