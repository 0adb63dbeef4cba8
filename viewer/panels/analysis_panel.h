// The folder viewer/panels holds the panels of the window. A panel reads a PanelContext and draws;
// what the user does leaves it as commands. registry.cc lists the panels; start reading there.
//
// AnalysisPanel is the base of the panels that show one analysis. Each frame it asks the cache for
// the result. It shows a spinner while the result is computed, the reason where there is nothing to
// show, and the result otherwise. DrawResult is a pure view: it pushes commands and keeps widget
// state only, so tests call it with results made by hand. UI thread only.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/analysis/params.h"
#include "model/analysis/steps/steps.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"

namespace stepscope {

class AnalysisPanel : public Panel {
 public:
  AnalysisPanel(const char* analysis, const char* doing) : analysis_(analysis), doing_(doing) {}
  void Draw(const PanelContext& context) final;
  bool animating() const override { return waiting_; }
  // `key` changes whenever `result` may have changed.
  virtual void DrawResult(const PanelContext& context, const AnalysisResult& result,
                          uint64_t key) = 0;

 protected:
  // The part of the profile, and the page, that the analysis is asked about. Called in each frame.
  virtual AnalysisParams Question(const PanelContext& context) { return ParamsOf(context); }

 private:
  const char* analysis_;
  const char* doing_;  // "Adding up the kernels"
  bool waiting_ = false;
  double since_ = 0;  // when the wait began; a short wait shows no spinner
};

// Parts that several panels use.
// Why a profile without an AnalysisContext has no pages.
const char* WhyNotAnalysed(const Profile& profile);
void DrawEmpty(const PanelContext& context, const std::string& reason);
void DrawSpinner(const PanelContext& context, const char* doing);
// Draws findings as icon, sentence, advice and a link to the panel with the evidence. A finding
// that the verdict strip shows already keeps only its advice.
void DrawFindings(const PanelContext& context, std::span<const Finding> findings,
                  const char* own_panel);
// The analysis whose first finding the strip above the timeline shows.
const char* VerdictAnalysis(const Profile& profile);
// Whether two profiles are compared, not a snapshot looked at beside its trace.
bool ComparesProfiles(const PanelContext& context);
// Whether the strip above the timeline shows this sentence already. Panels do not repeat it. While
// profiles are compared the strip says how they differ.
bool SaidInStrip(const PanelContext& context, std::string_view text);
void DrawHeadline(const PanelContext& context, const Finding& finding);
Role GradeRole(Finding::Grade grade);
const char* GradeIcon(Finding::Grade grade);
// "7.81" large with a small unit, and its label below.
void DrawBigNumber(const PanelContext& context, const Property& property, const char* label);
// Says which part of the profile the panel's totals and shares are of, "Whole trace, 64.1 ms" or
// "Only step 3, 20.2 ms", as a link that shows this part on the timeline. Draws nothing without a
// profile.
void DrawScope(const PanelContext& context);
// The same for a part that the panel names itself, in the time of the context's profile.
void DrawScopeOf(const PanelContext& context, const std::string& text, TimeRange range);
// The same for averages over steps, of which `counted` count: "one step", "average of 5 steps".
void DrawStepScope(const PanelContext& context, std::span<const Step> steps, size_t counted);
// The same for tables of other pages whose numbers are of the overview's average step. Returns
// false and draws nothing where that has no steps, or is not known yet.
bool DrawAverageScope(const PanelContext& context);
// Zooms the timeline to a range, with some time around it.
void GoToRange(const PanelContext& context, TimeRange range);
// Zooms the timeline to the range of a link, or to its events.
void GoTo(const PanelContext& context, const RowLink& link);

}  // namespace stepscope
