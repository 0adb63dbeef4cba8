// What units, types and grades are called in text that leaves the program: reports, exports,
// tooltips. All return string literals. Any thread.
#pragma once

#include "model/analysis/result_table.h"
#include "model/diagnostics.h"

namespace stepscope {

const char* UnitName(Unit unit);  // "us", "percent"; "" for none: the report's `unit`
const char* UnitSuffix(
    Unit unit);  // " (µs)" after a column's label; "" where numbers carry their unit
const char* TypeName(ValueType type);  // "string", "integer", "number", "boolean"
const char* GradeName(Finding::Grade grade);
const char* SeverityName(Severity severity);

}  // namespace stepscope
