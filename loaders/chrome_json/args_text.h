// ArgsText: the text that arguments are read from again: kept in memory, or in the plain file it
// came from. Thread-safe; each caller brings its buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "loaders/chrome_json/trace_text.h"
#include "loaders/files/byte_source.h"
#include "model/base/status.h"

namespace stepscope::chrome {

class ArgsText {
 public:
  // An event from a file is cut here: one that is not closed must not bring all that follows into
  // memory.
  static constexpr uint64_t kLongestEvent = uint64_t{64} << 20;

  explicit ArgsText(std::shared_ptr<const TraceText> kept) : kept_(std::move(kept)) {}
  explicit ArgsText(std::shared_ptr<const ByteSource> file) : file_(std::move(file)) {}

  uint64_t size() const { return kept_ ? kept_->size() : file_->size(); }
  uint64_t resident_bytes() const { return kept_ ? kept_->size() : 0; }

  // The JSON value at `offset`; empty past the end. kIo when the file has changed.
  Result<std::string_view> Value(uint64_t offset, std::string* buffer) const;

  // A stretch of text, for many values that lie close together. Its memory is used again.
  class Stretch {
   public:
    // `text` must live as long as the stretch is read. kIo as above.
    Status Read(const ArgsText* text, uint64_t begin, uint64_t end);
    Result<std::string_view> Value(uint64_t offset);
    // The text from `offset` on, as far as it is at hand: mostly one event and more.
    std::string_view From(uint64_t offset) const;

   private:
    const ArgsText* text_ = nullptr;
    uint64_t begin_ = 0;
    std::string bytes_, single_;
  };

 private:
  std::shared_ptr<const TraceText> kept_;
  std::shared_ptr<const ByteSource> file_;
};

}  // namespace stepscope::chrome
