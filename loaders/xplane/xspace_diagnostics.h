// The faults that were repaired or skipped while reading one XSpace file (docs/xspace.md), counted
// cheaply in workers and turned into Diagnostics at the end. One thread writes an
// XspaceDiagnostics; the owner merges them in a fixed order, so that reports do not depend on
// timing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "model/diagnostics.h"

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

class XspaceDiagnostics {
 public:
  void Count(XspaceDiagnostic diagnostic, uint64_t byte, uint64_t n = 1) {
    if (entries_ == nullptr) entries_ = std::make_unique<Entries>();
    Entry& e = (*entries_)[static_cast<size_t>(diagnostic)];
    if (e.count < e.first.size()) e.first[e.count] = byte;
    e.count += n;
  }
  uint64_t count(XspaceDiagnostic diagnostic) const {
    return entries_ ? (*entries_)[static_cast<size_t>(diagnostic)].count : 0;
  }
  void Merge(const XspaceDiagnostics& other);
  uint64_t total() const;
  bool any() const { return entries_ != nullptr; }
  // Adds all counts to `out`. A place reads "<file> byte 1204331, line 'Stream #14'": `where` is
  // what follows the byte.
  void Report(const std::string& file, const std::string& where, Diagnostics* out) const;

 private:
  struct Entry {
    uint64_t count = 0;
    std::array<uint64_t, Diagnostics::kMaxPlaces> first{};
  };
  using Entries = std::array<Entry, static_cast<size_t>(XspaceDiagnostic::kCount)>;
  std::unique_ptr<Entries> entries_;  // null while there are none, as for nearly all of many lines
};

}  // namespace stepscope::xplane
