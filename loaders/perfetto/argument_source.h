// The arguments of a Perfetto trace's events: debug annotations, and what GPU profilers say about a
// piece of work. They are read again from the packets when someone asks.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "loaders/perfetto/messages.h"
#include "loaders/perfetto/packet_stream.h"
#include "model/stats.h"

namespace stepscope::perfetto {

// Slices with arguments at their end: where the packets of begin and end lie, sorted by begin.
using EndArguments = std::vector<std::pair<uint64_t, uint64_t>>;

// The parts of a file that are kept after loading. Immutable and shared.
struct SourceFile {
  std::shared_ptr<PacketBytes> bytes;
  std::shared_ptr<const InternedHistory> history;
  std::shared_ptr<const EndArguments> end_arguments;
};

// A thread-safe source. Track::source is an index of `files`, and an event's reference is the place
// of its packet (PacketBytes).
std::shared_ptr<const StatSource> MakeArgumentSource(std::vector<SourceFile> files);

}  // namespace stepscope::perfetto
