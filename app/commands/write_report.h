// How the commands write what they found: in the form and to the place that the options say.
#pragma once

#include <functional>
#include <string>

#include "app/options.h"
#include "app/report/report.h"

namespace stepscope {

// `json` writes the form that each command has its own of. `no_table` says that the table asked for
// is not there. Returns the exit status.
int WriteReport(const Options& options, const ReportInput& input,
                const std::function<void(const TextSink&)>& json,
                const std::function<std::string()>& no_table);

}  // namespace stepscope
