// PagePanel: the panel of a page that has no panel of its own. It shows the findings, the numbers
// and the tables of the page's result. UI thread only.
#pragma once

#include <cstdint>

#include "model/analysis/analysis.h"
#include "viewer/core/state/panel_list.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/table_pages.h"

namespace stepscope {

class PagePanel final : public AnalysisPanel {
 public:
  explicit PagePanel(const char* page) : AnalysisPanel(page, "Making the page"), page_(page) {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  const char* page_;
  TablePages tables_;
};

// A panel at the bottom right, without a key, that is closed at first. `page` must outlive it, as
// the rows of Analyses() do.
PanelDesc PanelOfPage(const AnalysisDesc& page);

}  // namespace stepscope
