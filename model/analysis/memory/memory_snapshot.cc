#include "model/analysis/memory/memory_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/analysis/memory/allocator_state.h"
#include "model/analysis/tables/schema.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

constexpr size_t kMostStacks = 1000;
constexpr const char* kNoSnapshot =
    "This profile is no memory snapshot. PyTorch writes one: call "
    "torch.cuda.memory._record_memory_history() before the part to look at and "
    "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") behind it, and open that file.";

std::string Size(int64_t bytes) { return FormatValue(Value(bytes), Unit::kBytes); }

std::optional<int64_t> TimeUs(const AllocatorHistory& history, const AllocatorDevice& device,
                              uint32_t event) {
  if (device.events == 0) return std::nullopt;
  return history.events.time_us[device.first_event + event];
}

std::optional<int64_t> DeviceFree(const AllocatorHistory& history, uint32_t row) {
  for (const auto& [at, free] : history.device_free) {
    if (at == row) return free;
  }
  return std::nullopt;
}

SnapshotReport::Moment MomentAt(const AllocatorDevice& device, const UserFrames& frames,
                                uint32_t event) {
  SnapshotReport::Moment moment{0, LiveByFrame(device, frames, event)};
  for (const LiveGroup& group : moment.by_frame)
    moment.bytes = SaturatingAdd(moment.bytes, group.sum.bytes);
  return moment;
}

const Schema<SnapshotReport, SnapshotReport>& SnapshotPropertySchema() {
  using R = SnapshotReport;
  using Field = Schema<R, R>::Field;
  const auto failed = [](const R& r) { return r.failure.has_value(); };
  const auto recorded = [](const R& r) { return r.recorded; };
  static const Schema<R, R> schema(
      "memory_snapshot", "Memory snapshot",
      {{"device", "Device", Unit::kNone, &R::device, "the one that was fullest"},
       Field{"peak_bytes", "Peak", Unit::kBytes, [](const R& r) { return r.part.peak_bytes; },
             "most that was allocated at once; what a stream still uses counts until it is done"}
           .When(recorded),
       {"peak_time_us", "Peak at", Unit::kUnixUs, &R::peak_time_us},
       {"at_end_bytes", "At the end", Unit::kBytes, [](const R& r) { return r.at_end.bytes; }},
       {"reserved_bytes", "Reserved at the end", Unit::kBytes, &R::reserved_bytes,
        "sizes of all segments when the snapshot was taken"},
       Field{"bytes_before", "Before recording", Unit::kBytes, &R::bytes_before,
             "allocated before the recording began"}
           .When(recorded),
       {"events", "Events", Unit::kCount, &R::events, "of all devices, or of the part asked for"},
       Field{"out_of_memory", "Out of memory", Unit::kCount, &R::out_of_memory}.When(failed),
       Field{"oom_time_us", "Ran out at", Unit::kUnixUs,
             [](const R& r) { return r.failure->time_us; }, "the last time"}
           .When(failed),
       Field{"oom_requested_bytes", "Asked for", Unit::kBytes,
             [](const R& r) { return r.failure->requested; }}
           .When(failed),
       Field{"oom_device_free_bytes", "Free on the device", Unit::kBytes,
             [](const R& r) { return r.failure->device_free; }}
           .When(failed)});
  return schema;
}

// Shares of two moments differ, so that each table says of how much it is.
ResultTable MomentTable(const SnapshotReport::Moment& moment, const char* id, std::string title) {
  if (!moment.by_frame.empty()) title += ", " + Size(moment.bytes);
  return LiveTable(GroupedBy::kFrame, moment.by_frame, id, title);
}

ResultTable DeviceTable(const AllocatorHistory& history) {
  using D = AllocatorDevice;
  static const Schema<D> schema(
      "devices", "Devices",
      {{"device", "Device", Unit::kNone, &D::index},
       {"events", "Events", Unit::kCount, &D::events},
       {"allocations", "Allocations", Unit::kCount,
        [](const D& d) { return d.allocations.size(); }},
       {"peak_bytes", "Peak", Unit::kBytes, &D::peak_bytes},
       {"at_end_bytes", "At the end", Unit::kBytes, &D::bytes_at_end},
       {"reserved_bytes", "Reserved", Unit::kBytes, &D::reserved_bytes},
       {"bytes_before", "Before recording", Unit::kBytes, &D::bytes_before},
       {"out_of_memory", "Out of memory", Unit::kCount,
        [](const D& d) { return d.out_of_memory.size(); }}});
  return schema.Make(history.devices);
}

