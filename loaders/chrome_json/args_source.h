// ArgsSource: the arguments of a Chrome trace's events, read again from the text when someone asks.
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/chrome_json/splitter.h"
#include "loaders/files/byte_source.h"
#include "model/base/column.h"
#include "model/base/status.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope::chrome {

// EventPlaces: where the events of a trace begin in their files, by stretches of text. A file is
// read stretch by stretch: in order of rows, each thread of the program would go through all of it.
class EventPlaces {
 public:
  static constexpr uint64_t kStretch = uint64_t{1} << 20;  // bytes, which fit a core's cache

  // Where the event of a row begins.
  struct Place {
    uint32_t offset;  // from the begin of its stretch
    uint32_t row;
    uint32_t meta;  // MetaId
  };
  struct Stretch {
    uint32_t file = 0;
    uint64_t begin = 0, end = 0;
    std::span<const Place> places;  // by ascending row
  };

  // `sizes`: the bytes of each file. Uses all cores. O(events). Throws std::bad_alloc.
  EventPlaces(const Trace& trace, const std::vector<uint64_t>& sizes);

  // Those in which events begin. They borrow from this object.
  const std::vector<Stretch>& stretches() const { return stretches_; }

 private:
  Column<Place> places_;
  std::vector<Stretch> stretches_;
};

// ArgsText: the text that arguments are read from again: kept in memory, or in the plain file it
// came from. Thread-safe; each caller brings its buffer.
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

class ArgsSource final : public StatSource {
 public:
  // The text of a later cycle of the process: its offsets count from `begin`, a multiple of
  // EventPlaces::kStretch.
  struct Later {
    uint64_t begin = 0;
    ArgsText text;
  };
  struct File {
    ArgsText text;
    // Offsets of B events and of their E events, sorted: the end's arguments belong to the slice
    // too.
    std::vector<std::pair<uint64_t, uint64_t>> ends;
    std::vector<Later> later = {};

    uint64_t size() const { return later.empty() ? text.size() : EndOf(later.back()); }
    static uint64_t EndOf(const Later& part) { return part.begin + part.text.size(); }
    // Where the text of the next cycle may begin.
    uint64_t NextBegin() const {
      return (size() + EventPlaces::kStretch - 1) / EventPlaces::kStretch * EventPlaces::kStretch;
    }
    // The text of an offset. O(cycles).
    struct Part {
      const ArgsText* text;
      uint64_t begin;
      uint32_t cycle;  // 0: the first
    };
    Part PartAt(uint64_t offset) const;
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
