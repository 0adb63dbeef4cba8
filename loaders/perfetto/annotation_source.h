// The arguments of a Perfetto trace's events: debug annotations, read again from the packets when
// someone asks. Thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "loaders/perfetto/interned.h"
#include "loaders/perfetto/packet_stream.h"
#include "loaders/perfetto/track_state.h"
#include "model/stats.h"

namespace stepscope::perfetto {

struct SourceFile {
  std::shared_ptr<PacketBytes> bytes;
  std::shared_ptr<const InternedHistory> history;
  std::shared_ptr<const EndArguments> end_arguments;
};
std::shared_ptr<const StatSource> MakeAnnotationSource(std::vector<SourceFile> files);

}  // namespace stepscope::perfetto
