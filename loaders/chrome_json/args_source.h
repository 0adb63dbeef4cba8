// ArgsSource: the arguments of a Chrome trace's events, read again from the text when someone asks.
// Thread-safe.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "loaders/chrome_json/args_text.h"
#include "model/stats.h"

namespace stepscope::chrome {

class ArgsSource final : public StatSource {
 public:
  struct File {
    ArgsText text;
    // Offsets of B events and of their E events, sorted: the end's arguments belong to the slice
    // too.
    std::vector<std::pair<uint64_t, uint64_t>> ends;
  };
  explicit ArgsSource(std::vector<File> files) : files_(std::move(files)) {}

  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override;
  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override;
  size_t resident_bytes() const override;

 private:
  std::vector<File> files_;
};

}  // namespace stepscope::chrome
