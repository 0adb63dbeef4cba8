#include "model/analysis/findings/device_scan.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>

#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/steps.h"
#include "model/jobs/job.h"
#include "model/string_pool.h"

namespace stepscope {

void LateTimes::Add(const LateTimes& other) {
  launch += other.launch;
  sync += other.sync;
  after_short += other.after_short;
  after_sync += other.after_sync;
  for (size_t d = 0; d < after_copy.size(); ++d) after_copy[d] += other.after_copy[d];
}

LateLaunches::LateLaunches(const Trace& trace, const Grouping& grouping, const StepDatabase& db,
                           std::span<const double> weights, PlaneId device)
    : trace_(trace), grouping_(grouping), weights_(weights), windows_(StepWindowsOf(db, device)) {
  for (const DeviceIdle& idle : db.idle_parts) {
    if (idle.device == device) parts_ = &idle.parts;
  }
}

LateTimes LateLaunches::Take() {
  if (parts_ != nullptr) Divide({last_.range.end, kMaxPs});
  return times_;
}

// Whether the call that launched the copy returns when the copy is done.
bool LateLaunches::Blocks(const Event& copy) const {
  if (copy.work != Work::kCopy) return false;
  const EventRow launch = grouping_.LaunchOf(copy.row);
  return launch.valid() &&
         SaturatingAdd(trace_.set.Start(launch), trace_.set.Duration(launch)) >= copy.range.end;
}

double LateLaunches::WeightAt(Ps time) {
  while (window_ < windows_.size() && windows_[window_].span.end <= time) ++window_;
  const bool inside = window_ < windows_.size() && windows_[window_].span.Contains(time);
  return inside ? weights_[windows_[window_].step] : 0;
}

// Divides one idle interval; `last_` ran before it. After a part of another class a launch is
// late because of that part, except after ops and Python: a longer kernel would have hidden
// those.
void LateLaunches::Divide(TimeRange gap) {
  while (part_ < parts_->size() && (*parts_)[part_].range.begin < gap.begin) ++part_;
  if (part_ == parts_->size() || (*parts_)[part_].range.begin >= gap.end) return;
  double* copy = Blocks(last_) ? &times_.after_copy[static_cast<size_t>(last_.direction)] : nullptr;
  bool is_short = last_.work == Work::kKernel && last_.range.length() < kShortKernel;
  bool synced = false;
  for (; part_ < parts_->size() && (*parts_)[part_].range.begin < gap.end; ++part_) {
    const IdleInterval& part = (*parts_)[part_];
    const double time = static_cast<double>(part.range.length()) * WeightAt(part.range.begin);
    const bool launch = part.loss == StepTimeClass::kLaunch,
               sync = part.loss == StepTimeClass::kSync;
    if (!launch && !sync) {
      copy = nullptr, synced = false;
      is_short =
          is_short && (part.loss == StepTimeClass::kHost || part.loss == StepTimeClass::kUnknown);
      continue;
    }
    (launch ? times_.launch : times_.sync) += time;
    if (copy != nullptr) *copy += time;
    if (launch && synced) times_.after_sync += time;
    if (launch && is_short && copy == nullptr) times_.after_short += time;
    synced = synced || sync;
    is_short = is_short && !sync;
  }
}

namespace {

constexpr size_t kMostRows = 1000;

struct Copy {
  uint32_t row, step;
  TimeRange range;
  CopyDirection direction;
  CopyMemory memory;
};

CopyMemory MemoryIn(std::string_view text) {
  if (ContainsIgnoreCase(text, "pageable")) return CopyMemory::kPageable;
  return ContainsIgnoreCase(text, "pinned") ? CopyMemory::kPinned : CopyMemory::kUnknown;
}

// The size in "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"; -1 if there is none.
int64_t SizeIn(std::string_view details) {
  constexpr std::string_view kKey = "size:";
  const size_t at = details.find(kKey);
  if (at == std::string_view::npos) return -1;
  int64_t size = -1;
  std::from_chars(details.data() + at + kKey.size(), details.data() + details.size(), size);
  return std::max<int64_t>(size, -1);
}

bool IsKernel(TimeClass c) { return c == TimeClass::kCompute16 || c == TimeClass::kCompute32; }

void MergeClose(Ranges* merged, TimeRange r) {  // r begins no earlier than the last one
  if (!merged->empty() && r.begin <= SaturatingAdd(merged->back().end, DeviceScan::kHole)) {
    merged->back().end = std::max(merged->back().end, r.end);
  } else {
    merged->push_back(r);
  }
}

void AddSmall(uint32_t row, TimeRange range, double weight, bool broadcasts,
              SmallCollectives* small) {
  const double time = weight * static_cast<double>(range.length());
  small->count += weight, small->time += time;
  if (broadcasts) small->broadcasts += weight, small->broadcast_time += time;
  small->shortest = std::min(small->shortest, range.length());
  ++small->events;
  if (small->rows.size() < kMostRows) small->rows.emplace_back(row);
}

class Scanner {
 public:
  Scanner(AnalysisContext& context, const StepDatabase& db, std::span<const double> weights)
      : trace_(context.trace()),
        stats_(context.stats()),
        grouping_(context.Get<Grouping>()),
        db_(db),
        weights_(weights),
        classes_(context.Get<DeviceClasses>().of_meta) {
    const NameTable& names = trace_.names();
    for (const EventMeta& meta : names.metas) {
      const std::string_view name = names.strings.View(meta.name);
      const bool broadcasts = ContainsIgnoreCase(name, "broadcast");
      kinds_.push_back({DirectionOf(name), MemoryIn(name), broadcasts});
    }
  }
  DeviceScan Scan(PlaneId device) const;

