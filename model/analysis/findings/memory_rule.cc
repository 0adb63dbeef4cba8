// The rule `memory`: pools that are nearly full and fragmented, growth from step to step, room
// for a larger batch, and allocations outside of the pool during steps.
#include <fmt/format.h>

#include <algorithm>

#include "model/analysis/findings/idle_loss.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

constexpr double kNearlyFull = 90;      // percent of the capacity
constexpr size_t kLeastGrownSteps = 4;  // from which growth is judged

double GiB(double bytes) { return bytes / (1 << 30); }

// The device of an allocator by its name, "GPU_0_bfc" or "GPU 0"; empty: none.
std::vector<PlaneId> DeviceOf(const FindingContext& input, const AllocatorProfile& allocator) {
  const size_t digits = allocator.id.find_first_of("0123456789");
  if (digits == std::string::npos) return {};
  const int ordinal = std::atoi(allocator.id.c_str() + digits);
  for (const PlaneId device : input.Devices()) {
    const Plane& plane = input.trace().planes[device.value];
    if (plane.host == allocator.host && plane.device_ordinal == ordinal) return {device};
  }
  return {};
}

RowLink LinkAt(const MemorySnapshot& snapshot) {
  return LinkTo(EventRows({EventRow(snapshot.row)}));
}

double Percent(double part, int64_t capacity) {
  return capacity > 0 ? 100 * part / static_cast<double>(capacity) : 0;
}

void FindFragmentation(const FindingContext& input, const AllocatorProfile& allocator,
                       double threshold, std::vector<RuleFinding>* out) {
  const StatTable& stats = input.context().allocation_stats();
  const auto& column = stats.Real(RealStat::kFragmentation);
  if (column.empty() || allocator.capacity <= 0) return;
  double most = 0;
  const MemorySnapshot* worst = nullptr;
  for (size_t i = allocator.begin; i < allocator.end; ++i) {
    const MemorySnapshot& s = allocator.snapshots[i];
    if (Percent(static_cast<double>(s.in_use), allocator.capacity) < kNearlyFull) continue;
    const double value = 100 * column.Find(EventRow(s.row)).value_or(0);
    if (value > most) most = value, worst = &s;
  }
  if (worst == nullptr || most < threshold) return;
  RuleFinding found;
  found.title = fmt::format(
      "{} is {} full and {} fragmented: its free {:.1f} GiB are in pieces, and a large "
      "allocation may fail.",
      allocator.id, PercentText(Percent(static_cast<double>(worst->in_use), allocator.capacity), 0),
      PercentText(most, 0), GiB(static_cast<double>(MemoryPartsReader(stats).Of(*worst).free)));
  found.measured = most;
  found.assumption = "Time is not saved, but the program does not run out of memory.";
  found.least = FindingSeverity::kWarning;
  found.devices = DeviceOf(input, allocator);
  found.steps = input.AllSteps();
  found.link = LinkAt(*worst);
  out->push_back(std::move(found));
}

// The bytes in use at the end of each step of the allocator's host that counts.
std::vector<double> UseAtEnds(const FindingContext& input, const AllocatorProfile& allocator) {
  std::vector<double> used;
  for (const uint32_t s : input.steps()) {
    const Step& step = input.db().steps[s];
    if (step.host != allocator.host) continue;
    const MemorySnapshot& at = allocator.snapshots[SnapshotAt(allocator, step.span.end)];
    used.push_back(static_cast<double>(at.in_use));
  }
  return used;
}

void FindGrowth(const FindingContext& input, const AllocatorProfile& allocator,
                std::vector<RuleFinding>* out) {
  const double threshold = input.thresholds().Of("memory-growth");
  const std::vector<double> used = UseAtEnds(input, allocator);
  if (used.size() < kLeastGrownSteps || allocator.capacity <= 0) return;
  size_t rises = 0;
  for (size_t i = 1; i < used.size(); ++i) rises += used[i] > used[i - 1];
  const double each = (used.back() - used.front()) / static_cast<double>(used.size() - 1);
  const bool steady = static_cast<double>(rises) >= 0.8 * static_cast<double>(used.size() - 1);
  if (!steady || Percent(each, allocator.capacity) < threshold) return;
  RuleFinding found;
  found.title = fmt::format(
      "{} holds {:.1f} MiB more after each step, over {} steps: it leaks, or a "
      "cache grows; {:.0f} more steps fill it.",
      allocator.id, each / (1 << 20), used.size(),
      (static_cast<double>(allocator.capacity) - used.back()) / each);
  found.measured = Percent(each, allocator.capacity);
  found.threshold = threshold;
  found.unit = Unit::kPercent;
  found.assumption = fmt::format("Of {} steps {} end with more in use than the one before.",
                                 used.size() - 1, rises);
  found.least = FindingSeverity::kWarning;
  found.devices = DeviceOf(input, allocator);
  found.steps = input.steps();
  found.link = LinkAt(allocator.snapshots[allocator.peak]);
  found.remedy = input.Remedy("memory.growth");
  out->push_back(std::move(found));
}

