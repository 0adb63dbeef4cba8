// Infers steps from the calls that a program repeats on purpose (docs/rules.md#steps): annotations
// of one name, calls of one compiled function, launches of one graph.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/step_number.h"
#include "model/analysis/naming/collectives.h"
#include "model/analysis/steps/builders/infer_steps.h"
#include "model/base/ascii.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

constexpr double kEncloses = 0.9;  // share of all launches in the call that is the one step
constexpr int kDeepest = 16;       // levels of calls inside calls that are looked into
constexpr double kCovers = 0.5;    // share of all launches from the first of the calls on

// Whether the name has a word for a step and a running number: "step 12", "Iteration_3".
bool HasRunningNumber(std::string_view name) {
  const std::string lower = Lower(name);
  for (std::string_view word : {"step", "iter", "iteration", "batch"}) {
    size_t at = lower.find(word);
    if (at == std::string::npos) continue;
    at = lower.find_first_not_of(" _#:=-", at + word.size());
    if (at != std::string::npos && IsDigit(lower[at])) return true;
  }
  return false;
}

// The number of "train 12" and "epoch #3". It is a running number if those of all calls of that
// pattern follow each other.
std::optional<int64_t> NumberBehind(std::string_view name) {
  const std::string_view digits = LastDigits(name);
  const size_t before = name.size() - digits.size();
  if (before < 2 || (name[before - 1] != ' ' && name[before - 1] != '#')) return std::nullopt;
  return LastNumber(name);
}

// All numbers in a name; those of names of one pattern are equally many.
std::vector<int64_t> NumbersIn(std::string_view name) {
  constexpr int64_t kMost = int64_t{1} << 53;  // a larger one is a hash
  std::vector<int64_t> numbers;
  bool open = false;
  for (const char c : name) {
    if (IsDigit(c)) {
      if (!open) numbers.push_back(0);
      numbers.back() = std::min(kMost, numbers.back() * 10 + (c - '0'));
    }
    open = IsDigit(c);
  }
  return numbers;
}

// The name with its numbers replaced, so that all calls of a loop have the same.
std::string Pattern(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    if (!IsDigit(c)) {
      pattern += c;
    } else if (pattern.empty() || pattern.back() != '#') {
      pattern += '#';
    }
  }
  return pattern;
}

struct Call {
  TimeRange range;
  uint32_t row = 0;
  uint32_t pattern = 0;
  uint32_t meta = 0;
};

class CallFinder {
 public:
  CallFinder(const Trace& trace, const Grouping& grouping) : trace_(trace) {
    RowReader reader(trace.set);
    for (const LaunchLink& link : grouping.launches)
      launches_.push_back(reader.Start(link.launch_row));
    std::sort(launches_.begin(), launches_.end());
    const NameTable& names = trace.names();
    const bool pytorch = CapabilitiesOf(trace).pytorch_events;
    pattern_.resize(names.metas.size());
    for (size_t m = 0; m < pattern_.size(); ++m) {
      const EventMeta& meta = names.metas[m];
      const std::string_view name = names.strings.View(meta.name);
      numbered_.push_back(HasRunningNumber(name));
      counting_.push_back(std::nullopt);
      if (IsCall(name, meta.category, pytorch)) {
        pattern_[m] = IdOf(Pattern(name));
      } else if (!pytorch && NumberBehind(name)) {
        counting_[m] = NumberBehind(name);
        pattern_[m] = IdOf(Pattern(name));
      }
    }
  }

  StepPlan Find(HostId host) const;

 private:
  static bool IsCall(std::string_view name, EventCategory category, bool pytorch);
  uint32_t IdOf(const std::string& pattern) {
    return ids_.try_emplace(pattern, static_cast<uint32_t>(ids_.size()) + 1).first->second;
  }
  std::vector<Call> CallsIn(HostId host, TimeRange range, bool numbered) const;
  std::vector<Call> MostRegular(const std::vector<Call>& calls) const;
  std::set<uint32_t> WithoutCount(const std::vector<Call>& calls) const;
  std::vector<Call> SplitByName(std::vector<Call> calls) const;
  bool Counts(const std::vector<Call>& calls, uint32_t pattern) const;
  double ShareOf(TimeRange range) const;
  StepPlan PlanOf(HostId host, const std::vector<Call>& calls) const;

