// Reads one file into FileEvents. The calling thread inflates and cuts the text, worker threads
// parse batches, and whichever thread finishes the next batch in file order adds it to the events.
// Takes memory for the text, the events, and the batches in flight.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/chrome_json/file_events.h"
#include "loaders/chrome_json/splitter.h"
#include "loaders/files/byte_source.h"
#include "model/base/status.h"
#include "model/jobs/job.h"

namespace stepscope::chrome {

struct ParseOptions {
  uint64_t max_inflated_bytes = uint64_t{16} << 30;
  unsigned threads = 0;  // beside the calling one; 0: as many as are of use
};

struct ParsedFile {
  std::shared_ptr<TraceText> text;
  Int128 base_ps = 0;              // the time that times are relative to
  bool cut = false;                // the text ends before the event list does
  std::vector<TopMember> members;  // members around the event list
};

// `stream` is read into `text`, or null when the text is all there. kFormat when there is no event
// list, kLimit, kCancelled, kIo. Whatever was wrong with single events is in events->diagnostics.
Status ParseFile(const std::string& path, InflateStream* stream, const ParseOptions& options,
                 const std::stop_token& stop, Progress* progress, FileEvents* events,
                 ParsedFile* out);

}  // namespace stepscope::chrome
