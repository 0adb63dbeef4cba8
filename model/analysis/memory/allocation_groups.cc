#include "model/analysis/memory/allocation_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kParts = 10;  // in place of steps

ColumnDesc Text(const char* id, const char* label, const char* how = "") {
  return {id, label, Unit::kNone, ValueType::kString, how};
}
ColumnDesc Bytes(const char* id, const char* label, const char* how = "") {
  return {id, label, Unit::kBytes, ValueType::kInt, how};
}
ColumnDesc Count(const char* id, const char* label, const char* how = "") {
  return {id, label, Unit::kCount, ValueType::kInt, how};
}
ColumnDesc Percent() { return {"percent", "Share", Unit::kPercent, ValueType::kReal, ""}; }

constexpr const char* kFrameHow =
    "the innermost frame of the allocation's stack outside of installed packages and torch; empty "
    "where no stack was recorded: before the recording, or by the framework itself";

struct Sum {
  int64_t bytes = 0, count = 0;
  void Add(const Allocation& a) { bytes = SaturatingAdd(bytes, a.size), ++count; }
};

// Calls fn(allocation) for each allocation that is live after the event.
template <typename Fn>
void ForLive(const AllocatorDevice& device, uint32_t event, const Fn& fn) {
  for (const Allocation& a : device.allocations.span()) {
    if (a.LiveAfter(event)) fn(a);
  }
}

double Share(int64_t bytes, int64_t total) {
  return total > 0 ? 100 * static_cast<double>(bytes) / static_cast<double>(total) : 0;
}

// Indices of the sums that are not empty, the largest first.
std::vector<uint32_t> Largest(const std::vector<Sum>& sums) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return sums[a].bytes > sums[b].bytes; });
  return order;
}

// Adds rows of (label, bytes, count, percent), at most `most`.
template <typename Label>
void AddRows(const std::vector<Sum>& sums, const Label& label, size_t most, ResultTable* table) {
  int64_t total = 0;
  for (const Sum& sum : sums) total = SaturatingAdd(total, sum.bytes);
  for (const uint32_t i : Largest(sums)) {
    if (table->size() == most) break;
    table->AddRow({label(i), sums[i].bytes, sums[i].count, Share(sums[i].bytes, total)});
  }
}

std::vector<Sum> SumByFrame(const AllocatorDevice& device, const UserFrames& frames,
                            uint32_t event) {
  std::vector<Sum> sums(frames.size());
  ForLive(device, event, [&](const Allocation& a) { sums[frames.Of(a.stack)].Add(a); });
  return sums;
}

std::vector<Sum> SumByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                            uint32_t event) {
  std::vector<Sum> sums(history.stack_count());
  ForLive(device, event, [&](const Allocation& a) { sums[a.stack].Add(a); });
  return sums;
}

// The program's own frames, the innermost first.
std::string OwnStack(const AllocatorHistory& history, uint32_t stack) {
  std::string text;
  for (const uint32_t frame : history.Stack(stack)) {
    if (!IsUserFrame(history, frame)) continue;
    text += (text.empty() ? "" : " \u2190 ") + FrameLabel(history, frame);
  }
  return text;
}

// Consecutive parts of a recording. Of() is the part of an event, -1 before the first.
struct Steps {
  std::vector<uint32_t> begins;
  bool annotated = true;
  int Of(uint32_t event) const {
    return static_cast<int>(std::upper_bound(begins.begin(), begins.end(), event) -
                            begins.begin()) -
           1;
  }
};

Steps StepsOrParts(const AllocatorHistory& history, const AllocatorDevice& device,
                   const AllocatorPart& part) {
  Steps steps;
  for (const uint32_t begin : StepsOf(history, device).begins) {
    if (begin >= part.first && begin < part.last) steps.begins.push_back(begin);
  }
  if (steps.begins.size() > 1 || part.last <= part.first) return steps;
  steps.annotated = false;
  steps.begins.clear();
  const int64_t from = history.events.time_us[device.first_event + part.first];
  const int64_t to = history.events.time_us[device.first_event + part.end()];
  for (size_t i = 0; i < kParts; ++i) {
    const auto span = static_cast<double>(to) - static_cast<double>(from);
    const auto at = from + static_cast<int64_t>(span * static_cast<double>(i) / kParts);
    const Column<int64_t>& time = history.events.time_us;
    const int64_t* begin = time.data() + device.first_event;
    const auto event = std::lower_bound(begin + part.first, begin + part.last, at) - begin;
    steps.begins.push_back(static_cast<uint32_t>(event));
  }
  return steps;
}

struct FrameGrowth {
  Sum sum;
  int last_step = -1;
  uint32_t steps = 0, inner_steps = 0;
  int64_t step_bytes = 0;
};

// Says whose the row without a frame is, for people: allocations from before the recording, unless
// `device` has others without a frame.
void NameNobody(const AllocatorDevice& device, const UserFrames& frames, ResultTable* table) {
  const auto own = [&](const Allocation& a) { return frames.Of(a.stack) != 0 || a.before(); };
  const auto& all = device.allocations.span();
  const bool before = std::all_of(all.begin(), all.end(), own);
  table->readable_column = 0;
  table->readable.resize(table->size());
  for (size_t r = 0; r < table->size(); ++r) {
    const Cell name = table->At(r, 0);
    if (name == Cell(std::string_view()))
      table->readable[r] = SharedText(before ? kBeforeRecording : kNoFrame);
  }
}

}  // namespace

