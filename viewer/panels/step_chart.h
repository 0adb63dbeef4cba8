// The step-time chart of the overview and the input pipeline: nine classes per step from the table
// "steps". Made once per result; drawing is O(pixels). Clicking a step zooms the timeline to it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "viewer/core/loss_kind.h"
#include "viewer/core/panel.h"
#include "viewer/core/theme.h"
#include "viewer/widgets/chart.h"

namespace stepscope {

struct StepClass {
  const char* column;  // id in the table
  const char* label;
  Kind kind;
};
std::span<const StepClass> StepClasses();  // the nine, bottom of the bars first

struct ClassSummary {
  double mean = 0,
         deviation = 0;  // ms, over the steps that count; deviation of the sample
};

class StepChart {
 public:
  // Does nothing if `key` and the theme are those of last time.
  void Update(const PanelContext& context, const ResultTable& steps, uint64_t key);
  void Draw(const PanelContext& context, const ResultTable& steps,
            ImVec2 size);  // title, legend, chart
  const std::array<ClassSummary, 9>& classes() const { return classes_; }
  const ClassSummary& total() const { return total_; }
  size_t counted() const { return counted_; }  // steps in the averages
  size_t partial() const { return partial_; }  // and warm-up
  size_t inferred() const { return inferred_; }
  const StepBars& bars() const { return bars_; }

 private:
  StepBars bars_;
  ChartState state_;
  std::array<ClassSummary, 9> classes_{};
  ClassSummary total_;
  size_t counted_ = 0, partial_ = 0, inferred_ = 0;
  uint64_t key_ = 0;
  ThemeKind theme_ = ThemeKind::kDark;
};

}  // namespace stepscope
