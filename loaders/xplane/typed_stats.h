// Reads the typed stats of an XSpace trace's events into a StatTable, pieces of tracks on all
// cores. O(bytes of events): the lanes of a line are read together, through one WindowReader.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "loaders/files/byte_source.h"
#include "loaders/xplane/scan/file_scan.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope::xplane {

Result<std::shared_ptr<const StatTable>> ReadTypedStats(
    const Trace& trace, std::span<const std::shared_ptr<const ByteSource>> files,
    std::span<const PlaneParts> planes, StatRows rows, std::stop_token stop);

// The payload of the XEvent whose length varint is at `at`; empty if there is none. Valid until the
// next Fetch.
std::string_view FetchEvent(WindowReader* reader, uint64_t at);

}  // namespace stepscope::xplane
