// The facts that a store keeps about its source.
#pragma once

#include "loaders/store/store_writer.h"

namespace stepscope {

// The fingerprint of the profile, so that its markers are found again, and this program. Reads
// parts of the profile's files.
store::StoreFacts StoreFactsOf(const Trace& trace);

}  // namespace stepscope
