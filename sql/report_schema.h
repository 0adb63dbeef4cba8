// Tables of reports in SQL: the table TABLE of the page PANEL is called PANEL_TABLE
// (kernel_stats_kernels), with the columns of `stepscope report`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "model/analysis/tables/result_table.h"
#include "sql/schema.h"

namespace stepscope {

SqlType SqlTypeOf(ValueType type);
std::string ReportTableName(std::string_view panel, const ResultTable& table);
// As for the other tables (schema.h).
std::string DeclarationOf(std::string_view panel, const ResultTable& table);
std::string SchemaText(std::string_view panel, const ResultTable& table);

// The panel and table that a name in SQL means: the longest panel whose id and `_` it begins with,
// whatever the case. `panel` is empty if there is none.
struct ReportName {
  std::string panel, table;
};
ReportName SplitReportName(std::string_view name);

}  // namespace stepscope
