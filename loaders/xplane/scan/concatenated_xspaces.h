// Files that hold several XSpaces: the records of a Riegeli file (<host>.xplane.riegeli), which JAX
// writes while it goes on profiling. Each record has a message for each plane, with metadata ids of
// its own; the functions here find what belongs together.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "loaders/xplane/scan/file_scan.h"
#include "model/track.h"

namespace stepscope::xplane {

inline constexpr const char* kRiegeliEnding = ".xplane.riegeli";

// Fills scan->spaces: the whole of scan->source, or the records of a Riegeli file. In the latter
// case scan->source is replaced by what it inflates to. Errors are those of ReadRecordFile.
Status FindSpaces(const LoadOptions& options, const std::stop_token& stop, Progress* progress,
                  FileScan* scan);

// The planes of a file in order of first appearance, each with its messages: where the file holds
// several XSpaces, messages of one name are one plane.
std::vector<std::vector<PlaneScan*>> GroupPlanes(FileScan* file);

// Joins the stats of a plane's messages: the last one of a name counts.
class StatJoiner {
 public:
  void Add(std::vector<PlaneStat> stats);
  std::vector<PlaneStat> Take() { return std::move(stats_); }

 private:
  std::vector<PlaneStat> stats_;
  std::unordered_map<std::string, size_t> by_name_;  // empty while there was only one message
};

// Finds event metadata that is the same in several messages of a plane: entries that hold nothing
// but a name, by that name.
class SharedMetas {
 public:
  const uint32_t* Find(const EventMetaScan& meta) const {
    if (meta.has_stats) return nullptr;
    const auto it = metas_.find(Key(meta));
    return it == metas_.end() ? nullptr : &it->second;
  }
  // Adds the entries of a whole message at once, so that two of one name in it stay two.
  void Add(const std::vector<EventMetaScan>& scans, const std::vector<uint32_t>& metas) {
    for (size_t i = 0; i < scans.size(); ++i) {
      if (!scans[i].has_stats) metas_.try_emplace(Key(scans[i]), metas[i]);
    }
  }

 private:
  static uint64_t Key(const EventMetaScan& meta) {
    return uint64_t{meta.name.value} << 32 | meta.display_name.value;
  }
  std::unordered_map<uint64_t, uint32_t> metas_;
};

// The identity of a line in all messages of its plane: its id, and its number among the lines with
// that id in its message, because old writers give all lines the same id.
struct LineKey {
  int64_t id = 0;
  uint32_t number = 0;
  bool operator==(const LineKey&) const = default;
};
struct LineKeyHash {
  size_t operator()(const LineKey& key) const {
    return std::hash<int64_t>()(key.id) * 31 + key.number;
  }
};
class LineKeys {  // makes the keys of one message's lines, in order
 public:
  LineKey Next(int64_t id) { return {id, seen_[id]++}; }

 private:
  std::unordered_map<int64_t, uint32_t> seen_;
};

}  // namespace stepscope::xplane
