#include <fmt/format.h>

#include "app/report/report.h"
#include "app/report/text_layout.h"
#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

constexpr int kDigits = 6;       // of a time that was asked for
constexpr size_t kMaxRows = 30;  // of a table, unless it is asked for by name

const char* GradeMark(Finding::Grade grade) {
  switch (grade) {
    case Finding::Grade::kGood:
      return "good:";
    case Finding::Grade::kInfo:
      return "note:";
    case Finding::Grade::kWarning:
      return "warning:";
    case Finding::Grade::kBad:
      break;
  }
  return "problem:";
}

void AddPanel(const PanelReport& panel, const std::string& only_table, TextBuffer* out) {
  const std::shared_ptr<const AnalysisResult> computed = panel.Result();
  const AnalysisResult& result = *computed;
  const std::string title = panel.analysis->title;
  *out += "\n" + title + "\n" + std::string(CellsOf(title), '=') + "\n";
  if (!result.empty_reason.empty()) *out += TerminalText(result.empty_reason) + "\n";
  for (const Finding& f : result.findings) {
    *out += fmt::format("{} {}\n", GradeMark(f.grade), TerminalText(f.text));
    if (!f.next_step.empty()) *out += "  " + TerminalText(f.next_step) + "\n";
  }
  TextRows properties;
  for (const Property& p : result.properties) {
    properties.Add({p.label.empty() ? p.id : p.label, FormatValue(p.value, p.unit)});
  }
  if (only_table.empty()) *out += properties.Render();
  for (const ResultTable& table : result.tables) {
    if (!only_table.empty() && table.id != only_table) continue;
    *out += fmt::format("\n{} ({})\n", table.title.empty() ? table.id : table.title, table.id);
    if (table.rows.empty()) {
      *out += "no rows\n";
      continue;
    }
    WriteText(table, only_table.empty() ? kMaxRows : 0,
              [out](std::string_view text) { *out += text; });
  }
}

}  // namespace

std::string PartText(const AnalysisParams& params) {
  std::string text;
  if (!params.range.empty()) {
    text = "only what begins from " + FormatDuration(params.range.begin, kDigits) + " to " +
           FormatDuration(params.range.end, kDigits);
  }
  if (!params.steps) return text;
  text += text.empty() ? "only " : " and in ";
  if (params.steps->first == params.steps->last)
    return text + fmt::format("step {}", params.steps->first);
  return text + fmt::format("steps {} to {}", params.steps->first, params.steps->last);
}

void WriteReportText(const ReportInput& input, const TextSink& sink) {
  TextBuffer out(sink);
  const std::string host = input.host.empty() ? "all hosts" : "host " + TerminalText(input.host);
  out += fmt::format("{}\nrun {}, {}{}\n", TerminalText(input.path), TerminalText(input.run), host,
                     input.compat_xprof ? ", definitions of XProf 2.24" : "");
  if (const std::string part = PartText(input.params); !part.empty()) out += part + "\n";
  for (const PanelReport& panel : input.panels) AddPanel(panel, input.table, &out);
}

}  // namespace stepscope
