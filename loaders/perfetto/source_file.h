// The parts that are kept of a Perfetto trace's file after loading, so that arguments can be read
// again. Immutable and shared: any thread may read.
#pragma once

#include <memory>

#include "loaders/perfetto/interned.h"
#include "loaders/perfetto/packet_stream.h"
#include "loaders/perfetto/track_state.h"

namespace stepscope::perfetto {

struct SourceFile {
  std::shared_ptr<PacketBytes> bytes;
  std::shared_ptr<const InternedHistory> history;
  std::shared_ptr<const EndArguments> end_arguments;
};

}  // namespace stepscope::perfetto