// The pool of an allocator that keeps freed memory is larger than what programs allocate from it.
std::string PeakText(const AllocatorProfile& allocator) {
  const auto in_use = static_cast<double>(allocator.snapshots[allocator.peak].in_use);
  const auto capacity = static_cast<double>(allocator.capacity);
  if (static_cast<double>(allocator.reserved_peak) <= in_use)
    return fmt::format("allocates {:.1f} of {:.1f} GiB at its peak", GiB(in_use), GiB(capacity));
  return fmt::format("reserves {:.1f} of {:.1f} GiB at its peak, and {:.1f} GiB are allocated",
                     GiB(static_cast<double>(allocator.reserved_peak)), GiB(capacity), GiB(in_use));
}

void FindHeadroom(const FindingContext& input, const AllocatorProfile& allocator,
                  std::vector<RuleFinding>* out) {
  const double threshold = input.thresholds().Of("memory-headroom");
  const int64_t peak =
      std::max(allocator.snapshots[allocator.peak].in_use, allocator.reserved_peak);
  const double room = 100 - Percent(static_cast<double>(peak), allocator.capacity);
  if (!allocator.has_totals) return;  // what was allocated before the recording is unknown
  if (allocator.capacity <= 0 || DeviceOf(input, allocator).empty() || room < threshold) return;
  RuleFinding found;
  found.title = allocator.id + " " + PeakText(allocator) + ": a larger batch fits.";
  found.measured = room;
  found.threshold = threshold;
  found.unit = Unit::kPercent;
  found.assumption = "What a larger batch saves depends on the model; it is not estimated.";
  found.most = FindingSeverity::kNote;
  found.devices = DeviceOf(input, allocator);
  found.steps = input.AllSteps();
  found.link = LinkAt(allocator.snapshots[allocator.peak]);
  found.remedy = input.Remedy("memory.room");
  out->push_back(std::move(found));
}

void FindOutside(const FindingContext& input, std::vector<RuleFinding>* out) {
  const double threshold = input.thresholds().Of("memory-outside");
  const IdleLoss loss = SumIdle(
      input, [&](const IdleCause& c) { return input.ThemeOf(c) == CauseTheme::kAllocation; },
      threshold);
  if (loss.percent < threshold) return;
  RuleFinding found =
      FindingOfLoss(input, loss,
                    input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
                        " for allocations outside of the framework's pool" + InCause(loss) + ".",
                    "The pool has the memory already.");
  found.threshold = threshold;
  found.unit = Unit::kPercent;
  found.remedy = input.Remedy("memory.outside");
  out->push_back(std::move(found));
}

// Joins equal findings of several devices into one: the worst, with the other devices.
void Merge(std::vector<RuleFinding> found, std::vector<RuleFinding>* out) {
  if (found.empty()) return;
  const auto worst = std::max_element(
      found.begin(), found.end(),
      [](const RuleFinding& a, const RuleFinding& b) { return a.measured < b.measured; });
  RuleFinding merged = *worst;
  merged.devices.clear();
  for (const RuleFinding& f : found)
    merged.devices.insert(merged.devices.end(), f.devices.begin(), f.devices.end());
  if (found.size() > 1)
    merged.title += fmt::format(" The same holds for {} other allocator{}.", found.size() - 1,
                                found.size() > 2 ? "s" : "");
  out->push_back(std::move(merged));
}

}  // namespace

void FindMemory(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  std::vector<RuleFinding> fragmentation, growth, headroom;
  for (const AllocatorProfile& allocator : input.Memory().allocators) {
    FindFragmentation(input, allocator, threshold, &fragmentation);
    FindGrowth(input, allocator, &growth);
    FindHeadroom(input, allocator, &headroom);
  }
  Merge(std::move(fragmentation), out);
  Merge(std::move(growth), out);
  Merge(std::move(headroom), out);
  FindOutside(input, out);
}

}  // namespace stepscope
