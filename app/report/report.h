// Reports: the results of analyses in the forms of docs/interface.md#report. Results in, text out,
// row by row: no report is in memory as a whole.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/base/text_sink.h"

namespace stepscope {

struct PanelReport {
  const AnalysisDesc* analysis = nullptr;
  std::shared_ptr<const AnalysisResult> result;  // null: `compute` gives it
  std::string what = {};                         // one sentence; empty: the analysis's own
  // Asked when the panel is written. The writer drops what it got before it asks for the next: the
  // tables of all panels need not be in memory at once.
  std::function<std::shared_ptr<const AnalysisResult>()> compute = {};

  std::shared_ptr<const AnalysisResult> Result() const { return result ? result : compute(); }
};

struct ReportInput {
  std::string path;  // as the user gave it
  std::string run;
  std::string host;   // empty: all
  std::string table;  // only this table; empty: all
  bool compat_xprof = false;
  bool wide = false;  // text: all columns, however long the lines
  std::vector<PanelReport> panels;
  AnalysisParams params = {};               // which part of the run the panels are about
  std::shared_ptr<const Trace> trace = {};  // data lists the events of findings; null: it does not
};

// "only what begins from 12.0000 ms to 15.0000 ms", "only steps 3 to 7": what of the run is shown;
// empty: all.
std::string PartText(const AnalysisParams& params);

// Numbers unrounded. NaN and infinities are null. A panel asked for twice is there once.
void WriteReportJson(const ReportInput& input, const TextSink& sink);
// The comparison of two profiles: an object of its own. `table`: only this one; empty: all.
void WriteCompareJson(const std::string& a, const std::string& b, const AnalysisResult& result,
                      const std::string& table, const TextSink& sink);
// For people and terminals: what a terminal would obey in a name is escaped.
void WriteReportText(const ReportInput& input, const TextSink& sink);
// One page with its styles and charts inside; what came from the profile is escaped.
void WriteReportHtml(const ReportInput& input, const TextSink& sink);
// The table of input.table, or the first one; null if there is none. Computes the panels in order
// up to the one that has it.
std::shared_ptr<const ResultTable> ReportTable(const ReportInput& input);

}  // namespace stepscope
