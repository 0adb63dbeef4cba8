// The part of a trace that a command is about: --panel, --host, --range and --steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command_line/shared_options.h"
#include "model/analysis/analysis.h"

namespace stepscope {

// Returns the analyses with these ids in their order, or all if there are no ids. `compat_xprof`
// leaves out of all those that XProf has not. Empty if an id is unknown; the error is printed
// then.
std::vector<const AnalysisDesc*> ChooseAnalyses(const std::vector<std::string>& panels,
                                                bool compat_xprof = false);

// Where errors of --threshold and --forbid send the user for the ids of rules.
inline constexpr const char* kListsRules = "`report --panel findings --table rules` lists them";

// The trace on the clocks that the options ask for: itself if these are the recorded ones, or if
// there is nothing to align. O(events)
std::shared_ptr<const Trace> OnClocksOf(const PartOptions& options,
                                        std::shared_ptr<const Trace> trace);

AnalysisParams PartOf(const PartOptions& options);
// Whether the trace has anything in this part. If it has not, the error is printed in one line.
// Steps are computed only if `params` names some.
bool CheckPart(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
