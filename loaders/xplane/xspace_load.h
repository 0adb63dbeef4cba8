// Loads the XSpace files of a run: <host>.xplane.pb and <host>.xplane.riegeli of TensorFlow, JAX
// and XLA (docs/xspace.md). Every file is scanned for its planes and lines, lines are parsed on all
// cores, and what several messages of one plane hold is joined. The loader's row is in
// xspace_load.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/common/track_roles.h"
#include "loaders/loader.h"
#include "loaders/xplane/hlo_reader.h"
#include "loaders/xplane/lines/line_set.h"
#include "loaders/xplane/scan/file_scan.h"
#include "loaders/xplane/time_base.h"
#include "model/trace_builder.h"
#include "model/track.h"

namespace stepscope::xplane {

// Files that hold several XSpaces: the records of a Riegeli file (<host>.xplane.riegeli), which JAX
// writes while it goes on profiling. Each record has a message for each plane, with metadata ids of
// its own; the functions here find what belongs together.
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

inline constexpr size_t kStopEveryLines = 4096;  // planes or lines

inline Status Cancelled() { return {ErrorCode::kCancelled, "cancelled"}; }

// One of the file's messages that make up a plane.
struct PlanePart {
  PlaneScan* scan = nullptr;
  std::vector<uint32_t> metas;              // by index in scan->tables->event_metas
  std::optional<CoreTimeStats> core_times;  // of a TPU core
};

struct PlaneLoad {
  FileScan* file = nullptr;
  uint32_t file_index = 0;
  std::vector<PlanePart> parts;  // in order of the file; several only in files of several XSpaces
  naming::PlaneNaming naming;
  PlaneId id;
  const PlaneScan& first() const { return *parts.front().scan; }
};

inline PlaneParts PartsOf(const PlaneLoad& plane) {
  PlaneParts parts;
  for (const PlanePart& part : plane.parts) parts.push_back(part.scan->tables);
  return parts;
}

struct LineLoad {
  PlaneLoad* plane = nullptr;
  PlanePart* part = nullptr;
  LineScan* scan = nullptr;
  LineStart* start = nullptr;
  ParsedLine parsed;
  // The id and the name of a line may stand behind its events.
  int64_t id() const { return parsed.has_late_id ? parsed.late_id : scan->id; }
  const std::string& name() const {
    return parsed.late_name.empty() ? scan->name : parsed.late_name;
  }
};

// Loads the files of one run. Run() lists the steps in order; members hold what they hand on.
// `samples`: of long lines only places are read, for a first picture.
class XSpaceLoad {
 public:
  XSpaceLoad(TraceBuilder* builder, std::span<const InputFile> inputs, const LoadOptions& options,
             std::stop_token stop, Progress* progress, bool samples = false)
      : builder_(*builder),
        inputs_(inputs),
        options_(options),
        stop_(std::move(stop)),
        progress_(*progress),
        samples_(samples) {}

  Status Run();

 private:
  Status OpenAndScan();
  Status OpenAndScan(size_t input, Result<std::shared_ptr<const ByteSource>> source,
                     ScanBudget* budget);
  bool IsLarge() const;
  void ShowFirstPicture();
  void AddHosts();
  void ListPlanes();
  void AddPlanes();
  void AddMetas();
  void AddMetas(PlaneLoad* plane);
  void ListLines();
  void PlaceLines();
  Status ParseLines();
  Status SampleOf(std::span<const LineTask> tasks);
  Status ReadHloOf(size_t file);
  void NameMissingMetas();
  void FixLateTimestamps();
  void CountStrangeStarts();
  void JoinLines();
  void RetimeTpuCores();
  std::vector<std::vector<size_t>> GroupLines() const;
  Status AddTracks();
  Status AddTracksOf(std::span<LineLoad> lines);
  Track MakeTrack(const LineLoad& line);
  Status AddCounters(LineLoad* line, Track* track);
  void Report();
  void ReportDevices();

  TraceBuilder& builder_;
  std::span<const InputFile> inputs_;
  const LoadOptions& options_;
  std::stop_token stop_;
  Progress& progress_;
  bool samples_;

  std::vector<FileScan> files_;
  std::vector<HostTimes> host_times_;
  std::vector<HloTable> hlo_;                       // by file
  std::vector<XspaceDiagnostics> hlo_diagnostics_;  // by file
  std::vector<PlaneLoad> planes_;                   // by PlaneId
  std::vector<LineLoad> lines_;                     // by plane, then in file order
};

}  // namespace stepscope::xplane
