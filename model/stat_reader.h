// StatReader: reads the arguments of many events one after the other, faster than
// StatSource::Decode() does for each. A StatSource may offer one. A reader is used by one thread at
// a time; different readers of a source may be used by different threads.
#pragma once

#include <memory>
#include <vector>

#include "model/base/status.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

class StatReader {
 public:
  virtual ~StatReader() = default;
  // Returns the same as Decode() of the row. Rows that ascend are quick.
  virtual Result<std::vector<Stat>> Read(EventRow row) = 0;
};

// A StatSource that offers readers.
class StatReaders {
 public:
  virtual ~StatReaders() = default;
  // The trace must live as long as the reader.
  virtual std::unique_ptr<StatReader> NewReader(const Trace& trace) const = 0;
};

// A reader of any trace that has a source.
inline std::unique_ptr<StatReader> ReaderOf(const Trace& trace) {
  class Plain final : public StatReader {
   public:
    explicit Plain(const Trace& trace) : trace_(trace) {}
    Result<std::vector<Stat>> Read(EventRow row) override {
      return trace_.source->Decode(trace_, row);
    }

   private:
    const Trace& trace_;
  };
  const auto* readers = dynamic_cast<const StatReaders*>(trace.source.get());
  if (readers != nullptr) return readers->NewReader(trace);
  return std::make_unique<Plain>(trace);
}

}  // namespace stepscope
