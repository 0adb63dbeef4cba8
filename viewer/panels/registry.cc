// The list of panels. A panel is its source, a row here and a test.
#include "viewer/panels/panels.h"

namespace stepscope {
namespace {

constexpr PanelDesc kPanels[] = {
    {"details", "Details", "The selected event with all its arguments.", "Alt+D",
     DockSlot::kBottomLeft, true, &MakeDetailsPanel},
    {"diagnostics", "Diagnostics", "What loading repaired, dropped or clipped.", "Alt+0",
     DockSlot::kBottomRight, true, &MakeDiagnosticsPanel},
};

}  // namespace

std::span<const PanelDesc> Panels() { return kPanels; }

const PanelDesc* FindPanel(std::string_view id) {
  for (const PanelDesc& panel : Panels()) {
    if (id == panel.id) return &panel;
  }
  return nullptr;
}

}  // namespace stepscope
