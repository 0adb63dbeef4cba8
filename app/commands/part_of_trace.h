// What of a trace a command is about: --panel, --host, --range and --steps.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "model/analysis/analysis.h"

namespace stepscope {

// The analyses to run, in the order of the registry or of the command line; empty: one is unknown,
// and the error is printed.
// Of all, --compat xprof leaves out what XProf has nothing of.
std::vector<const AnalysisDesc*> ChooseAnalyses(const std::vector<std::string>& panels,
                                                bool compat_xprof = false);

AnalysisParams PartOf(const Options& options);
// False, with the error printed in one line, where the trace has nothing there. Steps are computed
// only if some are asked for.
bool CheckPart(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
