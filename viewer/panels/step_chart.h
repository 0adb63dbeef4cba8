// StepChart is the step-time chart of the overview and the input pipeline: a bar per step, divided
// into the classes of its time. It is made once per result; drawing is O(pixels). A click on a step
// zooms the timeline to it. UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/chart.h"

namespace stepscope {

struct StepClass {
  std::string column;  // id in the table
  std::string label;
  Kind kind = Kind::kOther;
};
// The classes from the bottom of a bar to its top: the columns of the table "step_losses", or
// XProf's nine classes for any other table.
std::vector<StepClass> StepClassesOf(const ResultTable& table);

struct ClassSummary {
  // In ms, over the steps that count. The deviation is that of the sample.
  double mean = 0, deviation = 0;
};

class StepChart {
 public:
  // Reads the tables "steps" and "step_losses"; the latter has the classes where it exists. Does
  // nothing if `key` and the theme have not changed.
  void Update(const PanelContext& context, const AnalysisResult& result, uint64_t key);
  void Draw(const PanelContext& context, const ResultTable& steps,
            ImVec2 size);  // title, legend, chart
  const std::vector<StepClass>& classes() const { return classes_; }
  const std::vector<ClassSummary>& sums() const { return sums_; }  // by class
  // The summary of the class with this column; zeros if there is none.
  ClassSummary SumOf(std::string_view column) const;
  const ClassSummary& total() const { return total_; }
  size_t counted() const { return counted_; }  // steps in the averages
  size_t partial() const { return partial_; }  // partial and warm-up steps
  size_t inferred() const { return inferred_; }
  const StepBars& bars() const { return bars_; }

 private:
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
