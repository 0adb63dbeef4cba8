// DeviceWork: which work (StepWork) and item each event of a device belongs to. It names each pair
// of op and kernel once. Not thread-safe.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "model/analysis/ops/device_op_names.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

class DeviceWork {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  // The context and the table must outlive it.
  DeviceWork(AnalysisContext& context, ItemTable* table);

  // Appends for each event of the lane the index of its work in the table, or
  // kNone if it is no work. O(events).
  void Read(const Lane& lane, std::vector<uint32_t>* out);
  // The class of events with this metadata, by DeviceClasses.
  uint8_t ClassOf(uint32_t meta) const { return classes_[meta]; }
  // The size of a copy; 0 if it is not recorded.
  int64_t BytesOf(uint32_t row) const;

 private:
  struct Key {
    DeviceOpKey op;
    uint32_t meta = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const {
      return DeviceOpKeyHash()(k.op) * 31 + k.meta * 0x9e3779b97f4a7c15ull;
    }
  };
  uint32_t Make(const Key& key, uint32_t row);
  std::string OpNameOf(const DeviceOpKey& key) const;
  std::vector<std::string> PlaceOf(const std::string& op, uint32_t row);
  std::string ShapeOf(uint32_t row) const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const DeviceOpNames names_;
  DeviceOpNames::Reader reader_;
  const std::vector<uint8_t>& classes_;
  ItemTable* table_;
  std::unordered_map<Key, uint32_t, KeyHash> made_;
};

}  // namespace stepscope::compare
