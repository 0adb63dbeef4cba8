// StatsQuestion: which events AddUp adds up (event_stats.h), and by what they are grouped. Borrows
// all that it points to.
#pragma once

#include <cstdint>
#include <vector>

#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

class Scope;          // model/analysis/steps/scope.h
struct Grouping;      // model/analysis/grouping/grouping.h
struct StepDatabase;  // model/analysis/steps/steps.h

enum class GroupBy : uint8_t { kNone, kName, kTrack, kStep };

// Some or all events of one set of a trace.
struct EventPart {
  uint32_t set = 0;                  // number of the set, as in EventRef
  const TrackSet* events = nullptr;  // the set
  const RowBits* rows = nullptr;     // null: all of the set
};

struct StatsQuestion {
  const Trace* trace = nullptr;
  std::vector<EventPart> parts;  // the trace's own set (set 0), derived ones, or several
  // An event that begins in the scope counts with its whole duration, so that adjoining ranges add
  // up. Null: all events count.
  const Scope* scope = nullptr;
  GroupBy by = GroupBy::kName;
  // For kStep. An event on a host belongs to the step in which it begins. An event
  // on a device belongs to the step that launched it if `grouping` knows that
  // step, else to the device's own step.
  const StepDatabase* steps = nullptr;
  const Grouping* grouping = nullptr;
};

}  // namespace stepscope
