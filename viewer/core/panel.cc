#include "viewer/core/panel.h"

#include "model/analysis/analysis.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/commands/keys.h"

namespace stepscope {

std::string_view KeysOf(const PanelContext& context, const CommandDesc& command) {
  return context.keys.Of(command.id);
}

namespace {

AnalysisParams ParamsFor(const PanelContext& context, const ProfileViewState* state) {
  if (state == nullptr) return {};
  AnalysisParams params = ForHost(state->host);
  params.range = state->map.ToTrace(context.view.Filter());
  params.peaks = OwnPeaksOf(context.settings);
  return params;
}

}  // namespace

AnalysisParams ParamsOf(const PanelContext& context) { return ParamsFor(context, context.state); }

AnalysisParams ParamsOf(const PanelContext& context, ProfileId profile) {
  return ParamsFor(context, context.view.Find(profile));
}

}  // namespace stepscope