UserFrames::UserFrames(const AllocatorHistory& history)
    : of_stack_(history.stack_count(), 0), labels_{""} {
  std::vector<int> user(history.frames.size());
  for (uint32_t f = 0; f < user.size(); ++f) user[f] = IsUserFrame(history, f);
  std::unordered_map<std::string, uint32_t> known{{"", 0}};
  for (uint32_t s = 0; s < of_stack_.size(); ++s) {
    const auto frames = history.Stack(s);
    const auto own =
        std::find_if(frames.begin(), frames.end(), [&](uint32_t f) { return user[f] != 0; });
    if (own == frames.end()) continue;
    std::string label = FrameLabel(history, *own);
    const auto [at, added] = known.try_emplace(label, static_cast<uint32_t>(labels_.size()));
    if (added) labels_.push_back(std::move(label));
    of_stack_[s] = at->second;
  }
}

ResultTable LiveByFrame(const AllocatorHistory&, const AllocatorDevice& device,
                        const UserFrames& frames, uint32_t event, const char* id,
                        const char* title) {
  ResultTable t{id,
                title,
                {Text("frame", "Frame", kFrameHow), Bytes("bytes", "Bytes"),
                 Count("count", "Allocations"), Percent()}};
  AddRows(
      SumByFrame(device, frames, event), [&](uint32_t i) { return Value(frames.Label(i)); },
      SIZE_MAX, &t);
  NameNobody(device, frames, &t);
  return t;
}

ResultTable LiveByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                        const UserFrames& frames, uint32_t event, size_t most) {
  const std::vector<Sum> sums = SumByStack(history, device, event);
  ResultTable t{"at_peak_stacks",
                "At the peak, by stack",
                {Text("stack", "Stack", "the program's own frames, the innermost first"),
                 Bytes("bytes", "Bytes"), Count("count", "Allocations"), Percent()}};
  AddRows(
      sums,
      [&](uint32_t i) { return Value(frames.Of(i) == 0 ? std::string() : OwnStack(history, i)); },
      most, &t);
  NameNobody(device, frames, &t);
  return t;
}

ResultTable LiveByStream(const AllocatorHistory& history, const AllocatorDevice& device,
                         uint32_t event) {
  std::vector<Sum> sums(history.streams.size());
  ForLive(device, event, [&](const Allocation& a) { sums[a.stream].Add(a); });
  ResultTable t{"by_stream",
                "At the peak, by stream",
                {Text("stream", "Stream"), Bytes("bytes", "Bytes"), Count("count", "Allocations"),
                 Percent()}};
  AddRows(
      sums, [&](uint32_t i) { return Value(fmt::format("0x{:x}", history.streams[i])); }, SIZE_MAX,
      &t);
  return t;
}

ResultTable LiveBySize(const AllocatorDevice& device, uint32_t event) {
  // The first bound is the allocator's between small and large blocks.
  struct Class {
    const char* label;
    int64_t below;
  };
  constexpr Class kClasses[] = {{"below 1 MiB", 1 << 20},
                                {"1 to 10 MiB", 10 << 20},
                                {"10 to 100 MiB", 100 << 20},
                                {"100 MiB to 1 GiB", 1 << 30},
                                {"1 GiB and more", INT64_MAX}};
  std::vector<Sum> sums(std::size(kClasses));
  ForLive(device, event, [&](const Allocation& a) {
    size_t c = 0;
    while (c + 1 < std::size(kClasses) && a.size >= kClasses[c].below) ++c;
    sums[c].Add(a);
  });
  ResultTable t{
      "by_size",
      "At the peak, by size",
      {Text("size", "Size"), Bytes("bytes", "Bytes"), Count("count", "Allocations"), Percent()}};
  AddRows(
      sums, [&](uint32_t i) { return Value(std::string(kClasses[i].label)); }, SIZE_MAX, &t);
  return t;
}

namespace {

ResultTable TwoMoments(ColumnDesc who) {
  return {"growth",
          "Two moments",
          {std::move(who), Bytes("a_bytes", "Then"), Bytes("b_bytes", "Later"),
           Bytes("delta_bytes", "Change"), Count("a_count", "Allocations then"),
           Count("b_count", "Allocations later")}};
}

// Adds rows of two moments, the largest change first, at most `most`.
template <typename Keep, typename Label>
void AddChanges(const std::vector<Sum>& from, const std::vector<Sum>& to, const Keep& keep,
                const Label& label, size_t most, ResultTable* table) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < from.size(); ++i) {
    if (keep(from[i], to[i])) order.push_back(i);
  }
  const auto delta = [&](uint32_t i) { return SaturatingSub(to[i].bytes, from[i].bytes); };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t x, uint32_t y) { return std::abs(delta(x)) > std::abs(delta(y)); });
  if (order.size() > most) order.resize(most);
  for (const uint32_t i : order) {
    table->AddRow({label(i), from[i].bytes, to[i].bytes, delta(i), from[i].count, to[i].count});
  }
}

}  // namespace

