// WorkPart: what a busy device works on, as the utilisation shows it. Pure; O(length of a name).
#pragma once

#include <cstdint>
#include <string_view>

#include "model/analysis/naming/time_classes.h"
#include "model/track.h"

namespace stepscope {

// Kinds of work of a busy device. The first counter of the utilisation is the whole; those
// behind it are its parts, of which those without time are left out. Where several kinds of work
// overlap, the time is the first one's: copies and collectives are what nothing hides.
enum class WorkPart : uint8_t { kCompute, kCollectives, kCopies, kCount };
const char* IdOf(WorkPart part);  // the name of its counter: "compute"
// The part of a counter's name; kCount: none.
WorkPart WorkPartOf(std::string_view counter);

WorkPart WorkPartOf(TimeClass c);
// The part that an event of this name and category counts as.
WorkPart WorkPartOf(std::string_view name, EventCategory category);

}  // namespace stepscope
