// What the session tells of a profile: its fingerprint, its name in the window, where it comes
// from.
#pragma once

#include <string>

#include "loaders/store/store_writer.h"
#include "model/trace.h"

namespace stepscope {

// A fingerprint of the profile's contents, independent of name and location. Notes are kept under
// it. Hashes the files that the trace was read from, in order: the size and 64 KiB at the begin and
// at the end of each. Returns 16 hexadecimal digits, or an empty text if a file cannot be read
// any more. The hash is FNV-1a, which tells profiles apart but is no protection against a forged
// one.
std::string ProfileFingerprint(const Trace& trace);

// The name of a profile in the window: "logs · 2026_11_21_11_45_06 · vm" or "resnet · 8 hosts".
std::string ProfileLabel(const Trace& trace);

// The facts that a store keeps about its source: the fingerprint of the profile, so that its
// markers are found again, and this program. Reads parts of the profile's files.
store::StoreFacts StoreFactsOf(const Trace& trace);

}  // namespace stepscope