ResultTable Growth(const AllocatorDevice& device, const UserFrames& frames, uint32_t a,
                   uint32_t b) {
  ResultTable t = TwoMoments(Text("frame", "Frame", kFrameHow));
  AddChanges(
      SumByFrame(device, frames, a), SumByFrame(device, frames, b),
      [](const Sum& x, const Sum& y) { return x.count > 0 || y.count > 0; },
      [&](uint32_t i) { return Value(frames.Label(i)); }, SIZE_MAX, &t);
  NameNobody(device, frames, &t);
  return t;
}

ResultTable GrowthByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                          const UserFrames& frames, uint32_t a, uint32_t b, size_t most) {
  ResultTable t =
      TwoMoments(Text("stack", "Stack", "the program's own frames, the innermost first"));
  AddChanges(
      SumByStack(history, device, a), SumByStack(history, device, b),
      [](const Sum& x, const Sum& y) { return x.count != y.count || x.bytes != y.bytes; },
      [&](uint32_t i) { return Value(frames.Of(i) == 0 ? std::string() : OwnStack(history, i)); },
      most, &t);
  NameNobody(device, frames, &t);
  return t;
}

ResultTable Leaks(const AllocatorHistory& history, const AllocatorDevice& device,
                  const UserFrames& frames, const AllocatorPart& part) {
  const Steps steps = StepsOrParts(history, device, part);
  const int last = static_cast<int>(steps.begins.size()) - 1;
  std::vector<FrameGrowth> kept(frames.size());
  for (const Allocation& a : device.allocations.span()) {
    const bool made_here = !a.before() && a.begin >= part.first && a.begin < part.last;
    if (!made_here || !a.LiveAfter(part.end())) continue;
    FrameGrowth& k = kept[frames.Of(a.stack)];
    k.sum.Add(a);
    const int step = steps.Of(a.begin);
    if (step < 0) continue;
    k.step_bytes = SaturatingAdd(k.step_bytes, a.size);
    if (step == k.last_step) continue;  // allocations are sorted by the event that made them
    k.last_step = step;
    ++k.steps;
    k.inner_steps += step > 0 && step < last;
  }
  std::vector<Sum> sums(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    const bool few = last < 3;
    if ((few ? kept[i].steps : kept[i].inner_steps) >= 2) sums[i] = kept[i].sum;
  }
  ResultTable t{"leaks",
                "Growing with each step",
                {Text("frame", "Frame", kFrameHow),
                 Bytes("bytes", "Bytes", "allocated while recording and not freed"),
                 Count("count", "Allocations"),
                 Bytes("bytes_per_step", "Bytes a step", "bytes of its steps / number of steps"),
                 Count("steps", "Steps", "that left something behind")}};
  for (const uint32_t i : Largest(sums)) {
    const Value per_step = steps.annotated ? Value(kept[i].step_bytes / (last + 1)) : Value();
    t.AddRow({frames.Label(i), sums[i].bytes, sums[i].count, per_step, int64_t{kept[i].steps}});
  }
  NameNobody(device, frames, &t);
  return t;
}

ResultTable SegmentTable(const AllocatorHistory& history, const AllocatorDevice& device) {
  ResultTable t{"segments",
                "Segments",
                {Text("address", "Address"),
                 Text("type", "Type"),
                 Text("stream", "Stream"),
                 Text("pool", "Private pool"),
                 Bytes("bytes", "Size"),
                 Bytes("allocated_bytes", "In use"),
                 Bytes("free_bytes", "Free"),
                 Bytes("largest_free_bytes", "Largest free"),
                 Count("blocks", "Blocks"),
                 {"fragmentation", "Fragmentation", Unit::kFraction, ValueType::kReal,
                  "1 - largest free block / free bytes"}}};
  for (const AllocatorSegment& s : history.segments) {
    if (s.device != device.index) continue;
    int64_t used = 0, largest = 0;
    for (const AllocatorBlock& b : history.BlocksOf(s)) {
      if (b.in_use) used = SaturatingAdd(used, b.size);
      if (!b.in_use) largest = std::max(largest, b.size);
    }
    const int64_t free = std::max<int64_t>(0, s.size - used);
    const double fragmentation = 1 - Share(std::min(largest, free), free) / 100;
    t.AddRow({fmt::format("0x{:x}", s.address), std::string(history.strings.View(s.type)),
              fmt::format("0x{:x}", history.streams[s.stream]), s.pool, s.size, used, free, largest,
              int64_t{s.blocks}, free > 0 ? Value(fragmentation) : Value()});
  }
  return t;
}

std::string StackText(const AllocatorHistory& history, uint32_t stack) {
  std::string text;
  for (const uint32_t frame : history.Stack(stack)) {
    const StackFrame& f = history.frames[frame];
    text += fmt::format("{}{}  {}:{}", text.empty() ? "" : "\n", history.strings.View(f.name),
                        history.strings.View(f.file), f.line);
  }
  return text;
}

}  // namespace stepscope
