// The list of panels. A panel is its source, a row here and a test. A page of model/analysis that
// has no row here gets a PagePanel, which shows its findings, numbers and tables.
#include <algorithm>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fleet.h"
#include "model/analysis/xla/hlo_programs.h"
#include "viewer/core/panel.h"
#include "viewer/panels/page_panel.h"

namespace stepscope {

MakePanel MakeComparePanel, MakeDetailsPanel, MakeDevicesPanel, MakeDiagnosticsPanel,
    MakeFindingsPanel, MakeFleetPanel, MakeHloGraphPanel, MakeHloMemoryPanel, MakeHloProfilePanel,
    MakeHloStatsPanel, MakeInputPipelinePanel, MakeKernelStatsPanel, MakeMarkersPanel,
    MakeMemoryPanel, MakeMemorySnapshotPanel, MakeOpStatsPanel, MakeOverviewPanel, MakeQueryPanel,
    MakeRanksPanel, MakeRooflinePanel, MakeSelectionPanel;

namespace {

// Whether the profile has programs of XLA, or lines of their ops.
bool HasHlo(const Profile& profile) {
  if (profile.analysis && !profile.analysis->Get<HloPrograms>().list().empty()) return true;
  const std::vector<Track>& tracks = profile.trace->set.tracks;
  return std::any_of(tracks.begin(), tracks.end(),
                     [](const Track& track) { return track.kind == TrackKind::kXlaOps; });
}

// Whether operations and bytes of its ops are known: those of HLO, or of PyTorch's shapes.
bool HasRoofline(const Profile& profile) {
  return CapabilitiesOf(*profile.trace).torch_profiler || HasHlo(profile);
}

bool IsFleet(const Profile& profile) { return FleetOf(*profile.trace) != nullptr; }

std::vector<PanelDesc> WithPages(std::span<const PanelDesc> own) {
  std::vector<PanelDesc> all(own.begin(), own.end());
  for (const AnalysisDesc& page : Analyses()) {
    const auto shows = [&](const PanelDesc& panel) {
      return panel.id == std::string_view(page.id);
    };
    if (std::none_of(own.begin(), own.end(), shows)) all.push_back(PanelOfPage(page));
  }
  return all;
}

}  // namespace

std::span<const PanelDesc> Panels() {
  static const PanelDesc kPanels[] = {
      {"details", "Details",
       "The selected event with all its arguments, or sums of what is in view.", "Alt+D",
       DockSlot::kBottomLeft, true, &MakeDetailsPanel},
      {"selection", "Selection",
       "Selected, found, measured or visible events: statistics and a list.", "Alt+S",
       DockSlot::kBottomLeft, true, &MakeSelectionPanel},
      {"markers", "Markers", "Times and ranges to find again, with names.", "Alt+M",
       DockSlot::kBottomLeft, true, &MakeMarkersPanel},
      {"overview", "Overview", "Where a step goes, the verdict, what to look at next.", "Alt+1",
       DockSlot::kBottomRight, true, &MakeOverviewPanel},
      {"findings", "Findings", "What to fix first, and how much of a step it saves.", "Alt+F",
       DockSlot::kBottomRight, true, &MakeFindingsPanel},
      {"input_pipeline", "Input", "Whether input is the bottleneck, and what the host does for it.",
       "Alt+2", DockSlot::kBottomRight, true, &MakeInputPipelinePanel},
      {"kernel_stats", "Kernels", "Every GPU kernel with its launch, time and matrix unit use.",
       "Alt+3", DockSlot::kBottomRight, true, &MakeKernelStatsPanel},
      {"op_stats", "Ops", "Framework operations on hosts and devices.", "Alt+4",
       DockSlot::kBottomRight, true, &MakeOpStatsPanel},
      {"memory", "Memory", "What allocators held over time, and at any time what was live.",
       "Alt+5", DockSlot::kBottomRight, true, &MakeMemoryPanel},
      {"memory_snapshot", "Memory snapshot",
       "Who holds a GPU's memory: peak, leaks, out of memory.", "Alt+8", DockSlot::kBottomRight,
       false, &MakeMemorySnapshotPanel},
      {"devices", "Devices", "How busy each device is, what waits for it, and why it is idle.",
       "Alt+6", DockSlot::kBottomRight, true, &MakeDevicesPanel},
      {"hlo_profile", "HLO profile",
       "Where the time of XLA's programs goes, and how much of it is wasted.", "Alt+9",
       DockSlot::kBottomRight, false, &MakeHloProfilePanel, &HasHlo},
      {"hlo_stats", "HLO ops", "Time, rates and limits of each op of XLA's programs.", "Alt+H",
       DockSlot::kBottomRight, false, &MakeHloStatsPanel, &HasHlo},
      {"roofline", "Roofline", "How near each op is to the limits of its device.", "Alt+R",
       DockSlot::kBottomRight, false, &MakeRooflinePanel, &HasRoofline},
      {"hlo_memory", "HLO memory",
       "What XLA planned for a program's memory, and when it is fullest.", "Alt+B",
       DockSlot::kBottomRight, false, &MakeHloMemoryPanel, &HasHlo},
      {"hlo_graph", "HLO graph",
       "What is around an instruction of a program, and the program's text.", "Alt+G",
       DockSlot::kBottomRight, false, &MakeHloGraphPanel, &HasHlo},
      {"ranks", "Ranks", "Who is late in a job of several hosts or ranks, and why.", "Alt+7",
       DockSlot::kBottomRight, false, &MakeRanksPanel},
      {"fleet", "Fleet", "What slows hundreds of ranks down: a map of ranks and steps.", "Alt+L",
       DockSlot::kBottomRight, false, &MakeFleetPanel, &IsFleet},
      {"compare", "Compare", "What changed from a baseline to another profile, and why.", "Alt+C",
       DockSlot::kBottomRight, false, &MakeComparePanel},
      {"query", "Query", "Answers SQL about the profile: events, steps, tables of other panels.",
       "Alt+Q", DockSlot::kBottomRight, false, &MakeQueryPanel, nullptr, true},
      {"diagnostics", "Diagnostics", "What loading repaired, dropped or clipped.", "Alt+0",
       DockSlot::kBottomRight, true, &MakeDiagnosticsPanel},
  };
  static const std::vector<PanelDesc> kAll = WithPages(kPanels);
  return kAll;
}

const PanelDesc* FindPanel(std::string_view id) {
  for (const PanelDesc& panel : Panels()) {
    if (id == panel.id) return &panel;
  }
  return nullptr;
}

std::string_view PanelOf(std::string_view text) { return text.substr(0, text.find('/')); }

std::string_view PageOf(std::string_view text) {
  const size_t slash = text.find('/');
  return slash == text.npos ? std::string_view() : text.substr(slash + 1);
}

}  // namespace stepscope