// The tables of a snapshot without history: what it held when it was taken.
void AddTablesOfNow(const AllocatorHistory& history, const AllocatorDevice& device,
                    const SnapshotReport& report, const UserFrames& frames,
                    std::vector<ResultTable>* tables) {
  const uint32_t now = report.part.end();
  tables->push_back(MomentTable(report.at_end, "at_end", "At the time of the snapshot"));
  tables->push_back(LiveTable(GroupedBy::kStack,
                              LiveByStack(history, device, frames, now, kMostStacks),
                              "at_peak_stacks", "At the time of the snapshot, by stack"));
  tables->push_back(LiveTable(GroupedBy::kSize, LiveBySize(device, now), "by_size",
                              "At the time of the snapshot, by size"));
  tables->push_back(LiveTable(GroupedBy::kStream, LiveByStream(history, device, now), "by_stream",
                              "At the time of the snapshot, by stream"));
  tables->push_back(SegmentTable(history, device));
  tables->push_back(DeviceTable(history));
}

void AddTables(const AllocatorHistory& history, const AllocatorDevice& device,
               const SnapshotReport& report, std::vector<ResultTable>* tables) {
  const UserFrames frames(history);
  const AllocatorPart& part = report.part;
  if (!report.recorded) return AddTablesOfNow(history, device, report, frames, tables);
  tables->push_back(MomentTable(report.at_peak, "at_peak", "At the peak"));
  tables->push_back(MomentTable(report.at_end, "at_end", "At the end"));
  tables->push_back(LeakTable(report.leaks));
  if (report.failure)
    tables->push_back(MomentTable(report.failure->live, kAtFailureTable, "When memory ran out"));
  tables->push_back(LiveTable(GroupedBy::kStack,
                              LiveByStack(history, device, frames, part.peak, kMostStacks),
                              "at_peak_stacks", "At the peak, by stack"));
  // The end of the first step and that of the last whole one.
  std::vector<uint32_t> begins = StepsOf(history, device).begins;
  std::erase_if(begins, [&](uint32_t e) { return e <= part.first || e >= part.last; });
  if (begins.size() >= 2) {
    tables->push_back(GrowthTable(
        GroupedBy::kFrame, Growth(device, frames, begins.front() - 1, begins.back() - 1), "growth",
        "From step to step", "After the first step", "Before the last step"));
  }
  tables->push_back(LiveTable(GroupedBy::kSize, LiveBySize(device, part.peak), "by_size",
                              "At the peak, by size"));
  tables->push_back(LiveTable(GroupedBy::kStream, LiveByStream(history, device, part.peak),
                              "by_stream", "At the peak, by stream"));
  tables->push_back(SegmentTable(history, device));
  if (device.events > 0) {
    tables->push_back(SegmentStateTable(history, SegmentsAt(history, device, part.peak),
                                        "segments_at_peak", "Segments at the peak"));
  }
  tables->push_back(DeviceTable(history));
}

// "train.py:75 train_step (1.2 GiB"; the caller goes on with the text.
template <typename Group>
std::string GroupText(const Group& group) {
  return fmt::format("{} ({}",
                     group.name.empty() ? "what has no frame of the program" : group.name.view(),
                     Size(group.sum.bytes));
}

Finding SnapshotFinding(Finding::Grade grade, std::string text) {
  return {grade, std::move(text), "", "memory_snapshot"};
}

Finding Peak(const SnapshotReport& report) {
  std::string text = fmt::format("At most {} were allocated", Size(report.part.peak_bytes));
  const std::vector<LiveGroup>& live = report.at_peak.by_frame;
  if (!live.empty())
    text += fmt::format("; the largest part was held by {})", GroupText(live.front()));
  return SnapshotFinding(Finding::Grade::kInfo, text + ". Nothing that grows was found.");
}

// "60 MiB" for 60.00 MiB.
std::string ShortSize(int64_t bytes) {
  std::string text = Size(bytes);
  const size_t point = text.find('.'), unit = std::min(text.find(' '), text.size());
  if (point == text.npos || point > unit) return text;
  size_t end = unit;
  while (text[end - 1] == '0') --end;
  if (text[end - 1] == '.') --end;
  return text.erase(end, unit - end);
}

