// FileScan: the skeleton of one XSpace file: its planes, where their lines lie, and their metadata.
// Only the head of a line is read; its events are skipped by their length. Plain data, filled by
// ScanFile on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "loaders/common/counted_diagnostics.h"
#include "loaders/common/wire.h"
#include "loaders/files/byte_source.h"
#include "loaders/riegeli/chunk_list.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "model/diagnostics.h"
#include "model/string_pool.h"
#include "model/track.h"

namespace stepscope::xplane {

// WindowReader: random access to a ByteSource through a window that adapts. It doubles while
// reading goes forward densely and shrinks after jumps: skipping a long line costs one small read,
// and a dense run of small messages a few large ones. One thread at a time. After an error all
// reads are empty, and status() says why.
class WindowReader {
 public:
  static constexpr size_t kMinWindow = size_t{1} << 10;
  static constexpr size_t kMaxWindow = size_t{256} << 10;

  explicit WindowReader(const ByteSource& source) : source_(&source), size_(source.size()) {}

  uint64_t size() const { return size_; }
  const Status& status() const { return status_; }

  // Reads [begin, end) at once, so that no Fetch inside reads again. For ranges of which nearly all
  // is used.
  void Load(uint64_t begin, uint64_t end);
  // Bytes [offset, offset + n), fewer at the end of the source. Valid until the next call.
  std::string_view Fetch(uint64_t offset, size_t n) {
    if (offset >= begin_ && offset + n <= begin_ + length_) {
      used_ += n;
      return {reinterpret_cast<const char*>(data_ + (offset - begin_)), n};
    }
    return Refill(offset, n);
  }

 private:
  std::string_view Refill(uint64_t offset, size_t n);
  void Read(uint64_t offset, size_t n);

  const ByteSource* source_;
  uint64_t size_;
  uint64_t begin_ = 0;
  size_t length_ = 0, window_ = kMinWindow, used_ = 0;
  proto::Bytes data_ = nullptr;
  std::vector<uint8_t> buffer_;
  Status status_;
};

// One field of a message that lies in a source: as proto::Field, with offsets instead of pointers.
struct SourceField {
  uint32_t number = 0, wire = 0;
  uint64_t value = 0;
  uint64_t begin = 0, end = 0;  // only for kLen: its payload
  bool clamped = false;
  uint64_t size() const { return end - begin; }
};

// Sets begin and end of the message whose length lies at `at`, cut where the source ends. False
// when there is none.
bool MessageAt(WindowReader* reader, uint64_t at, SourceField* message);

// Walks the fields of the message [begin, end) of a source without reading payloads.
class SourceFieldReader {
 public:
  SourceFieldReader(WindowReader* reader, uint64_t begin, uint64_t end)
      : reader_(reader), at_(begin), end_(end) {}
  bool Next(SourceField* f);
  bool bad() const { return bad_; }
  bool in_group() const { return groups_.any(); }
  uint64_t position() const { return at_; }  // where the next field, or the garbage, begins

 private:
  WindowReader* reader_;
  uint64_t at_, end_;
  proto::OpenGroups groups_;
  bool bad_ = false;
};

// Calls fn(field) for each field of the message. False where it stopped at garbage; then
// `position`, if not null, says where.
template <typename Fn>
bool ForFields(WindowReader* reader, const SourceField& message, Fn fn,
               uint64_t* position = nullptr) {
  SourceFieldReader fields(reader, message.begin, message.end);
  SourceField f;
  while (fields.Next(&f)) fn(f);
  if (position != nullptr) *position = fields.position();
  return !fields.bad();
}
// As proto::ReadFields. Message() gives fields of the source, and Text() is not for them.
template <typename... Wanted>
bool ReadFields(WindowReader* reader, const SourceField& message, const Wanted&... wanted) {
  return ForFields(reader, message, [&](const SourceField& f) { proto::MatchField(f, wanted...); });
}

// The faults of one XSpace file (docs/xspace.md).
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

// Limits of the XSpace loader (docs/xspace.md). What lies beyond one is skipped and counted; it is
// never an error. Memory is less than the input for real files. For a file of nothing but the
// smallest events it is about 30 times the input (4 bytes become 24), plus what these constants
// allow.
inline constexpr size_t kMaxPlanes = 100'000;       // in all files together
inline constexpr size_t kMaxLines = 500'000;        // in all files together
inline constexpr size_t kMaxMetadata = 16'000'000;  // of events in all files, and as many of stats
inline constexpr size_t kMaxPlaneStats = 10'000;    // stats of one plane that are kept
inline constexpr size_t kMaxErrors = 1'000;         // XSpace.errors and warnings that are kept

struct LineScan {
  uint64_t begin = 0, end = 0;  // payload of the XLine in the file
  int64_t id = 0;
  // Known only if it stands before the first event, as it does in practice.
  int64_t timestamp_ns = 0;
  std::string name;
  bool has_events = false;
  uint32_t file_order = 0;
};

struct PlaneScan {
  uint64_t begin = 0, end = 0;
  int64_t id = 0;
  std::string name;
  uint32_t file_order = 0;
  std::vector<LineScan> lines;
  std::vector<PlaneStat> stats;
  std::shared_ptr<PlaneTables> tables = std::make_shared<PlaneTables>();
  XspaceDiagnostics diagnostics;
};

struct FileScan {
  std::shared_ptr<const ByteSource> source;
  // Begin and end of each XSpace in `source`: the whole of it, or the records of a Riegeli file.
  std::vector<std::pair<uint64_t, uint64_t>> spaces;
  bool several = false;  // several XSpaces: planes of one name, and their lines of one id, are one
  std::string file_name, host;
  std::vector<PlaneScan> planes;
  std::vector<std::string> hostnames, errors, warnings;
  int64_t start_unix_ns = 0;      // Task Environment's profile_start_time
  bool tail_cut = false;          // the file ends inside a field
  riegeli::Damage damage;         // chunks of a Riegeli file that were skipped
  XspaceDiagnostics diagnostics;  // of the fields outside of planes
};

// How much of these limits is left for the files of a run that are still to be scanned.
struct ScanBudget {
  size_t planes = kMaxPlanes, lines = kMaxLines, event_metadata = kMaxMetadata,
         stat_metadata = kMaxMetadata;
};

// Fills the scan from scan->source and scan->spaces. What is damaged is skipped and counted;
// kFormat when not one plane could be read. kIo, kCancelled. O(metadata bytes + lines).
Status ScanFile(FileScan* scan, StringPool* names, ScanBudget* budget, std::stop_token stop);

// ReportScan: what a person is told of a file's skeleton: damage, a cut, fields that make no sense.

// Adds what was counted of the file, outside of planes and in the heads of planes. O(planes).
void ReportScan(const FileScan& file, Diagnostics* out);

}  // namespace stepscope::xplane
