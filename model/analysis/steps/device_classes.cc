#include "model/analysis/steps/device_classes.h"

#include "model/analysis/analysis.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/steps.h"
#include "model/capabilities.h"

namespace stepscope {

std::vector<const Lane*> WorkLanes(const Trace& trace, const Plane& plane) {
  std::vector<const Lane*> lanes;
  for (const Lane* lane : PlaneLanes(trace, plane)) {
    const Track& track = trace.set.tracks[lane->track.value];
    bool work = track.kind == TrackKind::kStream || track.kind == TrackKind::kThread ||
                track.kind == TrackKind::kOther;
    if (work && lane->kind != LaneKind::kInstant) lanes.push_back(lane);
  }
  return lanes;
}

std::vector<uint8_t> ClassesOfDeviceEvents(const Trace& trace) {
  const NameTable& names = trace.names();
  std::vector<uint8_t> classes(names.metas.size(), 0);
  const bool categories = CapabilitiesOf(trace).event_categories;
  for (size_t m = 0; m < classes.size(); ++m) {
    const EventMeta& meta = names.metas[m];
    EventCategory c = meta.category;
    bool work = c == EventCategory::kKernel || c == EventCategory::kMemcpy ||
                c == EventCategory::kMemset || c == EventCategory::kCommunication;
    bool gpu = meta.plane.value < trace.planes.size() &&
               trace.planes[meta.plane.value].kind == PlaneKind::kGpu;
    if (categories ? !work : !gpu) continue;
    classes[m] = static_cast<uint8_t>(OwnDeviceClass(names.strings.View(meta.name), c));
  }
  return classes;
}

std::vector<bool> DeviceWork(const Trace& trace, const std::vector<uint8_t>& classes) {
  std::vector<bool> work(classes.size(), true);
  if (!CapabilitiesOf(trace).event_categories) return work;
  for (size_t m = 0; m < work.size(); ++m)
    work[m] = classes[m] != static_cast<uint8_t>(TimeClass::kUnknown);
  return work;
}

DeviceClasses DeviceClasses::Compute(AnalysisContext& context) {
  return {ClassesOfDeviceEvents(context.trace())};
}

}  // namespace stepscope
