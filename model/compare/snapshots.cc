#include "model/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/memory/allocation_groups.h"
#include "model/compare/contributions.h"

namespace stepscope::compare {
namespace {

constexpr size_t kMostStacks = 5000;

// One of the two snapshots: its fullest device and the moments that are compared.
struct Snapshot {
  Snapshot(const AllocatorHistory& of, const AllocatorDevice& fullest, TimeRange range)
      : history(of), device(fullest), frames(of), part(PartOf(of, fullest, range)) {}
  std::vector<LiveGroup> ByFrame(uint32_t event) const {
    return LiveByFrame(device, frames, event);
  }
  std::vector<LiveGroup> ByStack(uint32_t event) const {
    return LiveByStack(history, device, frames, event, SIZE_MAX);
  }
  const AllocatorHistory& history;
  const AllocatorDevice& device;
  const UserFrames frames;
  const AllocatorPart part;
};

const char* ChangeOfLive(const Amount& a, const Amount& b) {
  if (a.value == b.value) return "";
  if (a.count == 0) return IdOf(Change::kAdded);
  if (b.count == 0) return IdOf(Change::kRemoved);
  return IdOf(b.value > a.value ? Change::kMore : Change::kFewer);
}

// Bytes and number of allocations by the groups' names; stacks may share one.
std::map<std::string, Amount> SumByName(const std::vector<LiveGroup>& groups) {
  std::map<std::string, Amount> sums;
  for (const LiveGroup& group : groups) {
    Amount& sum = sums[group.name.str()];
    sum.value += static_cast<double>(group.sum.bytes);
    sum.count += static_cast<double>(group.sum.count);
  }
  return sums;
}

AmountChanges ChangesOf(const std::vector<LiveGroup>& a, const std::vector<LiveGroup>& b) {
  return LargestFirst(Joined(
      SumByName(a), SumByName(b),
      [](const std::string& name) { return std::vector<SharedText>{name}; }, ChangeOfLive));
}

void AddTable(const char* id, const char* title, GroupedBy by, AmountChanges rows,
              AnalysisResult* to) {
  if (by == GroupedBy::kStack && rows.size() > kMostStacks) rows.resize(kMostStacks);
  const Schema<AmountChange> schema(
      id, title,
      Concat<Schema<AmountChange>::Field>(
          {{by == GroupedBy::kFrame
                ? KeyField(0, "frame", "Frame", "the program's innermost frame; empty: none")
                : KeyField(0, "stack", "Stack", "the program's own frames, the innermost first"),
            ChangeField()},
           ValueFields<AmountChange>("bytes", "bytes", Unit::kBytes),
           CountFields<AmountChange>()}));
  to->tables.push_back(MakeCompared(schema, rows));
}

void AddTables(const Snapshot& a, const Snapshot& b, const AmountChanges& at_peak,
               AnalysisResult* to) {
  using enum GroupedBy;
  const uint32_t end_a = a.part.end(), end_b = b.part.end();
  AddTable("memory_at_peak", "At the peaks, by frame", kFrame, at_peak, to);
  AddTable("stacks_at_peak", "At the peaks, by stack", kStack,
           ChangesOf(a.ByStack(a.part.peak), b.ByStack(b.part.peak)), to);
  AddTable("memory_at_end", "At the ends, by frame", kFrame,
           ChangesOf(a.ByFrame(end_a), b.ByFrame(end_b)), to);
  AddTable("stacks_at_end", "At the ends, by stack", kStack,
           ChangesOf(a.ByStack(end_a), b.ByStack(end_b)), to);
}

std::string Size(int64_t bytes) { return FormatValue(Value(bytes), Unit::kBytes); }

// Says the frame whose memory changed most.
std::string CauseSentence(const AmountChanges& frames) {
  if (frames.empty()) return {};
  const std::string_view frame = frames.front().key.front();
  const double change = frames.front().delta();
  return fmt::format(" Most of the change: {} ({}{}).",
                     frame.empty() ? "what has no frame of the program" : frame,
                     change < 0 ? "-" : "+", Size(static_cast<int64_t>(std::abs(change))));
}

Finding DifferenceOf(const SnapshotComparison& found) {
  const int64_t delta = found.delta();
  const std::string a = Size(found.peak_a), b = Size(found.peak_b);
  Finding out;
  out.panel = "compare";
  out.text = fmt::format("B's peak is as high as A's: {}.", a);
  if (delta == 0) return out;
  out.grade = delta > 0 ? Finding::Grade::kWarning : Finding::Grade::kGood;
  out.text =
      fmt::format("B's peak is {} {}", Size(std::abs(delta)), delta > 0 ? "higher" : "lower");
  if (const std::optional<double> percent =
          ChangePercent(static_cast<double>(found.peak_a), static_cast<double>(found.peak_b)))
    out.text += fmt::format(" ({})", SignedPercentText(*percent));
  out.text += ".";
  out.next_step = fmt::format("At the peak {} are allocated in B and {} in A.", b, a) +
                  CauseSentence(found.at_peak);
  return out;
}

const Schema<SnapshotComparison>& SnapshotPropertySchema() {
  using C = SnapshotComparison;
  const auto real = [](auto get) {
    return [get](const C& c) { return static_cast<double>(std::invoke(get, c)); };
  };
  const char* peak = "most that was allocated at once on the fullest device";
  static const Schema<C> schema(
      "compare", "Comparison",
      {{"memory_peak_bytes_a", "Memory peak of A", Unit::kBytes, real(&C::peak_a), peak},
       {"memory_peak_bytes_b", "Memory peak of B", Unit::kBytes, real(&C::peak_b), peak},
       {"delta_bytes", "Change of the peak", Unit::kBytes, real(&C::delta)},
       {"reserved_bytes_a", "Reserved of A", Unit::kBytes, real(&C::reserved_a),
        "sizes of all segments"},
       {"reserved_bytes_b", "Reserved of B", Unit::kBytes, real(&C::reserved_b),
        "sizes of all segments"}});
  return schema;
}

}  // namespace

std::optional<AnalysisResult> CompareSnapshots(const Trace& a, const Trace& b,
                                               const CompareParams& params) {
  const AllocatorHistory *of_a = HistoryOf(a), *of_b = HistoryOf(b);
  if (of_a == nullptr && of_b == nullptr) return std::nullopt;
  AnalysisResult out;
  out.panel = "compare";
  const AllocatorDevice* device_a = of_a != nullptr ? FullestDevice(*of_a) : nullptr;
  const AllocatorDevice* device_b = of_b != nullptr ? FullestDevice(*of_b) : nullptr;
  if (device_a == nullptr || device_b == nullptr) {
    out.empty_reason =
        of_a == nullptr || of_b == nullptr
            ? fmt::format("{} is a memory snapshot, the other is none: they cannot be compared.",
                          of_a != nullptr ? "A" : "B")
            : "A snapshot without events and segments has nothing to compare.";
    return out;
  }
  const Snapshot side_a(*of_a, *device_a, params.a.range), side_b(*of_b, *device_b, params.b.range);
  auto found = std::make_shared<SnapshotComparison>(SnapshotComparison{
      side_a.part.peak_bytes, side_b.part.peak_bytes, device_a->reserved_bytes,
      device_b->reserved_bytes,
      ChangesOf(side_a.ByFrame(side_a.part.peak), side_b.ByFrame(side_b.part.peak))});
  out.properties = SnapshotPropertySchema().Properties(*found);
  AddTables(side_a, side_b, found->at_peak, &out);
  out.findings.push_back(DifferenceOf(*found));
  out.SetSource<SnapshotComparison>(std::move(found));
  AddSummaryProperty(&out);
  return out;
}

}  // namespace stepscope::compare
