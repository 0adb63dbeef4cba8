// Finds the recorder of a trace whose format does not tell it: a table of signs in the names of
// processes, threads and events. Pure; any thread.
#pragma once

#include "model/recorder.h"

namespace stepscope {

class Trace;

// Sets the recorder and its evidence. O(planes + tracks + names).
void FindRecorder(const Trace& trace, RecordingHeader* header);

}  // namespace stepscope
