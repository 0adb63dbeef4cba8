// PlaneTables: the metadata of a plane of an XSpace file, by the ids that its events use. Filled
// while the file is scanned, then immutable and shared by any threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loaders/common/wire.h"
#include "model/ids.h"
#include "model/stats.h"

namespace stepscope::xplane {

// A map from metadata ids of a file to dense numbers: an array for small ids, a hash map for
// others. O(1).
class IdMap {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t Find(int64_t id) const {
    if (static_cast<uint64_t>(id) < dense_.size()) return dense_[static_cast<size_t>(id)];
    return sparse_ == nullptr ? kNone : FindSparse(id);
  }
  // Returns what the id was mapped to before, or kNone.
  uint32_t Set(int64_t id, uint32_t value);
  std::optional<int64_t> IdOf(uint32_t value) const;  // an id that has the value; O(ids)
  size_t size() const { return size_; }
  size_t dense_size() const { return dense_.size(); }  // ids below this are in the array

 private:
  uint32_t FindSparse(int64_t id) const;
  std::vector<uint32_t> dense_;
  std::unique_ptr<std::unordered_map<int64_t, uint32_t>> sparse_;  // null: none, as in most planes
  size_t size_ = 0;
};

struct EventMetaScan {
  int64_t id = 0;
  StringId name, display_name;  // in the pool given to ScanFile
  uint64_t begin = 0, end = 0;  // payload of the XEventMetadata in the file
  bool has_stats = false;
};

// The facts about a plane of the file that the StatSource needs after loading.
struct PlaneTables {
  uint32_t file = 0;
  uint64_t begin = 0;                      // where the plane begins in the file
  uint32_t first_meta = 0, last_meta = 0;  // MetaIds of its event metadata: [first, last)
  IdMap event_ids;                         // -> index into event_metas
  std::vector<EventMetaScan> event_metas;
  IdMap stat_ids;  // -> index into stat_names
  std::vector<std::string> stat_names;
  const std::string* StatName(int64_t id) const {
    const uint32_t i = stat_ids.Find(id);
    return i == IdMap::kNone ? nullptr : &stat_names[i];
  }
};

// The tables of a plane of a trace: one for each message that makes it up, in order of the file.
// There are several only in files of several XSpaces. Metadata ids count within a message.
using PlaneParts = std::vector<std::shared_ptr<const PlaneTables>>;
// The tables of the message that holds the byte `offset` of the file; `parts` must not be empty.
// O(log parts).
const PlaneTables& TablesAt(std::span<const std::shared_ptr<const PlaneTables>> parts,
                            uint64_t offset);
// The tables of the message that the MetaId comes from, or null. O(log parts).
const PlaneTables* TablesOfMeta(std::span<const std::shared_ptr<const PlaneTables>> parts,
                                uint32_t meta);

// Reads one XStat, in memory: the id of its metadata and its value. Pure; O(bytes).
//
// An XStat is decoded in three ways: here, with every check; by StatDecoder, in the form that
// nearly all stats of events have; and by FindHlo, in the file, because a program takes up to a
// gigabyte.
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
