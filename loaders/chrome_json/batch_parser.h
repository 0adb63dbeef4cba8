// BatchParser: the strict, fast parser: a batch of whole events through simdjson's on-demand API.
// One thread per parser. Keeps about 7 times the largest batch in memory between batches.
#pragma once

#include <memory>
#include <string_view>

#include "loaders/chrome_json/event.h"

namespace stepscope::chrome {

class BatchParser {
 public:
  static constexpr size_t kMaxBatch = size_t{16} << 20;

  BatchParser();
  ~BatchParser();
  BatchParser(const BatchParser&) = delete;
  BatchParser& operator=(const BatchParser&) = delete;

  // Parses events separated by commas, with nothing before or after. `offset` is the batch's place
  // in the text. False when simdjson refuses the batch: then `out` holds nothing, and
  // TolerantReader must read it.
  bool Parse(std::string_view batch, uint64_t offset, Int128 base_ps, WorkerNames* names,
             BatchResult* out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepscope::chrome
