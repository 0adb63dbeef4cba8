// Reads the arguments of events.
#pragma once

#include <memory>
#include <vector>

#include "model/base/status.h"
#include "model/stat_reader.h"
#include "model/trace.h"

namespace stepscope {

// Keeps what reading takes from event to event, such as an open database; rows that ascend are
// quick. The trace must outlive it. One thread at a time; each thread may have its own.
class ArgsReader {
 public:
  explicit ArgsReader(const Trace& trace);
  // One argument for each name: the event's own wins over that of its metadata. Empty if the trace
  // has no source. Error: kIo if the source cannot be read.
  Result<std::vector<Stat>> Read(EventRow row);

 private:
  std::unique_ptr<StatReader> reader_;  // null: the trace has no source
};

}  // namespace stepscope
