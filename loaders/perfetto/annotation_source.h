// The arguments of a Perfetto trace's events: debug annotations, read again from the packets when
// someone asks.
#pragma once

#include <memory>
#include <vector>

#include "loaders/perfetto/source_file.h"
#include "model/stats.h"

namespace stepscope::perfetto {

// A thread-safe source. Track::source is an index of `files`, and an event's reference is the place
// of its packet (PacketBytes).
std::shared_ptr<const StatSource> MakeAnnotationSource(std::vector<SourceFile> files);

}  // namespace stepscope::perfetto
