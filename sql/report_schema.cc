#include "sql/report_schema.h"

#include "model/analysis/analysis.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

std::string DeclaredTypeOf(const ColumnDesc& column) {
  // A slash is no part of a type.
  return DeclaredType(SqlTypeOf(column.type),
                      column.unit == Unit::kGflops ? "Gflops" : UnitName(column.unit));
}

}  // namespace

SqlType SqlTypeOf(ValueType type) {
  if (type == ValueType::kString) return SqlType::kText;
  return type == ValueType::kReal ? SqlType::kReal : SqlType::kInteger;
}

std::string ReportTableName(std::string_view panel, const ResultTable& table) {
  return std::string(panel) + "_" + table.id;
}

std::string DeclarationOf(std::string_view panel, const ResultTable& table) {
  std::string text = "CREATE TABLE " + QuotedName(ReportTableName(panel, table)) + "(";
  for (const ColumnDesc& column : table.columns)
    text +=
        (text.ends_with('(') ? "" : ", ") + QuotedName(column.id) + " " + DeclaredTypeOf(column);
  return text + ")";
}

std::string SchemaText(std::string_view panel, const ResultTable& table) {
  std::string text =
      "-- " + table.title + "\nCREATE TABLE " + ReportTableName(panel, table) + "(\n";
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnDesc& column = table.columns[i];
    const std::string unit = UnitName(column.unit);
    text += "  " + QuotedName(column.id) + " " + DeclaredType(SqlTypeOf(column.type), "");
    text += i + 1 < table.columns.size() ? ",  -- " : "   -- ";
    text += (unit.empty() ? "" : unit + ": ") + column.label + "\n";
  }
  return text + ");\n";
}

ReportName SplitReportName(std::string_view name) {
  const std::string lower = Lower(name);
  ReportName found;
  for (const AnalysisDesc& analysis : Analyses()) {
    const std::string start = std::string(analysis.id) + "_";
    if (lower.starts_with(start) && start.size() > found.panel.size())
      found = {analysis.id, lower.substr(start.size())};
  }
  return found;
}

}  // namespace stepscope
