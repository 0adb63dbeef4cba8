#include "model/analysis/ranks/rank_step_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

using V = ValueType;

struct InStep {
  bool any = false;  // a collective of several ranks, or of one
  Ps late = 0;       // sum over the collectives to which the rank came last
  std::vector<EventRow> calls, late_calls;
};

// The collectives in each step of one rank.
class StepsOfRank {
 public:
  explicit StepsOfRank(const std::vector<RankStep>& steps) : in_(steps.size()) {
    for (uint32_t i = 0; i < steps.size(); ++i) order_.emplace_back(steps[i].number, i);
    std::sort(order_.begin(), order_.end());
  }
  InStep& operator[](size_t step) { return in_[step]; }
  // Null for a step that the rank does not have. O(1) where numbers follow each other.
  InStep* Find(int64_t number) {
    if (order_.empty()) return nullptr;
    const auto guess = static_cast<uint64_t>(number) - static_cast<uint64_t>(order_.front().first);
    if (guess < order_.size() && order_[guess].first == number) return &in_[order_[guess].second];
    const auto it = std::lower_bound(order_.begin(), order_.end(), std::pair(number, 0u));
    return it == order_.end() || it->first != number ? nullptr : &in_[it->second];
  }

 private:
  std::vector<std::pair<int64_t, uint32_t>> order_;  // number and place, by number
  std::vector<InStep> in_;
};

std::vector<StepsOfRank> CallsOfSteps(const RankJob& job, bool with_events) {
  std::vector<StepsOfRank> found;
  for (const std::vector<RankStep>& steps : job.steps) found.emplace_back(steps);
  found.resize(job.ranks.size(), StepsOfRank({}));
  for (const CollectiveCall& call : job.calls.calls) {
    InStep* in = call.in_step ? found[call.rank].Find(call.step) : nullptr;
    if (in == nullptr) continue;
    in->any = true;
    if (with_events) in->calls.emplace_back(call.row);
  }
  for (const LateCollective& c : job.lateness.collectives) {
    const CollectiveCall& last = job.calls.calls[c.last];
    if (!c.several || !c.late || !last.in_step) continue;
    InStep* in = found[last.rank].Find(last.step);
    if (in == nullptr) continue;
    in->late = SaturatingAdd(in->late, c.late_by);
    if (with_events) in->late_calls.emplace_back(last.row);
  }
  return found;
}

// The last step to list, so that all ranks have the same ones.
int64_t LastListed(const RankJob& job, size_t most_rows) {
  std::set<int64_t> numbers;
  for (const std::vector<RankStep>& steps : job.steps) {
    for (const RankStep& step : steps) numbers.insert(step.number);
  }
  const size_t most = most_rows / std::max<size_t>(1, job.ranks.size());
  if (numbers.empty() || most == 0) return -1;
  return *std::next(numbers.begin(),
                    static_cast<std::ptrdiff_t>(std::min(most, numbers.size()) - 1));
}

std::vector<ColumnDesc> Columns() {
  return {{"rank", "Rank", Unit::kNone, V::kInt, "", true},
          {"step", "Step", Unit::kNone, V::kInt, "", true},
          {"late_us", "Late by", Unit::kUs, V::kReal,
           "sum over the step's collectives to which it came last, from the median arrival of the "
           "others; clocks aligned",
           true},
          {"step_ms", "Step time", Unit::kMs, V::kReal, "", true},
          {"busy_ms", "Busy", Unit::kMs, V::kReal, "compute and copies"}};
}

}  // namespace

ResultTable RankStepTable(const RankJob& job, bool with_events, size_t most) {
  ResultTable t{"rank_steps", "Steps", Columns()};
  std::vector<StepsOfRank> calls = CallsOfSteps(job, with_events);
  const int64_t last = LastListed(job, most);
  bool cut = false;
  for (uint32_t r = 0; r < job.steps.size(); ++r) {
    for (size_t i = 0; i < job.steps[r].size(); ++i) {
      const RankStep& step = job.steps[r][i];
      cut = cut || step.number > last;
      if (step.number > last) continue;
      InStep& in = calls[r][i];
      t.AddRow({job.ranks[r].number, step.number, in.any ? Value(InUs(in.late)) : Value(),
                InMs(step.total), InMs(step.busy)});
      if (!with_events) continue;
      std::vector<EventRow>& rows = in.late_calls.empty() ? in.calls : in.late_calls;
      t.links.push_back(LinkTo(EventRows(std::move(rows))));
      t.links.back().range = step.span;
    }
  }
  if (cut) t.title += " (up to " + std::to_string(last) + ")";
  return t;
}

}  // namespace stepscope
