// Commands of tools: which one the mouse has, and what is measured.
#include "viewer/core/commands/command_table.h"

namespace stepscope::commands {
namespace {

template <Tool tool>
bool ToolIs(const C& c) {
  return c.view.tool == tool;
}

template <Tool tool>
void Choose(C& c, const A&) {
  c.view.tool = tool;
}

void SetMeasured(C& c, const A& a) { c.SetMeasured(a.range, a.profile); }
void MeasureSelection(C& c, const A&) {
  c.SetMeasured(c.RangeOf(c.view.selected), c.view.selected.trace);
}

constexpr CommandDesc kTool[] = {
    {"tool.select", "Select tool", "Tools", "Drag selects a box of events.", "pointer", "1", Always,
     Choose<Tool::kSelect>, ToolIs<Tool::kSelect>},
    {"tool.pan", "Pan tool", "Tools", "Drag moves the timeline.", "hand move", "2", Always,
     Choose<Tool::kPan>, ToolIs<Tool::kPan>},
    {"tool.zoom", "Zoom tool", "Tools", "Drag zooms to the range that it marks.", "magnify", "3",
     Always, Choose<Tool::kZoom>, ToolIs<Tool::kZoom>},
    {"tool.timing", "Timing tool", "Tools",
     "Drag measures a time; it snaps to the edges of events.", "measure ruler", "4", Always,
     Choose<Tool::kTiming>, ToolIs<Tool::kTiming>},
    {"measure.selection", "Measure selection", "Tools", "Measures the selected event.",
     "duration mark", "M", HasSelection, MeasureSelection},
    {"measure.set", "Measure range", "", "Sets or clears the measured range.", "", "", Always,
     SetMeasured},
};

}  // namespace

std::span<const CommandDesc> ToolCommands() { return kTool; }

}  // namespace stepscope::commands
