// Names of units, types and grades in text that leaves the program: reports, exports, tooltips. All
// functions return string literals; any thread may call them.
#pragma once

#include "model/analysis/tables/result_table.h"
#include "model/diagnostics.h"

namespace stepscope {

// "us", "percent", for machines: the value of `unit` in reports. "" if there is no unit.
const char* UnitName(Unit unit);
// " (µs)", for people: follows a column's label. "" where each number carries its unit.
const char* UnitSuffix(Unit unit);
const char* TypeName(ValueType type);  // "string", "integer", "number", "boolean"
const char* GradeName(Finding::Grade grade);
const char* SeverityName(Severity severity);

}  // namespace stepscope
