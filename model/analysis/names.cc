#include "model/analysis/names.h"

namespace stepscope {

const char* UnitName(Unit unit) {
  switch (unit) {
    case Unit::kPs:
      return "ps";
    case Unit::kNs:
      return "ns";
    case Unit::kUs:
      return "us";
    case Unit::kMs:
      return "ms";
    case Unit::kPercent:
      return "percent";
    case Unit::kFraction:
      return "fraction";
    case Unit::kBytes:
      return "bytes";
    case Unit::kGiB:
      return "GiB";
    case Unit::kCount:
      return "count";
    case Unit::kGflops:
      return "GFLOP/s";
    case Unit::kNone:
      break;
  }
  return "";
}

const char* UnitSuffix(Unit unit) {
  switch (unit) {
    case Unit::kNs:
      return " (ns)";
    case Unit::kUs:
      return " (\u00b5s)";
    case Unit::kMs:
      return " (ms)";
    case Unit::kGiB:
      return " (GiB)";
    case Unit::kGflops:
      return " (GFLOP/s)";
    default:
      return "";
  }
}

const char* TypeName(ValueType type) {
  switch (type) {
    case ValueType::kInt:
      return "integer";
    case ValueType::kReal:
      return "number";
    case ValueType::kBool:
      return "boolean";
    case ValueType::kString:
      break;
  }
  return "string";
}

const char* GradeName(Finding::Grade grade) {
  switch (grade) {
    case Finding::Grade::kGood:
      return "good";
    case Finding::Grade::kInfo:
      return "info";
    case Finding::Grade::kWarning:
      return "warning";
    case Finding::Grade::kBad:
      break;
  }
  return "bad";
}

const char* SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

}  // namespace stepscope