 private:
  struct Kind {
    CopyDirection direction;
    CopyMemory memory;
    bool broadcasts;
  };
  LateLaunches::Work WorkOf(TimeClass c, uint32_t meta) const {
    if (IsKernel(c)) return LateLaunches::Work::kKernel;
    const bool copy = kinds_[meta].direction != CopyDirection::kNone;
    return copy ? LateLaunches::Work::kCopy : LateLaunches::Work::kOther;
  }
  void Group(const std::vector<Copy>& copies, DeviceScan* scan) const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const StepDatabase& db_;
  const std::span<const double> weights_;
  const std::vector<uint8_t>& classes_;
  std::vector<Kind> kinds_;  // by meta
};

DeviceScan Scanner::Scan(PlaneId device) const {
  DeviceScan scan;
  scan.device = device;
  const std::vector<StepWindow> windows = StepWindowsOf(db_, device);
  scan.steps = static_cast<uint32_t>(windows.size());
  std::vector<Copy> copies;
  Ranges collectives;
  size_t w = 0;
  LateLaunches late(trace_, grouping_, db_, weights_, device);
  const std::vector<const Lane*> lanes = WorkLanes(trace_, trace_.planes[device.value]);
  ForEachByStart(lanes, [&](const Lane& lane, uint32_t i) {
    const auto c = static_cast<TimeClass>(classes_[lane.meta[i]]);
    if (c == TimeClass::kUnknown || lane.dur[i] <= 0) return;
    const TimeRange range{lane.start[i], lane.end(i)};
    late.Add(lane.first_row + i, range, WorkOf(c, lane.meta[i]), kinds_[lane.meta[i]].direction);
    while (w < windows.size() && windows[w].span.end <= range.begin) ++w;
    if (w == windows.size() || !windows[w].span.Contains(range.begin)) return;
    const uint32_t row = lane.first_row + i;
    const Kind& kind = kinds_[lane.meta[i]];
    if (IsKernel(c)) {
      MergeClose(&scan.computing, range);
    } else if (c == TimeClass::kCollectives) {
      ++scan.collectives;
      MergeInto(&collectives, range);
      if (scan.collective_rows.size() < kMostRows) scan.collective_rows.emplace_back(row);
      if (range.length() <= SmallCollectives::kLongest)
        AddSmall(row, range, weights_[windows[w].step], kind.broadcasts, &scan.small_collectives);
    } else if (kind.direction != CopyDirection::kNone) {
      copies.push_back({row, windows[w].step, range, kind.direction, kind.memory});
    }
  });
  CheckStop();
  scan.late = late.Take();
  scan.collective_time = LengthOf(collectives);
  scan.collective_hidden = Overlap(collectives, scan.computing);
  Group(copies, &scan);
  return scan;
}

void Scanner::Group(const std::vector<Copy>& copies, DeviceScan* scan) const {
  const auto& bytes = stats_.Int(IntStat::kBytes);
  const auto& details = stats_.Text(StringStat::kMemcpyDetails);
  std::map<std::tuple<CopyDirection, CopyMemory, int64_t>, CopyGroup> groups;
  auto busy = scan->computing.begin();
  for (const Copy& copy : copies) {  // by begin
    const auto text = details.Find(EventRow(copy.row));
    const std::string_view said = text ? stats_.strings->View(*text) : std::string_view();
    const CopyMemory memory = copy.memory == CopyMemory::kUnknown ? MemoryIn(said) : copy.memory;
    const int64_t size = bytes.Find(EventRow(copy.row)).value_or(SizeIn(said));
    CopyGroup& group = groups[{copy.direction, memory, size}];
    group.direction = copy.direction;
    group.memory = memory;
    group.bytes = size;
    ++group.count;
    group.time += copy.range.length();
    if (group.last_step != copy.step) {
      group.last_step = copy.step;
      ++group.steps;
      group.first_offset += copy.range.begin - db_.steps[copy.step].span.begin;
    }
    if (group.rows.size() < kMostRows) group.rows.emplace_back(copy.row);
    while (busy != scan->computing.end() && busy->end <= copy.range.begin) ++busy;
    Ps hidden = 0;
    for (auto it = busy; it != scan->computing.end() && it->begin < copy.range.end; ++it)
      hidden += std::min(it->end, copy.range.end) - std::max(it->begin, copy.range.begin);
    group.exposed += copy.range.length() - hidden;
  }
  for (auto& [key, group] : groups) scan->copies.push_back(std::move(group));
  std::stable_sort(scan->copies.begin(), scan->copies.end(),
                   [](const CopyGroup& a, const CopyGroup& b) { return a.exposed > b.exposed; });
}

}  // namespace

std::vector<DeviceScan> ScanDevices(AnalysisContext& context, const StepDatabase& db,
                                    std::span<const double> weights) {
  std::vector<PlaneId> devices;
  for (const DeviceStep& d : db.device_steps) devices.push_back(d.device);
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  const Scanner scanner(context, db, weights);
  std::vector<DeviceScan> scans(devices.size());
  ParallelFor(devices.size(), [&](size_t d) { scans[d] = scanner.Scan(devices[d]); });
  return scans;
}

}  // namespace stepscope
