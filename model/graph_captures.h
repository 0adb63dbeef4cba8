// Graph captures: traces of the moments in which CUDA or HIP graphs were recorded. Some servers
// write them beside the trace of the replay (docs/graphs.md). In a replay hundreds of kernels share
// one launch, and only the captures tell to which op each kernel belongs.
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
  std::string file;         // the file's name, for people
  std::string mode;         // "FULL"; empty if unknown
  int64_t batch_size = -1;  // the batch size of the graph; -1 if unknown
  std::shared_ptr<const Trace> trace;
};

// The source of a trace that has captures beside it. Owns both. Thread-safe.
class SourceWithCaptures final : public StatSource {
 public:
  // `own` may be null.
  SourceWithCaptures(std::shared_ptr<const StatSource> own, std::vector<GraphCapture> captures)
      : own_(std::move(own)), captures_(std::move(captures)) {}

  std::span<const GraphCapture> captures() const { return captures_; }
  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override;
  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override;
  bool reads_allocations_apart() const override;
  Result<std::shared_ptr<const StatTable>> LoadTypedOf(const Trace& trace, StatRows rows,
                                                       std::stop_token stop) const override;
  size_t resident_bytes() const override;  // includes the captures

 private:
  std::shared_ptr<const StatSource> own_;
  std::vector<GraphCapture> captures_;
};

// The captures of a trace, which its source owns; empty if it has none.
std::span<const GraphCapture> CapturesOf(const Trace& trace);

}  // namespace stepscope
