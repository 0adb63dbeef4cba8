// The analysis `memory_snapshot` (docs/memory-snapshots.md): who held a device's memory at the
// peak, at the end and when it ran out, and what grows with each step. O(events + allocations).
#include <fmt/format.h>

#include <algorithm>

#include "model/allocator_history.h"
#include "model/analysis/analysis.h"
#include "model/analysis/memory/allocation_groups.h"
#include "model/analysis/memory/allocator_state.h"

namespace stepscope {
namespace {

constexpr size_t kMostStacks = 1000;
constexpr const char* kNoSnapshot =
    "This profile is no memory snapshot. PyTorch writes one: call "
    "torch.cuda.memory._record_memory_history() before the part to look at and "
    "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") behind it, and open that file.";

// The device that the tables are about: the one with the highest peak.
const AllocatorDevice* Fullest(const AllocatorHistory& history) {
  const auto it = std::max_element(history.devices.begin(), history.devices.end(),
                                   [](const AllocatorDevice& a, const AllocatorDevice& b) {
                                     return std::pair(a.peak_bytes, a.events) <
                                            std::pair(b.peak_bytes, b.events);
                                   });
  return it == history.devices.end() ? nullptr : &*it;
}

std::string Size(int64_t bytes) { return FormatValue(Value(bytes), Unit::kBytes); }

// Builds the result about one device.
class SnapshotReport {
 public:
  SnapshotReport(const AllocatorHistory& history, const AllocatorDevice& device, TimeRange range)
      : history_(history),
        device_(device),
        frames_(history),
        part_(PartOf(history, device, range)) {
    for (const uint32_t e : device_.out_of_memory) {
      if (e >= part_.first && e < part_.last) failed_ = e, has_failed_ = true;
    }
  }

  AnalysisResult Make() {
    result_.panel = "memory_snapshot";
    AddProperties();
    AddTables();
    AddFindings();
    return std::move(result_);
  }

 private:
  void Add(const char* id, const char* label, Value value, Unit unit, const char* how = "") {
    result_.properties.push_back({id, label, std::move(value), unit, how});
  }

  Value TimeUs(uint32_t event) const {
    if (device_.events == 0) return {};
    return history_.events.time_us[device_.first_event + event];
  }

  Value DeviceFree(uint32_t event) const {
    const auto row = static_cast<uint32_t>(device_.first_event + event);
    for (const auto& [at, free] : history_.device_free) {
      if (at == row) return free;
    }
    return {};
  }

  void AddProperties() {
    Add("device", "Device", int64_t{device_.index}, Unit::kNone, "the one that was fullest");
    Add("peak_bytes", "Peak", part_.peak_bytes, Unit::kBytes,
        "most that was allocated at once; what a stream still uses counts until it is done");
    Add("peak_time_us", "Peak at", TimeUs(part_.peak), Unit::kUnixUs);
    Add("at_end_bytes", "At the end", LiveBytes(part_.end()), Unit::kBytes);
    Add("reserved_bytes", "Reserved at the end", device_.reserved_bytes, Unit::kBytes,
        "sizes of all segments when the snapshot was taken");
    Add("bytes_before", "Before recording", device_.bytes_before, Unit::kBytes,
        "allocated before the recording began");
    size_t events = part_.last - part_.first;
    const bool whole = part_.first == 0 && part_.last == device_.events;
    Add("events", "Events", static_cast<int64_t>(whole ? history_.events.count() : events),
        Unit::kCount, "of all devices, or of the part asked for");
    if (!has_failed_) return;
    Add("out_of_memory", "Out of memory", static_cast<int64_t>(device_.out_of_memory.size()),
        Unit::kCount);
    Add("oom_time_us", "Ran out at", TimeUs(failed_), Unit::kUnixUs, "the last time");
    Add("oom_requested_bytes", "Asked for", history_.events.size[device_.first_event + failed_],
        Unit::kBytes);
    Add("oom_device_free_bytes", "Free on the device", DeviceFree(failed_), Unit::kBytes);
  }

  int64_t LiveBytes(uint32_t event) const {
    int64_t bytes = 0;
    for (const Allocation& a : device_.allocations.span()) {
      if (a.LiveAfter(event)) bytes = SaturatingAdd(bytes, a.size);
    }
    return bytes;
  }

  void AddTables() {
    // Shares of two moments differ, so that each says of how much it is.
    const auto live = [&](uint32_t event, const char* id, const char* title) {
      ResultTable table = LiveByFrame(history_, device_, frames_, event, id, title);
      if (!table.empty()) table.title += fmt::format(", {}", Size(LiveBytes(event)));
      result_.tables.push_back(std::move(table));
    };
    live(part_.peak, "at_peak", "At the peak");
    live(part_.end(), "at_end", "At the end");
    result_.tables.push_back(Leaks(history_, device_, frames_, part_));
    if (has_failed_) live(failed_, "at_oom", "When memory ran out");
    result_.tables.push_back(LiveByStack(history_, device_, frames_, part_.peak, kMostStacks));
    AddGrowth();
    result_.tables.push_back(LiveBySize(device_, part_.peak));
    result_.tables.push_back(LiveByStream(history_, device_, part_.peak));
    result_.tables.push_back(SegmentTable(history_, device_));
    if (device_.events > 0) {
      result_.tables.push_back(SegmentStateTable(history_,
                                                 SegmentsAt(history_, device_, part_.peak),
                                                 "segments_at_peak", "Segments at the peak"));
    }
    result_.tables.push_back(DeviceTable());
  }

