// Factories of the panels in this folder, for registry.cc.
#pragma once

#include <memory>

#include "viewer/core/panel.h"

namespace stepscope {

std::unique_ptr<Panel> MakeDetailsPanel();
std::unique_ptr<Panel> MakeDiagnosticsPanel();
std::unique_ptr<Panel> MakeMemoryPanel();
std::unique_ptr<Panel> MakeOpStatsPanel();
std::unique_ptr<Panel> MakeKernelStatsPanel();
std::unique_ptr<Panel> MakeInputPipelinePanel();
std::unique_ptr<Panel> MakeOverviewPanel();

}  // namespace stepscope