  const Trace& trace_;
  std::vector<Ps> launches_;       // sorted
  std::vector<uint32_t> pattern_;  // by MetaId; 0: no call
  std::vector<bool> numbered_;     // by MetaId
  // By MetaId, for names that are calls only if their numbers follow each other.
  std::vector<std::optional<int64_t>> counting_;
  std::map<std::string, uint32_t> ids_;
};

bool CallFinder::IsCall(std::string_view name, EventCategory category, bool pytorch) {
  if (RoleOfHostEvent(name, category) == HostRole::kGraph) return true;
  if (!pytorch) return name.starts_with("PjitFunction(") || HasRunningNumber(name);
  if (category != EventCategory::kUserAnnotation) return false;
  return !IsCollective(name) && !name.starts_with("PyTorch Profiler") &&
         RoleOfHostEvent(name, category) == HostRole::kWork;
}

// The share of all launches that begin in the range.
double CallFinder::ShareOf(TimeRange range) const {
  if (launches_.empty()) return 0;
  const auto first = std::lower_bound(launches_.begin(), launches_.end(), range.begin);
  const auto last = std::lower_bound(first, launches_.end(), range.end);
  return static_cast<double>(last - first) / static_cast<double>(launches_.size());
}

// The outermost calls of each thread that lie inside the range, by begin. `numbered`: only those
// with a running number.
std::vector<Call> CallFinder::CallsIn(HostId host, TimeRange range, bool numbered) const {
  std::vector<Call> all;
  for (const Track* thread : HostThreadsOf(trace_, host)) {
    std::vector<Call> mine;
    for (const Lane& lane : trace_.set.LanesOf(*thread)) {
      if (lane.kind == LaneKind::kInstant) continue;
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const uint32_t meta = lane.meta[i];
        const TimeRange call{lane.start[i], lane.end(i)};
        const bool inside = call.begin >= range.begin && call.end <= range.end && call != range;
        if (pattern_[meta] != 0 && inside && !call.empty() && (!numbered || numbered_[meta]))
          mine.push_back({call, lane.first_row + i, pattern_[meta], meta});
      }
    }
    std::sort(mine.begin(), mine.end(), [](const Call& a, const Call& b) {
      return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                            : a.range.end > b.range.end;
    });
    Ps end = kMinPs;
    for (const Call& call : mine) {
      if (call.range.begin < end) continue;
      end = call.range.end;
      all.push_back(call);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Call& a, const Call& b) { return a.range.begin < b.range.begin; });
  return all;
}

// Whether a number in the names of the pattern goes up by one from each call to the next.
bool CallFinder::Counts(const std::vector<Call>& calls, uint32_t pattern) const {
  std::vector<int64_t> last;
  std::vector<bool> counts;
  for (const Call& call : calls) {
    if (call.pattern != pattern) continue;
    const std::vector<int64_t> numbers = NumbersIn(trace_.names().Name(MetaId(call.meta)));
    if (counts.empty()) counts.assign(numbers.size(), true);
    for (size_t i = 0; !last.empty() && i < numbers.size(); ++i)
      counts[i] = counts[i] && numbers[i] == last[i] + 1;
    last = numbers;
  }
  return std::find(counts.begin(), counts.end(), true) != counts.end();
}

// Calls whose names differ in a number that does not count are calls of different things: a
// "train.py:23" and a "train.py:25" are two lines of one iteration.
std::vector<Call> CallFinder::SplitByName(std::vector<Call> calls) const {
  std::map<uint32_t, std::set<uint32_t>> metas;  // by pattern
  for (const Call& call : calls) metas[call.pattern].insert(call.meta);
  std::map<uint32_t, uint32_t> split;  // the pattern of a name
  auto next = static_cast<uint32_t>(ids_.size());
  for (const auto& [pattern, names] : metas) {
    if (names.size() < 2 || numbered_[*names.begin()] || Counts(calls, pattern)) continue;
    for (const uint32_t meta : names) split[meta] = ++next;
  }
  for (Call& call : calls) {
    if (const auto own = split.find(call.meta); own != split.end()) call.pattern = own->second;
  }
  return calls;
}

