// The faults of one XSpace file (docs/xspace.md).
#pragma once

#include <cstdint>
#include <string>

#include "loaders/common/counted_diagnostics.h"

namespace stepscope::xplane {

enum class XspaceDiagnostic : uint8_t {
  kBadSpace,           // garbage between planes: the rest of the file is lost
  kBadPlane,           // garbage inside a plane: the rest of the plane is lost
  kBadLine,            // garbage inside a line: the rest of the line is lost
  kBadEvent,           // garbage inside an event: what came before it is kept
  kBadMetadata,        // a metadata entry that does not parse: what came before the error is kept
  kLengthPastEnd,      // a length beyond the end of what holds it: cut there
  kWrongType,          // a known field of another wire type: skipped
  kMissingMetadata,    // an event whose metadata id has no entry: it has no name
  kDuplicateMetadata,  // an id defined twice: the last one counts
  kNegativeDuration,   // set to 0
  kTimeClipped,        // further than 106 days from the origin
  kZeroBasedLine,    // a line that counts from the start of profiling beside lines that count from
                     // 1970
  kStrayLine,        // a line start more than 53 days from the others: not used for the origin
  kTruncatedStream,  // the compressed stream ended early
  kTooManyPlanes,
  kTooManyLines,
  kTooManyMetadata,
  kNameCut,
  kHloLimit,
  kBadCounter,  // an event of a counter line without a number
  kCount
};

class XspaceDiagnostics : public CountedDiagnostics<XspaceDiagnostic, PlacesKept::kFirst> {
 public:
  void Report(const std::string& file, const std::string& where, Diagnostics* out) const;
};

}  // namespace stepscope::xplane
