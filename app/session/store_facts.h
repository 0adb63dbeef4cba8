// What a store says of where it comes from.
#pragma once

#include "loaders/store/store_writer.h"

namespace stepscope {

// The fingerprint of the profile, so that its markers are found again, and this program. Reads
// parts of the profile's files.
store::StoreFacts StoreFactsOf(const Trace& trace);

}  // namespace stepscope
