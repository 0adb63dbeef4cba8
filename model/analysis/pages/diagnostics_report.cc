// The analysis `diagnostics`: what the loader repaired, dropped or clipped, and what the profiler
// itself reported.
#include "model/analysis/analysis.h"
#include "model/analysis/tables/unit_names.h"

namespace stepscope {
namespace {

std::string Joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

}  // namespace

AnalysisResult RunDiagnostics(AnalysisContext& context, const AnalysisParams&) {
  const Trace& trace = context.trace();
  AnalysisResult result;
  result.panel = "diagnostics";
  ResultTable table{"diagnostics",
                    "Diagnostics",
                    {{"severity", "Severity", Unit::kNone, ValueType::kString, ""},
                     {"count", "Count", Unit::kCount, ValueType::kInt, ""},
                     {"text", "What happened", Unit::kNone, ValueType::kString, ""},
                     {"first", "First places", Unit::kNone, ValueType::kString,
                      "file, byte offset, plane or line of the first few"},
                     {"id", "Id", Unit::kNone, ValueType::kString, ""}}};
  const auto add = [&](const char* severity, int64_t count, std::string text, std::string first,
                       std::string id) {
    table.AddRow({std::string(severity), count, std::move(text), std::move(first), std::move(id)});
  };
  for (const Diagnostic& d : trace.diagnostics.rows()) {
    add(SeverityName(d.severity), static_cast<int64_t>(d.count), d.text, Joined(d.first), d.id);
  }
  for (const std::string& e : trace.errors)
    add("error", 1, "The profiler reported: " + e, {}, "profiler.error");
  for (const std::string& w : trace.warnings)
    add("warning", 1, "The profiler reported: " + w, {}, "profiler.warning");
  for (const std::string& f : trace.skipped_files)
    add("info", 1, "Not read: " + f, {}, "file.skipped");
  result.properties.push_back({"problems", "Problems",
                               static_cast<int64_t>(trace.diagnostics.problems()), Unit::kCount,
                               "sum of the counts of warnings and errors of the loader"});
  if (table.empty())
    result.empty_reason = "Nothing was repaired, dropped or clipped: the file was read as it is.";
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace stepscope
