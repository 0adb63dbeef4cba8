#include "viewer/core/panel.h"

#include "model/analysis/analysis.h"
#include "viewer/core/commands/key_bindings.h"

namespace stepscope {

std::string_view KeysOf(const PanelContext& context, const CommandDesc& command) {
  return context.keys.Of(command.id);
}

AnalysisParams ParamsOf(const PanelContext& context) {
  if (context.state == nullptr) return {};
  AnalysisParams params = ForHost(context.state->host);
  params.range = context.state->map.ToTrace(context.view.Filter());
  return params;
}

}  // namespace stepscope
