#include "model/compare/snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/memory/allocation_groups.h"
#include "model/compare/compare_table.h"
#include "model/compare/contributions.h"
#include "model/compare/summary.h"

namespace stepscope::compare {
namespace {

constexpr size_t kMostStacks = 5000;

// One of the two snapshots: its fullest device and the moments that are compared.
struct Snapshot {
  Snapshot(const AllocatorHistory& of, const AllocatorDevice& fullest, TimeRange range)
      : history(of), device(fullest), frames(of), part(PartOf(of, fullest, range)) {}
  ResultTable ByFrame(uint32_t event) const {
    return LiveByFrame(history, device, frames, event, "", "");
  }
  ResultTable ByStack(uint32_t event) const {
    return LiveByStack(history, device, frames, event, SIZE_MAX);
  }
  const AllocatorHistory& history;
  const AllocatorDevice& device;
  const UserFrames frames;
  const AllocatorPart part;
};

struct Live {
  int64_t bytes = 0, count = 0;
  Amount InTable() const { return {static_cast<double>(bytes), static_cast<double>(count), {}}; }
};
using Sides = std::pair<Live, Live>;
using Both = BothSides<std::string, Live>;

// Adds up the rows of LiveByFrame or LiveByStack: name, bytes, count.
void Read(const ResultTable& live, Live Sides::*side, Both* both) {
  for (size_t r = 0; r < live.size(); ++r) {
    Live& sum = (*both)[std::string(std::get<std::string_view>(live.At(r, 0)))].*side;
    sum.bytes = SaturatingAdd(sum.bytes, std::get<int64_t>(live.At(r, 1)));
    sum.count += std::get<int64_t>(live.At(r, 2));
  }
}

int64_t Delta(const Sides& sides) { return SaturatingSub(sides.second.bytes, sides.first.bytes); }

const char* LiveChangeText(const Live& a, const Live& b) {
  if (a.bytes == b.bytes) return "";
  if (a.count == 0) return IdOf(Change::kAdded);
  if (b.count == 0) return IdOf(Change::kRemoved);
  return IdOf(b.bytes > a.bytes ? Change::kMore : Change::kFewer);
}

struct What {
  const char *id, *title, *column, *label, *how;
};

void AddTable(const What& what, const ResultTable& a, const ResultTable& b, size_t most,
              AnalysisResult* to) {
  Both both;
  Read(a, &Sides::first, &both);
  Read(b, &Sides::second, &both);
  CompareTable t(what.id, what.title);
  t.AddText(what.column, what.label, what.how);
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("bytes", "bytes", Unit::kBytes);
  t.AddCounts();
  for (const Both::value_type* entry : LargestChangeFirst(both, Delta)) {
    if (t.table().size() == most) break;
    const auto& [x, y] = entry->second;
    t.AddAmounts({CompareTable::Text(entry->first), SharedText(LiveChangeText(x, y))}, x.InTable(),
                 y.InTable());
  }
  t.Finish(to);
}

constexpr const char* kFrameHow = "the program's innermost frame; empty: none";
constexpr const char* kStackHow = "the program's own frames, the innermost first";

void AddTables(const Snapshot& a, const Snapshot& b, AnalysisResult* to) {
  const uint32_t end_a = a.part.end(), end_b = b.part.end();
  AddTable({"memory_at_peak", "At the peaks, by frame", "frame", "Frame", kFrameHow},
           a.ByFrame(a.part.peak), b.ByFrame(b.part.peak), SIZE_MAX, to);
  AddTable({"stacks_at_peak", "At the peaks, by stack", "stack", "Stack", kStackHow},
           a.ByStack(a.part.peak), b.ByStack(b.part.peak), kMostStacks, to);
  AddTable({"memory_at_end", "At the ends, by frame", "frame", "Frame", kFrameHow},
           a.ByFrame(end_a), b.ByFrame(end_b), SIZE_MAX, to);
  AddTable({"stacks_at_end", "At the ends, by stack", "stack", "Stack", kStackHow},
           a.ByStack(end_a), b.ByStack(end_b), kMostStacks, to);
}

std::string Size(int64_t bytes) { return FormatValue(Value(bytes), Unit::kBytes); }

// Says the frame whose memory changed most.
std::string CauseSentence(const AnalysisResult& result) {
  const ResultTable& frames = *result.Table("memory_at_peak");
  if (frames.empty()) return {};
  const std::string frame = RawValue(frames.At(0, 0));
  const double change =
      std::get<double>(frames.At(0, static_cast<size_t>(frames.Column("delta_bytes"))));
  return fmt::format(" Most of the change: {} ({}{}).",
                     frame.empty() ? "what has no frame of the program" : frame,
                     change < 0 ? "-" : "+", Size(static_cast<int64_t>(std::abs(change))));
}

Finding DifferenceOf(const Snapshot& a, const Snapshot& b, const AnalysisResult& result) {
  const int64_t peak_a = a.part.peak_bytes, peak_b = b.part.peak_bytes;
  const int64_t delta = SaturatingSub(peak_b, peak_a);
  Finding found;
  found.panel = "compare";
  found.text = fmt::format("B's peak is as high as A's: {}.", Size(peak_a));
  if (delta == 0) return found;
  found.grade = delta > 0 ? Finding::Grade::kWarning : Finding::Grade::kGood;
  found.text =
      fmt::format("B's peak is {} {}", Size(std::abs(delta)), delta > 0 ? "higher" : "lower");
  if (const std::optional<double> percent =
          ChangePercent(static_cast<double>(peak_a), static_cast<double>(peak_b)))
    found.text += fmt::format(" ({})", PercentText(*percent));
  found.text += ".";
  found.next_step =
      fmt::format("At the peak {} are allocated in B and {} in A.", Size(peak_b), Size(peak_a)) +
      CauseSentence(result);
  return found;
}

void AddProperties(const Snapshot& a, const Snapshot& b, AnalysisResult* to) {
  const auto add = [&](const char* id, const char* label, int64_t bytes, const char* how) {
    to->properties.push_back({id, label, static_cast<double>(bytes), Unit::kBytes, how});
  };
  const char* how = "most that was allocated at once on the fullest device";
  add("memory_peak_bytes_a", "Memory peak of A", a.part.peak_bytes, how);
  add("memory_peak_bytes_b", "Memory peak of B", b.part.peak_bytes, how);
  add("delta_bytes", "Change of the peak", SaturatingSub(b.part.peak_bytes, a.part.peak_bytes), "");
  add("reserved_bytes_a", "Reserved of A", a.device.reserved_bytes, "sizes of all segments");
  add("reserved_bytes_b", "Reserved of B", b.device.reserved_bytes, "sizes of all segments");
}

const AllocatorDevice* Fullest(const AllocatorHistory* history) {
  if (history == nullptr || history->devices.empty()) return nullptr;
  return &*std::max_element(history->devices.begin(), history->devices.end(),
                            [](const AllocatorDevice& a, const AllocatorDevice& b) {
                              return std::pair(a.peak_bytes, a.events) <
                                     std::pair(b.peak_bytes, b.events);
                            });
}

}  // namespace

std::optional<AnalysisResult> CompareSnapshots(const Trace& a, const Trace& b,
                                               const CompareParams& params) {
  const AllocatorHistory *of_a = HistoryOf(a), *of_b = HistoryOf(b);
  if (of_a == nullptr && of_b == nullptr) return std::nullopt;
  AnalysisResult out;
  out.panel = "compare";
  const AllocatorDevice *device_a = Fullest(of_a), *device_b = Fullest(of_b);
  if (device_a == nullptr || device_b == nullptr) {
    out.empty_reason =
        of_a == nullptr || of_b == nullptr
            ? fmt::format("{} is a memory snapshot, the other is none: they cannot be compared.",
                          of_a != nullptr ? "A" : "B")
            : "A snapshot without events and segments has nothing to compare.";
    return out;
  }
  const Snapshot side_a(*of_a, *device_a, params.a.range), side_b(*of_b, *device_b, params.b.range);
  AddProperties(side_a, side_b, &out);
  AddTables(side_a, side_b, &out);
  out.findings.push_back(DifferenceOf(side_a, side_b, out));
  AddSummaryProperty(&out);
  return out;
}

}  // namespace stepscope::compare
