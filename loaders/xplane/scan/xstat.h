// Reads one XStat, in memory: the id of its metadata and its value. Pure; O(bytes).
//
// An XStat is decoded in three ways: here, with every check; by StatDecoder, in the form that
// nearly all stats of events have; and by FindHlo, in the file, because a program takes up to a
// gigabyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "loaders/common/wire.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "model/stats.h"

namespace stepscope::xplane {

inline constexpr size_t kMaxStatBytes = 1 << 20;  // of one stat, and of its text after inflating

// Numbers of the fields that hold a value.
enum XStatValue : uint32_t {
  kNoValue = 0,
  kDoubleValue = 2,
  kUint64Value,
  kInt64Value,
  kTextValue,
  kBytesValue,
  kReferenceValue,   // id of the stat metadata whose name is the value
  kCompressedValue,  // a text, packed by gzip
};

struct XStat {
  int64_t id = 0;      // of its metadata
  proto::Field value;  // the last one that the message has; its number is an XStatValue
  bool whole = true;   // false: what came before garbage, or a length that is too large
};
XStat ReadXStat(std::string_view message);

// A double, uint64 or int64; nothing for other values.
std::optional<double> NumberOf(const XStat& stat);
// A number or text; a reference is resolved by the plane's stat names (empty where unknown).
// Nothing for bytes, compressed text and no value, which callers treat as they need.
std::optional<decltype(Stat::value)> PlainValue(const XStat& stat, const PlaneTables& tables);

}  // namespace stepscope::xplane
