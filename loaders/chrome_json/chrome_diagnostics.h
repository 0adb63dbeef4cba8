// The faults of the events of a Chrome trace (docs/chrome.md), in whatever order they are found.
// Each batch counts its own, and the file's owner merges them.
#pragma once

#include <cstdint>
#include <string>

#include "loaders/common/counted_diagnostics.h"

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

class ChromeDiagnostics : public CountedDiagnostics<ChromeDiagnostic, PlacesKept::kSmallest> {
 public:
  void Report(const std::string& file, Diagnostics* out) const;
};

}  // namespace stepscope::chrome
