// The step-time chart of the overview and the input pipeline: what each step goes into. Made once
// per result; drawing is O(pixels). Clicking a step zooms the timeline to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/loss_kind.h"
#include "viewer/core/panel.h"
#include "viewer/core/theme.h"
#include "viewer/widgets/chart.h"

namespace stepscope {

struct StepClass {
  std::string column;  // id in the table
  std::string label;
  Kind kind = Kind::kOther;
};
// Bottom of the bars first: the columns of the table "step_losses"; of any other table XProf's
// nine.
std::vector<StepClass> StepClassesOf(const ResultTable& table);

struct ClassSummary {
  double mean = 0,
         deviation = 0;  // ms, over the steps that count; deviation of the sample
};

class StepChart {
 public:
  // From the tables "steps" and, where there is one, "step_losses", which has the classes then.
  // Does nothing if `key` and the theme are those of last time.
  void Update(const PanelContext& context, const AnalysisResult& result, uint64_t key);
  void Draw(const PanelContext& context, const ResultTable& steps,
            ImVec2 size);  // title, legend, chart
  const std::vector<StepClass>& classes() const { return classes_; }
  const std::vector<ClassSummary>& sums() const { return sums_; }  // of each class
  // Of the class of this column; zeros if there is none.
  ClassSummary SumOf(std::string_view column) const;
  const ClassSummary& total() const { return total_; }
  size_t counted() const { return counted_; }  // steps in the averages
  size_t partial() const { return partial_; }  // and warm-up
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
