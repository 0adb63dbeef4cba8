#include "model/analysis/devices/device_events.h"

#include <utility>

namespace stepscope {

DeviceEvents::DeviceEvents(AnalysisContext& context, const AnalysisParams& params)
    : context_(context),
      scope_(ScopeOf(context, params)),
      classes_(context.Get<DeviceClasses>().of_meta) {
  const Trace& trace = context.trace();
  for (uint32_t p = 0; p < trace.planes.size(); ++p) {
    if (trace.planes[p].kind == PlaneKind::kGpu && scope_.HasHost(trace.planes[p].host))
      devices_.emplace_back(p);
  }
}

std::string DeviceEvents::NameOf(PlaneId device) const {
  const Plane& plane = context_.trace().planes[device.value];
  if (!plane.display_name.empty()) return plane.display_name;
  return std::string(context_.trace().names().strings.View(plane.name));
}

std::string DeviceEvents::HostOf(PlaneId device) const {
  return std::string(context_.trace().HostName(context_.trace().planes[device.value].host));
}

}  // namespace stepscope
