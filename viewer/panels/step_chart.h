// StepChart is the step-time chart of the overview and the input pipeline: a bar per step, divided
// into the classes of its time. It is made once per result; drawing is O(pixels). A click on a step
// zooms the timeline to it. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/steps/steps.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/chart.h"

namespace stepscope {

struct StepClass {
  std::string label;
  Kind kind = Kind::kOther;
  std::optional<StepPart> part;  // nullopt: one of XProf's nine classes
};
// The ms of a class by step. Classes are in the order of a bar, from its bottom to its top.
struct StepClassMs {
  StepClass of;
  std::vector<double> ms;
};
// Divides steps by StepPart, without the parts that never occur, or into XProf's nine classes.
std::vector<StepClassMs> DivideSteps(std::span<const Step> steps, bool as_xprof);

struct ClassSummary {
  // In ms, over the steps that count. The deviation is that of the sample.
  double mean = 0, deviation = 0;
};

class StepChart {
 public:
  // Does nothing if `key` and the theme have not changed.
  void Update(const PanelContext& context, std::span<const Step> steps, bool as_xprof,
              uint64_t key);
  // Draws title, legend and chart of the steps that Update got.
  void Draw(const PanelContext& context, std::span<const Step> steps, ImVec2 size);
  const std::vector<StepClass>& classes() const { return classes_; }
  const std::vector<ClassSummary>& sums() const { return sums_; }  // by class
  // The summary of the first class of the kind; zeros if there is none.
  ClassSummary SumOf(Kind kind) const;
  const ClassSummary& total() const { return total_; }
  size_t counted() const { return counted_; }  // steps in the averages
  size_t partial() const { return partial_; }  // partial and warm-up steps
  size_t inferred() const { return inferred_; }
  const StepBars& bars() const { return bars_; }

 private:
  void SetLabels(const PanelContext& context, std::span<const Step> steps);

  StepBars bars_;
  ChartState state_;
  std::vector<StepClass> classes_;
  std::vector<ClassSummary> sums_;
  ClassSummary total_;
  size_t counted_ = 0, partial_ = 0, inferred_ = 0;
  uint64_t key_ = 0;
  ThemeKind theme_ = ThemeKind::kDark;
};

}  // namespace stepscope
