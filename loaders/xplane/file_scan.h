// FileScan: the skeleton of one XSpace file: its planes, where their lines lie, and their metadata.
// Lengths are hopped over: no event is read but the head of each line. Plain data, filled by
// ScanFile on one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "loaders/byte_source.h"
#include "loaders/riegeli/chunk_list.h"
#include "loaders/xplane/issues.h"
#include "loaders/xplane/window_reader.h"
#include "model/string_pool.h"
#include "model/track.h"

namespace stepscope::xplane {

// A map from metadata ids of a file to dense numbers: an array while ids are small, else a hash
// map.
class IdMap {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t Find(int64_t id) const {
    if (static_cast<uint64_t>(id) < dense_.size()) return dense_[static_cast<size_t>(id)];
    return sparse_ == nullptr ? kNone : FindSparse(id);
  }
  // Returns what the id was mapped to before, or kNone.
  uint32_t Set(int64_t id, uint32_t value);
  size_t size() const { return size_; }
  size_t dense_size() const { return dense_.size(); }  // ids below this are found fastest

 private:
  uint32_t FindSparse(int64_t id) const;
  std::vector<uint32_t> dense_;
  std::unique_ptr<std::unordered_map<int64_t, uint32_t>> sparse_;  // null: none, as in most planes
  size_t size_ = 0;
};

struct LineScan {
  uint64_t begin = 0, end = 0;  // payload of the XLine in the file
  int64_t id = 0;
  int64_t timestamp_ns =
      0;  // as far as it stands before the first event, which it always does in practice
  std::string name;
  bool has_events = false;
  uint32_t file_order = 0;
};

struct EventMetaScan {
  int64_t id = 0;
  StringId name, display_name;  // in the pool given to ScanFile
  uint64_t begin = 0, end = 0;  // payload of the XEventMetadata in the file
  bool has_stats = false;
};

// What a StatSource needs of a plane of the file after loading.
struct PlaneTables {
  uint32_t file = 0;
  uint64_t begin = 0;                      // of the plane in the file
  uint32_t first_meta = 0, last_meta = 0;  // the MetaIds that were made of it: [first, last)
  IdMap event_ids;                         // -> index into event_metas
  std::vector<EventMetaScan> event_metas;
  IdMap stat_ids;  // -> index into stat_names
  std::vector<std::string> stat_names;
  const std::string* StatName(int64_t id) const {
    const uint32_t i = stat_ids.Find(id);
    return i == IdMap::kNone ? nullptr : &stat_names[i];
  }
};

// A plane of a trace has one of these for each message of the file that makes it up, in order of
// the file: one, but in files of several XSpaces. Metadata ids count within a message.
using PlaneParts = std::vector<std::shared_ptr<const PlaneTables>>;
// Of the message that holds the byte `offset` of the file; parts are not empty. O(log parts).
const PlaneTables& TablesAt(std::span<const std::shared_ptr<const PlaneTables>> parts,
                            uint64_t offset);
// Of the message that the MetaId was made of, or null.
const PlaneTables* TablesOfMeta(std::span<const std::shared_ptr<const PlaneTables>> parts,
                                uint32_t meta);

struct PlaneScan {
  uint64_t begin = 0, end = 0;
  int64_t id = 0;
  std::string name;
  uint32_t file_order = 0;
  std::vector<LineScan> lines;
  std::vector<PlaneStat> stats;
  std::shared_ptr<PlaneTables> tables = std::make_shared<PlaneTables>();
  Issues issues;
};

struct FileScan {
  std::shared_ptr<const ByteSource> source;
  // Where its XSpaces begin and end: the whole source, or the records of a Riegeli file.
  std::vector<std::pair<uint64_t, uint64_t>> spaces;
  bool several = false;  // planes of one name, and in them lines of one id, belong together
  std::string file_name, host;
  std::vector<PlaneScan> planes;
  std::vector<std::string> hostnames, errors, warnings;
  int64_t start_unix_ns = 0;  // Task Environment's profile_start_time
  bool tail_cut = false;      // the last bytes are the beginning of something
  riegeli::Damage damage;     // chunks of a Riegeli file that were skipped
  Issues issues;              // of the file's own level
};

// What is left of the limits, over all files of a run.
struct ScanBudget {
  size_t planes = kMaxPlanes, lines = kMaxLines, event_metadata = kMaxMetadata,
         stat_metadata = kMaxMetadata;
};

// Fills scan->planes and the rest from scan->source and scan->spaces. Salvages; kFormat when not
// one plane could be read.
Status ScanFile(FileScan* scan, StringPool* names, ScanBudget* budget, std::stop_token stop);

}  // namespace stepscope::xplane
