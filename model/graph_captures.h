// Graph captures: traces of the moments in which CUDA or HIP graphs were recorded. Some servers
// write them beside the trace of the replay (docs/graphs.md), in which hundreds of kernels have
// one launch and nothing says which op each is of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

struct GraphCapture {
  std::string file;         // its name, for people
  std::string mode;         // "FULL"; empty where nothing says it
  int64_t batch_size = -1;  // what it was recorded for; -1 where nothing says it
  std::shared_ptr<const Trace> trace;
};

// The source of a trace beside which captures lay. They live as long as it does. Thread-safe.
class SourceWithCaptures final : public StatSource {
 public:
  // `own` may be null.
  SourceWithCaptures(std::shared_ptr<const StatSource> own, std::vector<GraphCapture> captures)
      : own_(std::move(own)), captures_(std::move(captures)) {}

  std::span<const GraphCapture> captures() const { return captures_; }
  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override;
  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override;
  size_t resident_bytes() const override;  // of the captures too

 private:
  std::shared_ptr<const StatSource> own_;
  std::vector<GraphCapture> captures_;
};

// None where the trace has none. Views the trace's source.
std::span<const GraphCapture> CapturesOf(const Trace& trace);

}  // namespace stepscope
