// TimePlot: a plot whose x axis is the timeline's visible range. Zooming and panning one moves the
// other, and the time under the mouse shows in both. UI thread only.
#pragma once

#include <imgui.h>

#include "viewer/core/color.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {

class TimePlot {
 public:
  // If true: set up the y axes, draw, and call End. `otherwise` is shown where no view has a range.
  bool Begin(const PanelContext& context, const char* id, ImVec2 size, TimeRange otherwise);
  // The left axis from 0 to `most`, which `format` brings into the unit that is shown: the axis is
  // in that unit, so that its ticks are round numbers of it.
  void SetupY(const NumberFormat& format, double most);
  // Inside the plot: the start of the selected event, and the time under a mouse that is elsewhere.
  static void DrawMarks(const PanelContext& context);
  static void DrawLine(Ps time, Rgba color, float width);
  // The time under the mouse, which the timeline then shows too.
  static Ps Point(const PanelContext& context);
  static bool Clicked();  // released here, and not dragged
  // Ends the plot and tells the timeline if it moved. A right click opens the chart menu of `id`.
  void End(const PanelContext& context, const char* id);

  // The label of a tick of an axis that spans `*span_ms`, a double: in ms, from 10 s on in s.
  static int FormatTime(double ms, char* buffer, int size, void* span_ms);

  double first_ms() const { return min_; }
  double last_ms() const { return max_; }

 private:
  struct Ticks {
    const char* unit = "";
    int decimals = 0;  // of all, so that they align
  };
  static int FormatTick(double value, char* buffer, int size, void* ticks);

  Ticks ticks_;
  double min_ = 0, max_ = 1, want_min_ = 0, want_max_ = 1, span_ = 1;  // ms
};

}  // namespace stepscope
