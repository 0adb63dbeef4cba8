// ComparedProfile: one side of a comparison, profile A or B, and all that is read of it. The sides
// are read on two threads. Borrows the context and the params. ComparedSteps: the steps of one
// profile that are compared, and which of them are outliers (docs/compare.md#steps), in ms.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "model/compare/compare_table.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

struct ComparedSteps {
  std::shared_ptr<const StepDatabase> db;
  std::vector<bool> typical;                   // by step of `db`: it counts and is no outlier
  std::vector<double> times;                   // ms, by index into `counted`
  std::vector<const Step*> counted, outliers;  // steps of `db` that count; outliers among them
  StepSummary summary;                         // statistics of the counted steps
  double typical_mean = 0;                     // ms: mean of the typical steps
  bool found = false;  // false: the profile has no steps; the whole recording is one
};

// The steps of the part `params` that count in averages. Among 5 or more, a step is an outlier if
// it lies further from the median than 5 robust deviations (1.4826 MAD) and a fifth of the median.
// If more than one in five would be outliers, none is (docs/compare.md#steps). O(steps log steps),
// or O(events) for a profile without steps.
ComparedSteps ChooseSteps(AnalysisContext& context, const AnalysisParams& params);

// A fact about devices, versions or sizes. Facts are found by id.
struct Fact {
  std::string what, text;
  std::optional<double> number = {};  // set if the fact is a number that may differ a little
};
using Facts = std::map<std::string, Fact>;

// An op of an XLA program.
struct HloOpKey {
  std::string module, name;
  auto operator<=>(const HloOpKey&) const = default;
};
struct HloOpText {
  std::string category, framework_op;
};
using MemoryRegion = std::pair<std::string, std::string>;  // allocator; region or kind of peak
using AllocationKey = std::vector<std::string>;            // op, region, type, shape

// The figures of the pages Input pipeline and Memory and of those of XLA's programs: ms and calls
// of an average step, and bytes.
struct PageAmounts {
  std::map<std::string, Amount> input_ops;
  std::map<MemoryRegion, Amount> regions;
  std::map<AllocationKey, Amount> allocations;
  std::map<HloOpKey, Amount> hlo_ops;
  std::map<HloOpKey, HloOpText> hlo_texts;
  std::map<std::string, Amount> hlo_categories;
};

struct ComparedProfile {
  AnalysisContext& context;
  const AnalysisParams& params;  // which part of it
  ComparedSteps steps;
  // The rest is empty if no step counts.
  StepItems items = {};  // what its average step consists of
  Facts facts = {};
  PageAmounts pages = {};
};

}  // namespace stepscope::compare
