// Writes a report, for the commands `report` and `compare`.
#pragma once

#include <functional>
#include <string>

#include "app/command_line/command_line.h"
#include "app/report/report.h"

namespace stepscope {

// Writes the report in the form and to the place that the options name. `json` writes the JSON of
// the command, as each command has an object of its own. `no_table` returns the error for a table
// that is not there. Returns the exit status; errors are printed.
int WriteReport(const ReportForm& form, const ReportInput& input,
                const std::function<void(const TextSink&)>& json,
                const std::function<std::string()>& no_table);

}  // namespace stepscope
