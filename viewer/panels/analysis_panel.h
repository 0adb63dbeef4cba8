// AnalysisPanel: what the panels that show an analysis have in common: they ask the cache each
// frame, show a spinner with what is being computed, say why there is nothing, and draw the result
// otherwise. DrawResult is a pure view: it pushes commands and keeps widget state only, so tests
// call it with results made by hand.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "viewer/core/panel.h"
#include "viewer/core/theme.h"

namespace stepscope {

class AnalysisPanel : public Panel {
 public:
  AnalysisPanel(const char* analysis, const char* doing) : analysis_(analysis), doing_(doing) {}
  void Draw(const PanelContext& context) final;
  bool animating() const override { return waiting_; }
  // `key` changes whenever `result` may have changed.
  virtual void DrawResult(const PanelContext& context, const AnalysisResult& result,
                          uint64_t key) = 0;

 private:
  const char* analysis_;
  const char* doing_;  // "Adding up the kernels"
  bool waiting_ = false;
  double since_ = 0;  // when the wait began: a spinner that flashes says nothing
};

// Parts that several panels use.
void DrawEmpty(const PanelContext& context, const std::string& reason);
void DrawSpinner(const PanelContext& context, const char* doing);
// Findings as icon, sentence, advice and a link to the panel with the evidence. Of one that the
// verdict strip says, only what is to be done.
void DrawFindings(const PanelContext& context, std::span<const Finding> findings,
                  const char* own_panel);
// The analysis whose first finding the strip above the timeline says.
const char* VerdictAnalysis(const Run& run);
// Whether the strip above the timeline says this sentence: nothing is said twice on a page.
bool SaidInStrip(const PanelContext& context, std::string_view text);
void DrawHeadline(const PanelContext& context, const Finding& finding);
Role GradeRole(Finding::Grade grade);
const char* GradeIcon(Finding::Grade grade);
// "7.81" large with a small unit, and its label below.
void DrawBigNumber(const PanelContext& context, const Property* property, const char* label);
// Zooms the timeline to a row's range, or to its events.
void GoToRow(const PanelContext& context, const ResultTable& table, int row);
double NumberIn(const AnalysisResult& result, std::string_view property, double otherwise = 0);
std::string TextOf(const AnalysisResult& result, std::string_view property);

}  // namespace stepscope
