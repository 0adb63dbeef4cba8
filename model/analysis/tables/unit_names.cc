#include "model/analysis/tables/unit_names.h"

#include <array>

namespace stepscope {

const char* UnitName(Unit unit) {
  static constexpr std::array<const char*, 12> kNames = {
      "", "ps", "ns", "us", "ms", "percent", "fraction", "bytes", "GiB", "count", "GFLOP/s", "us"};
  static_assert(kNames.size() == static_cast<size_t>(Unit::kUnixUs) + 1);
  return kNames[static_cast<size_t>(unit)];
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
  static constexpr std::array<const char*, 4> kNames = {"string", "integer", "number", "boolean"};
  static_assert(kNames.size() == static_cast<size_t>(ValueType::kBool) + 1);
  return kNames[static_cast<size_t>(type)];
}

const char* GradeName(Finding::Grade grade) {
  static constexpr std::array<const char*, 4> kNames = {"good", "info", "warning", "bad"};
  static_assert(kNames.size() == static_cast<size_t>(Finding::Grade::kBad) + 1);
  return kNames[static_cast<size_t>(grade)];
}

const char* SeverityName(Severity severity) {
  static constexpr std::array<const char*, 3> kNames = {"info", "warning", "error"};
  static_assert(kNames.size() == static_cast<size_t>(Severity::kError) + 1);
  return kNames[static_cast<size_t>(severity)];
}

}  // namespace stepscope
