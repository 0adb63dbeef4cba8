// What a profiler server answers: ProfileResponse of the service tensorflow.ProfilerService. Read
// in place, because it may have 2 GB: the profile in it is a file of XSpace as it stands. Pure;
// nothing that comes is trusted, and no name that comes is used.
#pragma once

#include <string_view>

#include "model/base/status.h"

namespace stepscope::capture {

struct ProfileAnswer {
  std::string_view xspace;   // within the message; empty: none came
  bool empty_trace = false;  // the server says that it recorded nothing
};

// Reads the fields `xspace` (8), or of `tool_data` (6) the one that is an XSpace, and `empty_trace`
// (7). kFormat: the message makes no sense. O(fields)
Result<ProfileAnswer> ReadProfileAnswer(std::string_view message);

enum class XSpaceContent { kEvents, kNothing, kGarbage };
// Whether an XSpace has an event. O(planes + lines before the first event)
XSpaceContent ContentOf(std::string_view xspace);

}  // namespace stepscope::capture
