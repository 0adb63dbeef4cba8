// The program on the machine where a profile lies: loads what it is asked for and sends it as a
// store. It answers one request, reads and writes only the two descriptors and the profile's files,
// and ends when the other side does.
#pragma once

#include <string>

namespace stepscope::remote {

// `program`: name and version of this one. Returns whether the profile was sent.
bool Serve(int in, int out, const std::string& program);

}  // namespace stepscope::remote
