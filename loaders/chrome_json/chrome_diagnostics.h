// The faults of the events of a Chrome trace (docs/chrome.md), counted by kind with the
// first byte offsets, in whatever order they are found. Not thread-safe: each batch counts its own,
// and the file's owner merges them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "model/diagnostics.h"

namespace stepscope::chrome {

enum class ChromeDiagnostic : uint8_t {
  kEmptyObject,  // the trailing {} of TensorFlow
  kNotAnObject,
  kNoPhase,
  kUnknownPhase,
  kIgnoredPhase,
  kNoTimestamp,
  kTimeOutOfRange,
  kBadDuration,
  kNegativeDuration,
  kNoThread,
  kNoCounterValue,
  kNoId,
  kRefusedBatch,
  kRepaired,
  kDamaged,
  kTruncatedEvent,
  kUnreadableTail,
  kMisplacedText,
  kUnterminated,
  kInvalidUtf8,
  kUnmatchedBegin,
  kUnmatchedEnd,
  kUnmatchedAsyncBegin,
  kUnmatchedAsyncEnd,
  kFlowWithoutStart,
  kFlowWithoutEnd,
  kFlowWithoutSlice,
  kUnknownMetadata,
  kNoCommonClock,
  kFarAway,
  kTruncatedStream,
  kCount
};

class ChromeDiagnostics {
 public:
  void Add(ChromeDiagnostic p, uint64_t offset);
  void Merge(const ChromeDiagnostics& other);
  uint64_t count(ChromeDiagnostic p) const {
    return rows_ ? (*rows_)[static_cast<size_t>(p)].count : 0;
  }
  // Adds all counts to `out`; a place reads "<file> byte <offset>".
  void Report(const std::string& file, Diagnostics* out) const;

 private:
  struct Row {
    uint64_t count = 0;
    uint32_t places = 0;
    std::array<uint64_t, Diagnostics::kMaxPlaces> first{};  // the smallest offsets, ascending
    void Keep(uint64_t offset);
  };
  using Rows = std::array<Row, static_cast<size_t>(ChromeDiagnostic::kCount)>;
  std::unique_ptr<Rows> rows_;  // null while there are none, as for nearly all of many threads
};

}  // namespace stepscope::chrome
