// Changes recordings as their programs could have been written otherwise: with a function around
// everything that the main thread does, or in files of other names. For tests of what must not
// depend on that.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace stepscope::test {

// A recording in memory: a Chrome trace, an XSpace or several.
struct WrappedRecording {
  bool json = false;
  std::vector<std::string> records;  // one, but for JAX' continuous recordings
};

// Reads a file, or the one XSpace of a log directory. Fails the test if it cannot be read.
WrappedRecording ReadRecording(const std::string& path);
// What LoadBytes makes of it. Fails the test if it cannot be loaded.
std::shared_ptr<const Trace> LoadRecording(const WrappedRecording& recording);

// The recording with one more event that encloses all events of the main thread: the one with the
// most Python functions, else the one named "python", else the one with the most ops. Unchanged if
// there is no such thread.
WrappedRecording WrapMainThread(const WrappedRecording& recording, std::string_view frame);

// The recording in which the names of events that begin with `from` begin with `to` instead.
// `renamed`: how many did.
WrappedRecording RenameEvents(const WrappedRecording& recording, std::string_view from,
                              std::string_view to, size_t* renamed);

}  // namespace stepscope::test
