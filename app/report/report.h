// Reports: the results of analyses in the forms of docs/interface.md#report. Pure: results in, text
// out.
#pragma once

#include <string>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

struct PanelReport {
  const AnalysisDesc* analysis = nullptr;
  AnalysisResult result;
};

struct ReportInput {
  std::string path;  // as the user gave it
  std::string run;
  std::string host;   // empty: all
  std::string table;  // only this table; empty: all
  bool compat_xprof = false;
  std::vector<PanelReport> panels;
};

// Numbers unrounded. NaN and infinities are null.
std::string ReportJson(const ReportInput& input);
std::string ReportText(const ReportInput& input);
// One page with its styles and charts inside; what came from the profile is escaped.
std::string ReportHtml(const ReportInput& input);
// The table of input.table, or the first one; null if there is none.
const ResultTable* ReportTable(const ReportInput& input);

}  // namespace stepscope
