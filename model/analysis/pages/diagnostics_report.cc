#include "model/analysis/pages/diagnostics_report.h"

#include "model/analysis/tables/schema.h"
#include "model/analysis/tables/unit_names.h"

namespace stepscope {
namespace {

std::string Joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

}  // namespace

DiagnosticsReport DiagnosticsReport::Compute(AnalysisContext& context) {
  const Trace& trace = context.trace();
  DiagnosticsReport report{trace.diagnostics.rows()};
  const auto add = [&](const char* id, Severity severity, std::string text) {
    Diagnostic& d = report.rows.emplace_back();
    d.id = id, d.severity = severity, d.text = std::move(text), d.count = 1;
  };
  for (const std::string& e : trace.errors)
    add("profiler.error", Severity::kError, "The profiler reported: " + e);
  for (const std::string& w : trace.warnings)
    add("profiler.warning", Severity::kWarning, "The profiler reported: " + w);
  for (const std::string& f : trace.skipped_files)
    add("file.skipped", Severity::kInfo, "Not read: " + f);
  return report;
}

AnalysisResult RunDiagnostics(AnalysisContext& context, const AnalysisParams&) {
  using D = Diagnostic;
  static const Schema<D> schema(
      "diagnostics", "Diagnostics",
      {{"severity", "Severity", Unit::kNone, [](const D& d) { return SeverityName(d.severity); }},
       {"count", "Count", Unit::kCount, &D::count},
       {"text", "Event", Unit::kNone, &D::text},
       {"first", "First places", Unit::kNone, [](const D& d) { return Joined(d.first); },
        "file, byte offset, plane or line of the first few"},
       {"id", "Id", Unit::kNone, &D::id}});
  auto report = std::make_shared<const DiagnosticsReport>(DiagnosticsReport::Compute(context));
  AnalysisResult result;
  result.panel = "diagnostics";
  result.properties.push_back(
      {"problems", "Problems", static_cast<int64_t>(context.trace().diagnostics.problems()),
       Unit::kCount, "sum of the counts of warnings and errors of the loader"});
  if (report->rows.empty())
    result.empty_reason = "Nothing was repaired, dropped or clipped: the file was read as it is.";
  result.tables.push_back(schema.Make(report->rows));
  result.SetSource(std::move(report));
  return result;
}

}  // namespace stepscope
