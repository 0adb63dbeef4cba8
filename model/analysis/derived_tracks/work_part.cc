#include "model/analysis/derived_tracks/work_part.h"

#include <cstddef>

namespace stepscope {

const char* IdOf(WorkPart part) {
  static constexpr const char* kIds[] = {"compute", "collectives", "copies", ""};
  return kIds[static_cast<size_t>(part)];
}

WorkPart WorkPartOf(std::string_view counter) {
  size_t part = 0;
  while (part < static_cast<size_t>(WorkPart::kCount) &&
         counter != IdOf(static_cast<WorkPart>(part)))
    ++part;
  return static_cast<WorkPart>(part);
}

WorkPart WorkPartOf(TimeClass c) {
  switch (c) {
    case TimeClass::kCollectives:
      return WorkPart::kCollectives;
    case TimeClass::kHostToDevice:
    case TimeClass::kDeviceToHost:
    case TimeClass::kDeviceToDevice:
      return WorkPart::kCopies;
    default:
      return WorkPart::kCompute;
  }
}

WorkPart WorkPartOf(std::string_view name, EventCategory category) {
  return WorkPartOf(OwnDeviceClass(name, category));
}

}  // namespace stepscope
