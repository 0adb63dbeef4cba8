// TimePlot is a plot whose x axis is the timeline's visible range. Zooming or panning one moves the
// other, and both show the time under the mouse. UI thread only.
#pragma once

#include <imgui.h>

#include "model/base/color.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

class TimePlot {
 public:
  // If it returns true, set up the y axes, draw, and call End. The text `otherwise` is shown if no
  // view has a range.
  bool Begin(const PanelContext& context, const char* id, ImVec2 size, TimeRange otherwise);
  // Sets the left axis to 0 to `most`. `format` converts to the unit that is shown; the axis is in
  // that unit, so its ticks are round numbers.
  void SetupY(const NumberFormat& format, double most);
  // Marks the start of the selected event, and the time under a mouse that is outside of the plot.
  static void DrawMarks(const PanelContext& context);
  static void DrawLine(Ps time, Rgba color, float width);
  // Returns the time under the mouse and shows it on the timeline too.
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
    int decimals = 0;  // the same for all ticks, so that they align
  };
  static int FormatTick(double value, char* buffer, int size, void* ticks);

  Ticks ticks_;
  double min_ = 0, max_ = 1, want_min_ = 0, want_max_ = 1, span_ = 1;  // ms
};

}  // namespace stepscope
