// Diagnostics: what a loader or analysis repaired, dropped or clipped, as named
// counters with a severity, a text and the first places. Not thread-safe: each worker
// fills its own, and the owner merges them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

enum class Severity { kInfo, kWarning, kError };

struct Diagnostic {
  std::string id;  // never changes: "xplane.truncated_event"
  Severity severity = Severity::kInfo;
  uint64_t count = 0;
  std::string text;                // one sentence for people; the count is shown beside it
  std::vector<std::string> first;  // the first places, at most kMaxPlaces: "host.xplane.pb byte 1
                                   // 204 331, line 'Stream #14'"
};

// The id under which every loader counts files that end before they are complete. Its own
// diagnostics say more; this one answers whether anything is missing.
inline constexpr std::string_view kTruncated = "truncated";
// The id under which files on another machine are counted that were not read to their end.
inline constexpr std::string_view kRemoteCut = "remote.cut";

// What a recording lost before it was opened. Every loader counts a loss under the loss's own id,
// so that readers need not know the loader.
enum class RecordingLoss : uint8_t {
  kTruncated,           // a file ends before it is complete; counts files
  kImpossibleDuration,  // an event outlasts the next ones of its queue; counts events
  kLostTime,            // an event has time 0 and length 0; counts events
  kWriterLimit,         // the program that wrote the file stopped at its limit; counts files
  kUnreadMember,        // recorded data that Stepscope does not read; counts entries
  kCount
};
// "truncated": the id of the loss's row in Diagnostics. It never changes.
std::string_view IdOf(RecordingLoss loss);
// The id under which files are counted that belong to a profile and could not be read: an empty
// one, or a pointer of Git LFS. A place is the file's name and what is wrong with it.
inline constexpr std::string_view kMissingFile = "file.missing";

class Diagnostics {
 public:
  static constexpr size_t kMaxPlaces = 4;
  // Adds `n` to the counter `id`, and keeps the place if it is one of the first kMaxPlaces. The
  // first call for an id sets its severity and text. O(counters).
  void Count(std::string_view id, Severity severity, std::string_view text, std::string place = {},
             uint64_t n = 1);
  // Counts a loss with its own severity and text. `place`: the file, and what it lost there, such
  // as "a.json: 20 of 40 events".
  void Count(RecordingLoss loss, std::string place, uint64_t n = 1);
  // Counts one file under kTruncated. `place`: where the file ends.
  void CountTruncated(std::string place) { Count(RecordingLoss::kTruncated, std::move(place)); }
  // Counts one file under kMissingFile.
  void CountMissingFile(std::string place);
  void Merge(const Diagnostics& other);
  const Diagnostic* Find(std::string_view id) const;  // null if nothing was counted
  const Diagnostic* Find(RecordingLoss loss) const { return Find(IdOf(loss)); }
  const std::vector<Diagnostic>& rows() const { return rows_; }  // in order of first occurrence
  uint64_t problems() const;  // sum of counts with severity warning or error

 private:
  std::vector<Diagnostic> rows_;
};

}  // namespace stepscope
