#include "model/analysis/memory/allocation_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/analysis/tables/schema.h"

namespace stepscope {
namespace {

constexpr size_t kParts = 10;  // in place of steps

using Sum = AllocationSum;

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

// At most `most` groups, the largest first.
template <typename Label>
std::vector<LiveGroup> GroupsOf(const std::vector<Sum>& sums, const Label& label,
                                size_t most = SIZE_MAX) {
  int64_t total = 0;
  for (const Sum& sum : sums) total = SaturatingAdd(total, sum.bytes);
  std::vector<LiveGroup> groups;
  for (const uint32_t i : Largest(sums)) {
    if (groups.size() == most) break;
    groups.push_back({label(i), {}, sums[i], Share(sums[i].bytes, total)});
  }
  return groups;
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

// Says whose a group without a frame is, for people: allocations from before the recording, unless
// `device` has others without a frame.
template <typename Group>
std::vector<Group> WithNobody(const AllocatorDevice& device, const UserFrames& frames,
                              std::vector<Group> groups) {
  const auto own = [&](const Allocation& a) { return frames.Of(a.stack) != 0 || a.before(); };
  const auto& all = device.allocations.span();
  const bool before = std::all_of(all.begin(), all.end(), own);
  for (Group& group : groups) {
    if (group.name.empty()) group.readable = SharedText(before ? kBeforeRecording : kNoFrame);
  }
  return groups;
}

// The column that names a group.
template <typename Group>
typename Schema<Group>::Field NameField(GroupedBy by) {
  struct Names {
    const char *id, *label, *how;
  };
  static constexpr Names kNames[] = {
      {"frame", "Frame",
       "the innermost frame of the allocation's stack outside of installed packages and torch; "
       "empty where no stack was recorded: before the recording, or by the framework itself"},
      {"stack", "Stack", "the program's own frames, the innermost first"},
      {"stream", "Stream", ""},
      {"size", "Size", ""}};
  const Names& names = kNames[static_cast<size_t>(by)];
  return {names.id, names.label, Unit::kNone, &Group::name, names.how};
}
template <typename Group>
ResultTable TableOf(Schema<Group> schema, GroupedBy by, const std::vector<Group>& groups) {
  return std::move(schema)
      .WithReadable(by == GroupedBy::kStack ? "stack" : "frame",
                    [](const Group& g, const NoFacts&) { return g.readable; })
      .Make(groups);
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

std::vector<LiveGroup> LiveByFrame(const AllocatorDevice& device, const UserFrames& frames,
                                   uint32_t event) {
  return WithNobody(device, frames, GroupsOf(SumByFrame(device, frames, event), [&](uint32_t i) {
                      return frames.Label(i);
                    }));
}

std::vector<LiveGroup> LiveByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                                   const UserFrames& frames, uint32_t event, size_t most) {
  return WithNobody(
      device, frames,
      GroupsOf(
          SumByStack(history, device, event),
          [&](uint32_t i) { return frames.Of(i) == 0 ? std::string() : OwnStack(history, i); },
          most));
}

std::vector<LiveGroup> LiveByStream(const AllocatorHistory& history, const AllocatorDevice& device,
                                    uint32_t event) {
  std::vector<Sum> sums(history.streams.size());
  ForLive(device, event, [&](const Allocation& a) { sums[a.stream].Add(a); });
  return GroupsOf(sums, [&](uint32_t i) { return fmt::format("0x{:x}", history.streams[i]); });
}

std::vector<LiveGroup> LiveBySize(const AllocatorDevice& device, uint32_t event) {
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
  return GroupsOf(sums, [&](uint32_t i) { return kClasses[i].label; });
}

ResultTable LiveTable(GroupedBy by, const std::vector<LiveGroup>& groups, const char* id,
                      const std::string& title) {
  using G = LiveGroup;
  return TableOf(
      Schema<G>(id, title.c_str(),
                {NameField<G>(by),
                 {"bytes", "Bytes", Unit::kBytes, [](const G& g) { return g.sum.bytes; }},
                 {"count", "Allocations", Unit::kCount, [](const G& g) { return g.sum.count; }},
                 {"percent", "Share", Unit::kPercent, &G::percent}}),
      by, groups);
}

namespace {

// At most `most` groups that `keep` wants, the largest change first.
template <typename Keep, typename Label>
std::vector<GrownGroup> ChangesOf(const std::vector<Sum>& from, const std::vector<Sum>& to,
                                  const Keep& keep, const Label& label, size_t most) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < from.size(); ++i) {
    if (keep(from[i], to[i])) order.push_back(i);
  }
  const auto delta = [&](uint32_t i) { return SaturatingSub(to[i].bytes, from[i].bytes); };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t x, uint32_t y) { return std::abs(delta(x)) > std::abs(delta(y)); });
  if (order.size() > most) order.resize(most);
  std::vector<GrownGroup> groups;
  for (const uint32_t i : order) groups.push_back({label(i), {}, from[i], to[i]});
  return groups;
}

}  // namespace

