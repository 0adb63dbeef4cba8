#include "viewer/core/panel.h"

#include "model/analysis/analysis.h"

namespace stepscope {

AnalysisParams ParamsOf(const PanelContext& context) {
  if (context.state == nullptr) return {};
  AnalysisParams params = ForHost(context.state->host);
  params.range = context.state->map.ToTrace(context.view.Filter());
  return params;
}

}  // namespace stepscope
