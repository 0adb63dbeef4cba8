// What a loader or analysis repaired, dropped or clipped: named counters with severity, text and
// first places. Not thread-safe; each worker fills its own and the owner merges them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

enum class Severity { kInfo, kWarning, kError };

struct Diagnostic {
  std::string id;  // stable, "xplane.truncated_event"
  Severity severity = Severity::kInfo;
  uint64_t count = 0;
  std::string text;                // one sentence for people; the count is shown beside it
  std::vector<std::string> first;  // the first places, at most kMaxPlaces: "host.xplane.pb byte 1
                                   // 204 331, line 'Stream #14'"
};

// The id that every loader counts a file under that ends before it is complete, beside what it says
// of the places: for those who want to know just that.
inline constexpr std::string_view kTruncated = "truncated";

class Diagnostics {
 public:
  static constexpr size_t kMaxPlaces = 4;
  // Adds to the counter `id`; the place is kept if among the first.
  void Count(std::string_view id, Severity severity, std::string_view text, std::string place = {},
             uint64_t n = 1);
  // That of kTruncated, for one file; `place`: where it ends.
  void CountTruncated(std::string place);
  void Merge(const Diagnostics& other);
  const Diagnostic* Find(std::string_view id) const;             // null: not counted
  const std::vector<Diagnostic>& rows() const { return rows_; }  // in order of first occurrence
  uint64_t problems() const;  // sum of counts with severity warning or error

 private:
  std::vector<Diagnostic> rows_;
};

}  // namespace stepscope
