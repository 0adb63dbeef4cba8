// WindowReader: random access to a ByteSource through a window that adapts. It doubles while
// reading goes forward densely and shrinks after jumps: skipping a long line costs one small read,
// and a dense run of small messages a few large ones. One thread at a time. After an error all
// reads are empty, and status() says why.
#pragma once

#include <cstdint>
#include <vector>

#include "loaders/common/wire.h"
#include "loaders/files/byte_source.h"

namespace stepscope::xplane {

class WindowReader {
 public:
  static constexpr size_t kMinWindow = size_t{1} << 10;
  static constexpr size_t kMaxWindow = size_t{256} << 10;

  explicit WindowReader(const ByteSource& source) : source_(&source), size_(source.size()) {}

  uint64_t size() const { return size_; }
  const Status& status() const { return status_; }

  // Reads [begin, end) at once, so that no Fetch inside reads again. For ranges of which nearly all
  // is used.
  void Load(uint64_t begin, uint64_t end);
  // Bytes [offset, offset + n), fewer at the end of the source. Valid until the next call.
  std::string_view Fetch(uint64_t offset, size_t n) {
    if (offset >= begin_ && offset + n <= begin_ + length_) {
      used_ += n;
      return {reinterpret_cast<const char*>(data_ + (offset - begin_)), n};
    }
    return Refill(offset, n);
  }

 private:
  std::string_view Refill(uint64_t offset, size_t n);
  void Read(uint64_t offset, size_t n);

  const ByteSource* source_;
  uint64_t size_;
  uint64_t begin_ = 0;
  size_t length_ = 0, window_ = kMinWindow, used_ = 0;
  proto::Bytes data_ = nullptr;
  std::vector<uint8_t> buffer_;
  Status status_;
};

// One field of a message that lies in a source: as proto::Field, with offsets instead of pointers.
struct SourceField {
  uint32_t number = 0, wire = 0;
  uint64_t value = 0;
  uint64_t begin = 0, end = 0;  // only for kLen: its payload
  bool clamped = false;
  uint64_t size() const { return end - begin; }
};

// Sets begin and end of the message whose length lies at `at`, cut where the source ends. False
// when there is none.
bool MessageAt(WindowReader* reader, uint64_t at, SourceField* message);

// Walks the fields of the message [begin, end) of a source without reading payloads.
class SourceFieldReader {
 public:
  SourceFieldReader(WindowReader* reader, uint64_t begin, uint64_t end)
      : reader_(reader), at_(begin), end_(end) {}
  bool Next(SourceField* f);
  bool bad() const { return bad_; }
  bool in_group() const { return groups_.any(); }
  uint64_t position() const { return at_; }  // where the next field, or the garbage, begins

 private:
  WindowReader* reader_;
  uint64_t at_, end_;
  proto::OpenGroups groups_;
  bool bad_ = false;
};

// Calls fn(field) for each field of the message. False where it stopped at garbage; then
// `position`, if not null, says where.
template <typename Fn>
bool ForFields(WindowReader* reader, const SourceField& message, Fn fn,
               uint64_t* position = nullptr) {
  SourceFieldReader fields(reader, message.begin, message.end);
  SourceField f;
  while (fields.Next(&f)) fn(f);
  if (position != nullptr) *position = fields.position();
  return !fields.bad();
}
// As proto::ReadFields. Message() gives fields of the source, and Text() is not for them.
template <typename... Wanted>
bool ReadFields(WindowReader* reader, const SourceField& message, const Wanted&... wanted) {
  return ForFields(reader, message, [&](const SourceField& f) { proto::MatchField(f, wanted...); });
}

}  // namespace stepscope::xplane
