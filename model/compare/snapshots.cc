#include "model/compare/snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/allocation_groups.h"
#include "model/compare/compare_table.h"
#include "model/compare/contributions.h"

namespace stepscope {
namespace {

constexpr size_t kMostStacks = 5000;

// One of the snapshots, at the moments that are compared.
struct Side {
  Side(const AllocatorHistory& of, const AllocatorDevice& fullest, TimeRange range)
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

struct Amount {
  int64_t bytes = 0, count = 0;
};
using Both = std::map<std::string, std::pair<Amount, Amount>>;  // a, b

// Tables of what was live have name, bytes, count.
void Read(const ResultTable& live, Amount std::pair<Amount, Amount>::*side, Both* both) {
  for (const std::vector<Value>& row : live.rows) {
    Amount& amount = (*both)[std::get<SharedText>(row[0]).str()].*side;
    amount.bytes = SaturatingAdd(amount.bytes, std::get<int64_t>(row[1]));
    amount.count += std::get<int64_t>(row[2]);
  }
}

int64_t Delta(const std::pair<Amount, Amount>& both) {
  return SaturatingSub(both.second.bytes, both.first.bytes);
}

const char* ChangeText(const Amount& a, const Amount& b) {
  if (a.bytes == b.bytes) return "";
  if (a.count == 0) return IdOf(Change::kAdded);
  if (b.count == 0) return IdOf(Change::kRemoved);
  return IdOf(b.bytes > a.bytes ? Change::kMore : Change::kFewer);
}

std::vector<const Both::value_type*> LargestChangeFirst(const Both& both) {
  std::vector<const Both::value_type*> order;
  for (const auto& entry : both) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* x, const auto* y) {
    return std::abs(Delta(x->second)) > std::abs(Delta(y->second));
  });
  return order;
}

struct What {
  const char *id, *title, *column, *label, *how;
};

void AddTable(const What& what, const ResultTable& a, const ResultTable& b, size_t most,
              CompareResult* to) {
  Both both;
  Read(a, &std::pair<Amount, Amount>::first, &both);
  Read(b, &std::pair<Amount, Amount>::second, &both);
  CompareTable t(what.id, what.title);
  t.AddText(what.column, what.label, what.how);
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("bytes", "bytes", Unit::kBytes);
  t.AddReal("a_count", "A count", Unit::kCount);
  t.AddReal("b_count", "B count", Unit::kCount);
  for (const Both::value_type* entry : LargestChangeFirst(both)) {
    if (t.table().rows.size() == most) break;
    const auto& [x, y] = entry->second;
    std::vector<Value> row{CompareTable::Text(entry->first), SharedText(ChangeText(x, y))};
    CompareTable::Append(static_cast<double>(x.bytes), static_cast<double>(y.bytes), &row);
    row.emplace_back(static_cast<double>(x.count));
    row.emplace_back(static_cast<double>(y.count));
    t.AddRow(std::move(row));
  }
  t.Finish(to);
}

constexpr const char* kFrameHow = "the program's innermost frame; empty: none";
constexpr const char* kStackHow = "the program's own frames, the innermost first";

void AddTables(const Side& a, const Side& b, CompareResult* to) {
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

// What changed most, as a sentence to paste.
std::string Summary(const Side& a, const Side& b, const CompareResult& result) {
  const int64_t delta = SaturatingSub(b.part.peak_bytes, a.part.peak_bytes);
  std::string text = fmt::format("At the peak {} are allocated instead of {}",
                                 Size(b.part.peak_bytes), Size(a.part.peak_bytes));
  if (delta == 0) return text + ": the same.";
  text += fmt::format(", {} {}.", Size(std::abs(delta)), delta > 0 ? "more" : "less");
  const ResultTable& frames = *result.result.Table("memory_at_peak");
  if (frames.rows.empty()) return text;
  const std::string frame = RawValue(frames.rows.front()[0]);
  const double change =
      std::get<double>(frames.rows.front()[static_cast<size_t>(frames.Column("delta_bytes"))]);
  return text + fmt::format(" Most of the change: {} ({}{}).",
                            frame.empty() ? "what has no frame of the program" : frame,
                            change < 0 ? "-" : "+", Size(static_cast<int64_t>(std::abs(change))));
}

void AddProperties(const Side& a, const Side& b, CompareResult* to) {
  const auto add = [&](const char* id, const char* label, int64_t bytes, const char* how) {
    to->result.properties.push_back({id, label, static_cast<double>(bytes), Unit::kBytes, how});
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

std::optional<CompareResult> CompareSnapshots(const Trace& a, const Trace& b,
                                              const CompareParams& params) {
  const AllocatorHistory *of_a = HistoryOf(a), *of_b = HistoryOf(b);
  if (of_a == nullptr && of_b == nullptr) return std::nullopt;
  CompareResult out;
  out.result.panel = "compare";
  const AllocatorDevice *device_a = Fullest(of_a), *device_b = Fullest(of_b);
  if (device_a == nullptr || device_b == nullptr) {
    out.result.empty_reason =
        of_a == nullptr || of_b == nullptr
            ? fmt::format("{} is a memory snapshot, the other is none: they cannot be compared.",
                          of_a != nullptr ? "A" : "B")
            : "A snapshot without events and segments has nothing to compare.";
    return out;
  }
  const Side side_a(*of_a, *device_a, params.a.range), side_b(*of_b, *device_b, params.b.range);
  AddProperties(side_a, side_b, &out);
  AddTables(side_a, side_b, &out);
  out.result.properties.insert(
      out.result.properties.begin(),
      {"summary", "Summary", SharedText(Summary(side_a, side_b, out)), Unit::kNone, ""});
  return out;
}

}  // namespace stepscope
