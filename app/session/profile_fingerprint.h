// A fingerprint of a profile's contents, independent of name and location. Notes are kept under
// it.
#pragma once

#include <string>

#include "model/trace.h"

namespace stepscope {

// Hashes the files that the trace was read from, in order: the size and 64 KiB at the begin and
// at the end of each. Returns 16 hexadecimal digits, or an empty text if a file cannot be read
// any more. The hash is FNV-1a, which tells profiles apart but is no protection against a forged
// one.
std::string ProfileFingerprint(const Trace& trace);

}  // namespace stepscope
