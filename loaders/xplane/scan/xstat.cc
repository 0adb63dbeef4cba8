#include "loaders/xplane/scan/xstat.h"

#include <string>

namespace stepscope::xplane {

using namespace proto;

namespace {

// Whether a field of an XStat is a value: nothing else has its number, and no value another type.
bool IsValue(const Field& f) {
  switch (f.number) {
    case kDoubleValue:
      return f.wire == kFixed64;
    case kUint64Value:
    case kInt64Value:
    case kReferenceValue:
      return f.wire == kVarint;
    case kTextValue:
    case kBytesValue:
    case kCompressedValue:
      return f.wire == kLen;
    default:
      return false;
  }
}

}  // namespace

XStat ReadXStat(std::string_view message) {
  XStat stat;
  FieldReader fields(message);
  Field f;
  while (fields.Next(&f)) {
    if (f.number == 1 && f.wire == kVarint) stat.id = f.Int();
    if (IsValue(f)) stat.value = f;
  }
  stat.whole = !fields.bad() && !fields.clamped();
  return stat;
}

std::optional<double> NumberOf(const XStat& stat) {
  switch (stat.value.number) {
    case kDoubleValue:
      return stat.value.Double();
    case kUint64Value:
      return static_cast<double>(stat.value.value);
    case kInt64Value:
      return static_cast<double>(stat.value.Int());
    default:
      return std::nullopt;
  }
}

std::optional<decltype(Stat::value)> PlainValue(const XStat& stat, const PlaneTables& tables) {
  switch (stat.value.number) {
    case kDoubleValue:
      return stat.value.Double();
    case kUint64Value:
      return stat.value.value;
    case kInt64Value:
      return stat.value.Int();
    case kTextValue:
      return std::string(stat.value.text());
    case kReferenceValue: {
      const std::string* text = tables.StatName(stat.value.Int());
      return text == nullptr ? std::string() : *text;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace stepscope::xplane
