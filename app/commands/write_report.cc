#include "app/commands/write_report.h"

#include <memory>

#include "app/system/output.h"

namespace stepscope {

int WriteReport(const ReportForm& form, const ReportInput& input,
                const std::function<void(const TextSink&)>& json,
                const std::function<std::string()>& no_table) {
  const bool one_table = !input.table.empty() || form.format == ReportFormat::kCsv;
  const std::shared_ptr<const ResultTable> table = one_table ? ReportTable(input) : nullptr;
  if (one_table && !table) {
    LogError(no_table());
    return kExitUsage;
  }
  Output output(form.output);
  if (form.format == ReportFormat::kText) WriteReportText(input, output.sink());
  if (form.format == ReportFormat::kJson) json(output.sink());
  if (form.format == ReportFormat::kCsv) WriteCsv(*table, output.sink());
  if (form.format == ReportFormat::kHtml) WriteReportHtml(input, output.sink());
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace stepscope