  // Compares the end of the first step with that of the last whole step.
  void AddGrowth() {
    std::vector<uint32_t> begins = StepsOf(history_, device_).begins;
    std::erase_if(begins, [&](uint32_t e) { return e <= part_.first || e >= part_.last; });
    if (begins.size() < 2) return;
    ResultTable t = Growth(device_, frames_, begins.front() - 1, begins.back() - 1);
    t.title = "From step to step";
    for (ColumnDesc& c : t.columns) {
      if (c.id == "a_bytes") c.label = "After the first step";
      if (c.id == "b_bytes") c.label = "Before the last step";
    }
    result_.tables.push_back(std::move(t));
  }

  ResultTable DeviceTable() const {
    const auto bytes = [](const char* id, const char* label) {
      return ColumnDesc{id, label, Unit::kBytes, ValueType::kInt, ""};
    };
    const auto count = [](const char* id, const char* label) {
      return ColumnDesc{id, label, Unit::kCount, ValueType::kInt, ""};
    };
    ResultTable t{"devices",
                  "Devices",
                  {{"device", "Device", Unit::kNone, ValueType::kInt, ""},
                   count("events", "Events"),
                   count("allocations", "Allocations"),
                   bytes("peak_bytes", "Peak"),
                   bytes("at_end_bytes", "At the end"),
                   bytes("reserved_bytes", "Reserved"),
                   bytes("bytes_before", "Before recording"),
                   count("out_of_memory", "Out of memory")}};
    for (const AllocatorDevice& d : history_.devices) {
      t.AddRow({int64_t{d.index}, static_cast<int64_t>(d.events),
                static_cast<int64_t>(d.allocations.size()), d.peak_bytes, d.bytes_at_end,
                d.reserved_bytes, d.bytes_before, static_cast<int64_t>(d.out_of_memory.size())});
    }
    return t;
  }

  // The label and the size of a table's first row: "train.py:75 train_step (1.2 GiB"; the caller
  // goes on with the text.
  static std::string FirstRowText(const ResultTable& table) {
    const std::string_view frame = std::get<std::string_view>(table.At(0, 0));
    const int64_t bytes = std::get<int64_t>(table.At(0, 1));
    return fmt::format("{} ({}", frame.empty() ? "what has no frame of the program" : frame,
                       Size(bytes));
  }

  void AddFindings() {
    if (has_failed_) AddFailure();
    if (!result_.Table("leaks")->empty()) AddGrowing();
    if (result_.findings.empty()) AddPeak();
  }

  void AddPeak() {
    Finding f;
    f.panel = "memory_snapshot";
    f.text = fmt::format("At most {} were allocated", Size(part_.peak_bytes));
    const ResultTable& live = *result_.Table("at_peak");
    if (!live.empty()) f.text += fmt::format("; most was held by {})", FirstRowText(live));
    f.text += ". Nothing grows with the steps.";
    result_.findings.push_back(std::move(f));
  }

  void AddGrowing() {
    const ResultTable& leaks = *result_.Table("leaks");
    Finding f;
    f.grade = Finding::Grade::kWarning;
    f.panel = "memory_snapshot";
    const Cell growth = leaks.At(0, 3);
    const auto* per_step = std::get_if<int64_t>(&growth);
    f.text = fmt::format("Memory grows: {} in {} allocations) is never freed", FirstRowText(leaks),
                         std::get<int64_t>(leaks.At(0, 2)));
    f.text += per_step != nullptr ? fmt::format(", {} more each step.", Size(*per_step)) : ".";
    f.next_step =
        "See what keeps these tensors: lists of losses or outputs keep their graphs; keep "
        "numbers (loss.item()) or detached copies.";
    result_.findings.push_back(std::move(f));
  }

  void AddFailure() {
    Finding f;
    f.grade = Finding::Grade::kBad;
    f.panel = "memory_snapshot";
    const Value free = DeviceFree(failed_);
    f.text = fmt::format("Out of memory: {} were asked for",
                         Size(history_.events.size[device_.first_event + failed_]));
    if (const auto* bytes = std::get_if<int64_t>(&free))
      f.text += fmt::format(" with {} free on the device", Size(*bytes));
    const ResultTable& live = *result_.Table("at_oom");
    if (!live.empty()) {
      f.text += fmt::format("; most was held by {}, {:.0f} % of the {} allocated then)",
                            FirstRowText(live), std::get<double>(live.At(0, 3)),
                            Size(LiveBytes(failed_)));
    }
    f.text += ".";
    result_.findings.push_back(std::move(f));
  }

  const AllocatorHistory& history_;
  const AllocatorDevice& device_;
  const UserFrames frames_;
  const AllocatorPart part_;
  uint32_t failed_ = 0;  // the last event at which memory ran out
  bool has_failed_ = false;
  AnalysisResult result_;
};

}  // namespace

AnalysisResult RunMemorySnapshot(AnalysisContext& context, const AnalysisParams& params) {
  const AllocatorHistory* history = HistoryOf(context.trace());
  const AllocatorDevice* device = history != nullptr ? Fullest(*history) : nullptr;
  if (device != nullptr) return SnapshotReport(*history, *device, params.range).Make();
  AnalysisResult result;
  result.panel = "memory_snapshot";
  result.empty_reason =
      history != nullptr ? "This snapshot has no events and no segments." : kNoSnapshot;
  return result;
}

}  // namespace stepscope
