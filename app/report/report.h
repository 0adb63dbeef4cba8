// Reports: the results of analyses as text, JSON, CSV and HTML (docs/interface.md#report).
// Results go in, text comes out row by row: no report is in memory as a whole. This folder also
// writes events (event_list.h, chrome_export.h) and the contents of a profile (info.h). Start
// reading here. Writers keep no state; threads may write different reports at a time.
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
  std::shared_ptr<const AnalysisResult> result;  // null: `compute` returns it
  std::string what = {};  // what the page is about, in one sentence; empty: the analysis says it
  // Called when the page is written. The writer drops the result before it calls the next one, so
  // that the tables of all pages need not be in memory at once.
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
  AnalysisParams params = {};               // the part of the profile that the pages are about
  std::shared_ptr<const Trace> trace = {};  // for the events of findings; null: they are not listed
};

// Says which part of the profile is shown, as in "only what begins from 12.0000 ms to 15.0000 ms"
// or "only steps 3 to 7"; empty if all of it is.
std::string PartText(const AnalysisParams& params);

// Numbers are not rounded; NaN and infinities are null. A page that was asked for twice is
// written once.
void WriteReportJson(const ReportInput& input, const TextSink& sink);
// Writes the comparison of the profiles at paths `a` and `b`, which is an object of its own.
// `table` is the only one to write; empty: all.
void WriteCompareJson(const std::string& a, const std::string& b, const AnalysisResult& result,
                      const std::string& table, const TextSink& sink);
// For people; escape sequences in names are escaped.
void WriteReportText(const ReportInput& input, const TextSink& sink);
// Writes one file with its styles and charts inside; texts of the profile are escaped.
void WriteReportHtml(const ReportInput& input, const TextSink& sink);
// Returns the table that input.table names, or the first one; null if there is none. It computes
// the pages in order up to the one that has the table.
std::shared_ptr<const ResultTable> ReportTable(const ReportInput& input);

}  // namespace stepscope
