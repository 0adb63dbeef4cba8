// Reports: the results of analyses in the forms of docs/interface.md#report. Results in, text out,
// row by row: no report is in memory as a whole.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/base/text_sink.h"

namespace stepscope {

struct PanelReport {
  const AnalysisDesc* analysis = nullptr;
  std::shared_ptr<const AnalysisResult> result;  // never null
};

struct ReportInput {
  std::string path;  // as the user gave it
  std::string run;
  std::string host;   // empty: all
  std::string table;  // only this table; empty: all
  bool compat_xprof = false;
  std::vector<PanelReport> panels;
};

// Numbers unrounded. NaN and infinities are null. A panel asked for twice is there once.
void WriteReportJson(const ReportInput& input, const TextSink& sink);
// For people and terminals: what a terminal would obey in a name is escaped.
void WriteReportText(const ReportInput& input, const TextSink& sink);
// One page with its styles and charts inside; what came from the profile is escaped.
void WriteReportHtml(const ReportInput& input, const TextSink& sink);
// The table of input.table, or the first one; null if there is none.
const ResultTable* ReportTable(const ReportInput& input);

}  // namespace stepscope
