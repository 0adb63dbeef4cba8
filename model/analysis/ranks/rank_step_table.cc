#include "model/analysis/ranks/rank_step_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

using V = ValueType;
using RankAndStep = std::pair<uint32_t, int64_t>;

struct InStep {
  Ps late = 0;  // sum over the collectives to which the rank came last
  std::vector<EventRow> calls, late_calls;
};

std::map<RankAndStep, InStep> CallsOfSteps(const RankJob& job) {
  std::map<RankAndStep, InStep> found;
  for (const CollectiveCall& call : job.calls.calls) {
    if (call.in_step) found[{call.rank, call.step}].calls.emplace_back(call.row);
  }
  for (const LateCollective& c : job.lateness.collectives) {
    const CollectiveCall& last = job.calls.calls[c.last];
    if (!c.several || !c.late || !last.in_step) continue;
    InStep& in = found[{last.rank, last.step}];
    in.late = SaturatingAdd(in.late, c.late_by);
    in.late_calls.emplace_back(last.row);
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
  ResultTable t{"rank_steps", "Steps", Columns(), {}, {}};
  std::map<RankAndStep, InStep> calls = CallsOfSteps(job);
  const int64_t last = LastListed(job, most);
  bool cut = false;
  for (uint32_t r = 0; r < job.steps.size(); ++r) {
    for (const RankStep& step : job.steps[r]) {
      cut = cut || step.number > last;
      if (step.number > last) continue;
      InStep& in = calls[{r, step.number}];
      t.rows.push_back({job.ranks[r].number, step.number,
                        in.calls.empty() ? Value() : Value(InUs(in.late)), InMs(step.total),
                        InMs(step.busy)});
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
