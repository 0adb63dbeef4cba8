// Factories of the panels in this folder, for registry.cc.
#pragma once

#include <memory>

#include "viewer/panel.h"

namespace stepscope {

std::unique_ptr<Panel> MakeDetailsPanel();
std::unique_ptr<Panel> MakeDiagnosticsPanel();

}  // namespace stepscope