std::vector<GrownGroup> Growth(const AllocatorDevice& device, const UserFrames& frames, uint32_t a,
                               uint32_t b) {
  return WithNobody(device, frames,
                    ChangesOf(
                        SumByFrame(device, frames, a), SumByFrame(device, frames, b),
                        [](const Sum& x, const Sum& y) { return x.count > 0 || y.count > 0; },
                        [&](uint32_t i) { return frames.Label(i); }, SIZE_MAX));
}

std::vector<GrownGroup> GrowthByStack(const AllocatorHistory& history,
                                      const AllocatorDevice& device, const UserFrames& frames,
                                      uint32_t a, uint32_t b, size_t most) {
  return WithNobody(
      device, frames,
      ChangesOf(
          SumByStack(history, device, a), SumByStack(history, device, b),
          [](const Sum& x, const Sum& y) { return x.count != y.count || x.bytes != y.bytes; },
          [&](uint32_t i) { return frames.Of(i) == 0 ? std::string() : OwnStack(history, i); },
          most));
}

ResultTable GrowthTable(GroupedBy by, const std::vector<GrownGroup>& groups, const char* id,
                        const std::string& title, const char* then, const char* later) {
  using G = GrownGroup;
  return TableOf(
      Schema<G>(
          id, title.c_str(),
          {NameField<G>(by),
           {"a_bytes", then, Unit::kBytes, [](const G& g) { return g.a.bytes; }},
           {"b_bytes", later, Unit::kBytes, [](const G& g) { return g.b.bytes; }},
           {"delta_bytes", "Change", Unit::kBytes, &G::delta},
           {"a_count", "Allocations then", Unit::kCount, [](const G& g) { return g.a.count; }},
           {"b_count", "Allocations later", Unit::kCount, [](const G& g) { return g.b.count; }}}),
      by, groups);
}

std::vector<LeakingGroup> Leaks(const AllocatorHistory& history, const AllocatorDevice& device,
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
  std::vector<LeakingGroup> groups;
  for (const uint32_t i : Largest(sums)) {
    LeakingGroup& group = groups.emplace_back();
    group.name = frames.Label(i), group.sum = sums[i], group.steps = kept[i].steps;
    if (steps.annotated) group.bytes_per_step = kept[i].step_bytes / (last + 1);
  }
  return WithNobody(device, frames, std::move(groups));
}

ResultTable LeakTable(const std::vector<LeakingGroup>& groups) {
  using G = LeakingGroup;
  return TableOf(
      Schema<G>("leaks", "Growing with each step",
                {NameField<G>(GroupedBy::kFrame),
                 {"bytes", "Bytes", Unit::kBytes, [](const G& g) { return g.sum.bytes; },
                  "allocated while recording and not freed"},
                 {"count", "Allocations", Unit::kCount, [](const G& g) { return g.sum.count; }},
                 {"bytes_per_step", "Bytes a step", Unit::kBytes, &G::bytes_per_step,
                  "bytes of its steps / number of steps"},
                 {"steps", "Steps", Unit::kCount, &G::steps, "that left something behind"}}),
      GroupedBy::kFrame, groups);
}

ResultTable SegmentTable(const AllocatorHistory& history, const AllocatorDevice& device) {
  struct Segment {
    const AllocatorSegment* of;
    int64_t used = 0, largest = 0;  // bytes in use, and of the largest free block
    int64_t free() const { return std::max<int64_t>(0, of->size - used); }
  };
  std::vector<Segment> segments;
  for (const AllocatorSegment& s : history.segments) {
    if (s.device != device.index) continue;
    Segment& segment = segments.emplace_back(Segment{&s});
    for (const AllocatorBlock& b : history.BlocksOf(s)) {
      if (b.in_use) segment.used = SaturatingAdd(segment.used, b.size);
      if (!b.in_use) segment.largest = std::max(segment.largest, b.size);
    }
  }
  using S = Segment;
  using H = const AllocatorHistory*;
  static const Schema<S, H> schema(
      "segments", "Segments",
      {{"address", "Address", Unit::kNone,
        [](const S& s) { return fmt::format("0x{:x}", s.of->address); }},
       {"type", "Type", Unit::kNone, [](const S& s, H h) { return h->strings.View(s.of->type); }},
       {"stream", "Stream", Unit::kNone,
        [](const S& s, H h) { return fmt::format("0x{:x}", h->streams[s.of->stream]); }},
       {"pool", "Private pool", Unit::kNone, [](const S& s) { return s.of->pool; }},
       {"bytes", "Size", Unit::kBytes, [](const S& s) { return s.of->size; }},
       {"allocated_bytes", "In use", Unit::kBytes, &S::used},
       {"free_bytes", "Free", Unit::kBytes, &S::free},
       {"largest_free_bytes", "Largest free", Unit::kBytes, &S::largest},
       {"blocks", "Blocks", Unit::kCount, [](const S& s) { return s.of->blocks; }},
       {"fragmentation", "Fragmentation", Unit::kFraction,
        [](const S& s) {
          return s.free() > 0
                     ? std::optional(1 - Share(std::min(s.largest, s.free()), s.free()) / 100)
                     : std::nullopt;
        },
        "1 - largest free block / free bytes"}});
  return schema.Make(segments, &history);
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
