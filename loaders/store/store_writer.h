// Writes a trace as a store: a stream of sections, the most useful first (docs/store.md). A
// reader gets the same trace back.
#pragma once

#include <stop_token>
#include <string>

#include "model/base/status.h"
#include "model/base/text_sink.h"
#include "model/trace.h"

namespace stepscope::store {

struct StoreFacts {
  std::string content_id;  // tells profiles apart, wherever they lie; may be empty
  std::string program;     // what writes the store
};

// Sections are packed on all cores and handed over in order. Memory: typed stats, and some
// sections. kIo: the trace's source cannot be read; kCancelled. O(events and arguments).
Status WriteStore(const Trace& trace, const StoreFacts& facts, const TextSink& sink,
                  const std::stop_token& stop = {});

}  // namespace stepscope::store