// The patterns whose calls have numbers that do not follow each other.
std::set<uint32_t> CallFinder::WithoutCount(const std::vector<Call>& calls) const {
  std::map<uint32_t, int64_t> last;  // by pattern
  std::set<uint32_t> without;
  for (const Call& call : calls) {
    const std::optional<int64_t> number = counting_[call.meta];
    if (!number) continue;
    const auto [at, first] = last.try_emplace(call.pattern, *number);
    if (!first && *number - 1 != at->second) without.insert(call.pattern);
    at->second = *number;
  }
  return without;
}

// The calls that are steps: of all patterns with the number of calls that most patterns have, those
// of the pattern that begins first.
std::vector<Call> CallFinder::MostRegular(const std::vector<Call>& all) const {
  const std::vector<Call> calls = SplitByName(all);
  const std::set<uint32_t> without = WithoutCount(calls);
  std::map<uint32_t, size_t> count;  // by pattern
  for (const Call& call : calls) count[call.pattern] += !without.contains(call.pattern);
  std::map<size_t, size_t> names;  // number of patterns by number of calls
  for (const auto& [pattern, n] : count) {
    if (n >= 2) ++names[n];
  }
  const auto most = std::max_element(
      names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Call> chosen;
  if (most == names.end()) return chosen;
  for (const Call& call : calls) {
    if (count[call.pattern] != most->first || without.contains(call.pattern)) continue;
    if (chosen.empty() || chosen.front().pattern == call.pattern) chosen.push_back(call);
  }
  return chosen;
}

StepPlan CallFinder::PlanOf(HostId host, const std::vector<Call>& calls) const {
  StepPlan plan;
  plan.by_launch = true;
  for (const Call& call : calls) {
    Step step;
    step.host = host;
    step.label = calls.size() == 1 ? std::string(trace_.set.Name(EventRow(call.row)))
                                   : std::to_string(plan.steps.size());
    step.inferred = true;
    step.span = call.range;
    step.rows.push_back(EventRow(call.row));
    plan.step_of_boundary.push_back(static_cast<int32_t>(plan.steps.size()));
    plan.boundaries.push_back(call.range.begin);
    plan.steps.push_back(std::move(step));
  }
  if (!calls.empty()) plan.boundaries.push_back(calls.size() == 1 ? calls[0].range.end : kMaxPs);
  return plan;
}

StepPlan CallFinder::Find(HostId host) const {
  TimeRange within{kMinPs, kMaxPs};
  bool numbered = false;
  Call enclosing;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::vector<Call> calls = CallsIn(host, within, numbered);
    const std::vector<Call> regular = MostRegular(calls);
    const bool covers =
        !regular.empty() && ShareOf({regular.front().range.begin, within.end}) >= kCovers;
    if (covers) return PlanOf(host, regular);
    const auto around = std::find_if(calls.begin(), calls.end(), [&](const Call& call) {
      return ShareOf(call.range) >= kEncloses;
    });
    if (around == calls.end()) break;
    // Repeated parts of one call are no steps unless they are numbered as such.
    enclosing = *around;
    within = around->range;
    numbered = true;
  }
  if (!numbered) return {};
  return PlanOf(host, {enclosing});
}

}  // namespace

StepPlan InferByCalls(const Trace& trace, const Grouping& grouping) {
  const CallFinder finder(trace, grouping);
  for (uint32_t host = 0; host < trace.hosts.size(); ++host) {
    StepPlan plan = finder.Find(HostId(host));
    if (!plan.steps.empty()) return plan;
  }
  return {};
}

}  // namespace stepscope