// Says of a snapshot without history what it holds. Of several devices, the fullest one is named.
Finding HeldNow(const SnapshotReport& report, bool several) {
  const int64_t unused = std::max<int64_t>(0, report.reserved_bytes - report.at_end.bytes);
  const std::string where = several ? fmt::format("On device {}, ", report.device) : std::string();
  Finding f = SnapshotFinding(
      Finding::Grade::kInfo,
      fmt::format(
          "{}{} are allocated and {} lie unused in segments at the time of the snapshot; no "
          "history was recorded.",
          where, ShortSize(report.at_end.bytes), ShortSize(unused)));
  f.next_step =
      "torch.cuda.memory._record_memory_history() before the part to look at records who "
      "allocates, "
      "and what grows.";
  return f;
}

Finding Growing(const LeakingGroup& leak) {
  std::string text = fmt::format("Memory grows: {} in {} allocations) is never freed",
                                 GroupText(leak), leak.sum.count);
  text +=
      leak.bytes_per_step ? fmt::format(", {} more each step.", Size(*leak.bytes_per_step)) : ".";
  Finding f = SnapshotFinding(Finding::Grade::kWarning, std::move(text));
  f.next_step =
      "See what keeps these tensors: lists of losses or outputs keep their graphs; keep "
      "numbers (loss.item()) or detached copies.";
  return f;
}

Finding OutOfMemory(const SnapshotReport::Failure& failure) {
  std::string text = fmt::format("Out of memory: {} were asked for", Size(failure.requested));
  if (failure.device_free)
    text += fmt::format(" with {} free on the device", Size(*failure.device_free));
  if (const std::vector<LiveGroup>& live = failure.live.by_frame; !live.empty()) {
    text +=
        fmt::format("; most was held by {}, {} of the {} allocated then)", GroupText(live.front()),
                    PercentText(live.front().percent, 0), Size(failure.live.bytes));
  }
  return SnapshotFinding(Finding::Grade::kBad, text + ".");
}

}  // namespace

SnapshotReport SnapshotReport::Compute(AnalysisContext& context, const AnalysisParams& params) {
  SnapshotReport report;
  const AllocatorHistory* history = HistoryOf(context.trace());
  const AllocatorDevice* device = history != nullptr ? FullestDevice(*history) : nullptr;
  if (device == nullptr) return report;
  const UserFrames frames(*history);
  const AllocatorPart part = PartOf(*history, *device, params.range);
  report.device = device->index;
  report.recorded = device->events > 0;
  report.several = history->devices.size() > 1;
  report.part = part;
  report.peak_time_us = TimeUs(*history, *device, part.peak);
  report.reserved_bytes = device->reserved_bytes, report.bytes_before = device->bytes_before;
  const bool whole = part.first == 0 && part.last == device->events;
  report.events = whole ? history->events.count() : part.last - part.first;
  report.at_peak = MomentAt(*device, frames, part.peak);
  report.at_end = MomentAt(*device, frames, part.end());
  report.leaks = Leaks(*history, *device, frames, part);
  report.out_of_memory = device->out_of_memory.size();
  const auto failed = std::find_if(device->out_of_memory.rbegin(), device->out_of_memory.rend(),
                                   [&](uint32_t e) { return e >= part.first && e < part.last; });
  if (failed == device->out_of_memory.rend()) return report;
  const auto row = static_cast<uint32_t>(device->first_event + *failed);
  report.failure = {TimeUs(*history, *device, *failed), DeviceFree(*history, row),
                    history->events.size[row], MomentAt(*device, frames, *failed)};
  return report;
}

std::vector<Finding> SnapshotReport::Findings() const {
  std::vector<Finding> findings;
  if (device < 0) return findings;
  if (!recorded) return {HeldNow(*this, several)};
  if (failure) findings.push_back(OutOfMemory(*failure));
  if (!leaks.empty()) findings.push_back(Growing(leaks.front()));
  if (findings.empty()) findings.push_back(Peak(*this));
  return findings;
}

int64_t SnapshotReport::LeakedBytes() const {
  int64_t sum = 0;
  for (const LeakingGroup& leak : leaks)
    sum = SaturatingAdd(sum, leak.bytes_per_step.value_or(leak.sum.bytes));
  return sum;
}

AnalysisResult RunMemorySnapshot(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "memory_snapshot";
  const auto report = context.Get<SnapshotReport>(params);
  result.SetSource(report);
  const AllocatorHistory* history = HistoryOf(context.trace());
  if (report->device < 0) {
    result.empty_reason =
        history != nullptr ? "This snapshot has no events and no segments." : kNoSnapshot;
    return result;
  }
  result.properties = SnapshotPropertySchema().Properties(*report, *report);
  AddTables(*history, *FullestDevice(*history), *report, &result.tables);
  result.findings = report->Findings();
  return result;
}

}  // namespace stepscope
