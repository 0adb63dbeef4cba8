#include "model/compare/compare.h"

#include <algorithm>
#include <optional>

#include "model/analysis/verdict.h"
#include "model/base/task.h"
#include "model/compare/contribution_table.h"
#include "model/compare/panel_tables.h"
#include "model/compare/run_facts.h"
#include "model/compare/snapshots.h"
#include "model/compare/step_tables.h"
#include "model/compare/summary.h"
#include "model/compare/work_tables.h"

namespace stepscope {
namespace {

// Shares of the step: smaller changes are not listed; larger ones are, whether they stand out or
// not. Of runs with another number of devices or steps only these mean something.
constexpr double kLeast = 0.0002, kLarge = 0.01;

struct Side {
  RunSteps steps;
  RunItems items;
};

Side Read(AnalysisContext& context, const AnalysisParams& params, const std::stop_token& stop) {
  Side side;
  side.steps = ChooseSteps(context, params, stop);
  if (!side.steps.counted.empty())
    side.items = CollectItems(context, *side.steps.db, side.steps.typical, stop);
  return side;
}

// What outliers add to the mean step: they are told apart from what all steps have.
std::optional<Contribution> OutlierPart(const RunSteps& a, const RunSteps& b) {
  if (a.outliers.empty() && b.outliers.empty()) return std::nullopt;
  Contribution c;
  std::array<double, kLossClasses> excess{};
  const auto read = [&](const RunSteps& run, double* effect, double* count,
                        std::vector<EventRow>* rows) {
    *effect = (run.summary.mean - run.typical_mean) * static_cast<double>(kPsPerMs);
    *count = static_cast<double>(run.outliers.size()) / static_cast<double>(run.counted.size());
    const auto typical = static_cast<double>(run.counted.size() - run.outliers.size());
    for (size_t i = 0; i < run.typical.size(); ++i) {
      const std::array<double, kLossClasses> losses = LossesOf(run.db->steps[i]);
      for (size_t k = 0; k < kLossClasses && run.typical[i]; ++k)
        excess[k] -= losses[k] * static_cast<double>(run.outliers.size()) / typical;
    }
    for (const Step* step : run.outliers) {
      const std::array<double, kLossClasses> losses = LossesOf(*step);
      for (size_t k = 0; k < kLossClasses; ++k) excess[k] += losses[k];
      c.name += (c.name.empty() ? "outlier steps: " : ", ") + step->label;
      rows->insert(rows->end(), step->rows.begin(), step->rows.end());
    }
  };
  read(a, &c.a, &c.count_a, &c.rows_a);
  const size_t of_a = c.name.size();
  if (of_a > 0 && !b.outliers.empty()) c.name += " (A)";
  read(b, &c.b, &c.count_b, &c.rows_b);
  if (of_a > 0 && !b.outliers.empty()) c.name += " (B)";
  c.busy_a = c.a, c.busy_b = c.b;
  c.loss = static_cast<LossClass>(std::max_element(excess.begin(), excess.end()) - excess.begin());
  c.kind = KindOf(c.loss);
  c.change = a.outliers.empty()   ? Change::kAdded
             : b.outliers.empty() ? Change::kRemoved
             : c.delta() >= 0     ? Change::kSlower
                                  : Change::kFaster;
  return c;
}

Contributions Contribute(const Side& a, const Side& b, bool sizes_differ) {
  const double mean = std::max(a.items.mean, b.items.mean);
  const Floors floors{mean * (sizes_differ ? kLarge : kLeast), mean * kLarge};
  Contributions found = FindContributions(a.items, b.items, floors);
  if (std::optional<Contribution> part = OutlierPart(a.steps, b.steps)) {
    const auto larger = [](const Contribution& x, const Contribution& y) {
      return std::abs(x.delta()) > std::abs(y.delta());
    };
    if (part->delta() != 0)
      found.rows.insert(std::upper_bound(found.rows.begin(), found.rows.end(), *part, larger),
                        *part);
  }
  return found;
}

std::string EmptyReason(const Side& a, const Side& b) {
  const bool no_a = a.steps.counted.empty(), no_b = b.steps.counted.empty();
  if (!no_a && !no_b) return {};
  const std::string which = no_a && no_b ? "Neither run has"
                            : no_a       ? "A does not have"
                                         : "B does not have";
  return which + " steps or device events to compare.";
}

}  // namespace

CompareResult Compare(AnalysisContext& a, AnalysisContext& b, const CompareParams& params,
                      std::stop_token stop) {
  if (auto snapshots = CompareSnapshots(a.trace(), b.trace(), params)) return *std::move(snapshots);
  CompareResult out;
  out.result.panel = "compare";
  Side of_a, of_b;
  ParallelFor(2, [&](size_t i) {
    if (i == 0) of_a = Read(a, params.a, stop);
    if (i == 1) of_b = Read(b, params.b, stop);
  });
  if (stop.stop_requested()) return {};
  out.has_steps = of_a.steps.found && of_b.steps.found;
  out.result.empty_reason = EmptyReason(of_a, of_b);
  if (!out.result.empty_reason.empty()) return out;
  const ComparedRun run_a{a, params.a, of_a.steps, of_a.items};
  const ComparedRun run_b{b, params.b, of_b.steps, of_b.items};
  const std::vector<RunDifference> differences = FindDifferences(run_a, run_b);
  const bool sizes = std::any_of(differences.begin(), differences.end(),
                                 [](const RunDifference& d) { return d.size; });
  const Contributions found = Contribute(of_a, of_b, sizes);
  const StepChange change = ChangeOfSteps(of_a.steps, of_b.steps);
  AddProperties(change, found, of_a.steps, of_b.steps, &out);
  AddContributionTable(found, change.mean_delta(), &out);
  AddStepTable(of_a.steps, of_b.steps, &out);
  AddClassTable(of_a.steps, of_b.steps, &out);
  AddWorkTables(of_a.items, of_b.items, &out);
  AddIdleTable(of_a.items, of_b.items, &out);
  AddInputTable(run_a, run_b, &out, stop);
  AddMemoryTables(run_a, run_b, &out, stop);
  AddDifferenceTable(differences, &out);
  AddSummary(change, found, differences, &out);
  return out;
}

const char* PanelOfComparison(std::string_view table) {
  struct Row {
    const char* table;
    const char* panel;
  };
  static constexpr Row kRows[] = {
      {"kernels", "kernel_stats"},
      {"copies", "kernel_stats"},
      {"collectives", "kernel_stats"},
      {"ops", "op_stats"},
      {"memory", "memory"},
      {"allocations", "memory"},
      {"input_ops", "input_pipeline"},
      {"memory_at_peak", "memory_snapshot"},
      {"stacks_at_peak", "memory_snapshot"},
      {"memory_at_end", "memory_snapshot"},
      {"stacks_at_end", "memory_snapshot"},
  };
  for (const Row& row : kRows) {
    if (table == row.table) return row.panel;
  }
  return "overview";
}

}  // namespace stepscope
