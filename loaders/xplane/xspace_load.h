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
#include <vector>

#include "loaders/common/track_roles.h"
#include "loaders/loader.h"
#include "loaders/xplane/hlo_reader.h"
#include "loaders/xplane/lines/line_set.h"
#include "loaders/xplane/scan/file_scan.h"
#include "loaders/xplane/time_base.h"
#include "model/trace_builder.h"

namespace stepscope::xplane {

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
