#include "loaders/xplane/scan/window_reader.h"

#include <algorithm>

namespace stepscope::xplane {

using namespace proto;

std::string_view WindowReader::Refill(uint64_t offset, size_t n) {
  if (!status_.ok() || offset >= size_) return {};
  n = static_cast<size_t>(std::min<uint64_t>(n, size_ - offset));
  const uint64_t window_end = begin_ + length_;
  const bool forward = offset >= begin_ && offset <= window_end + window_ / 4;
  if (!forward) {
    window_ = kMinWindow;
  } else if (used_ * 8 < length_) {
    window_ = std::max(kMinWindow, window_ / 2);
  } else {
    window_ = std::min(kMaxWindow, window_ * 2);
  }
  const size_t want = static_cast<size_t>(std::min<uint64_t>(std::max(n, window_), size_ - offset));
  used_ = n;
  Read(offset, want);
  if (length_ == 0) return {};
  return {reinterpret_cast<const char*>(data_ + (offset - begin_)),
          static_cast<size_t>(std::min<uint64_t>(n, begin_ + length_ - offset))};
}

void WindowReader::Load(uint64_t begin, uint64_t end) {
  end = std::min(end, size_);
  if (!status_.ok() || begin >= end) return;
  if (begin >= begin_ && end <= begin_ + length_) return;
  Read(begin, static_cast<size_t>(end - begin));
  used_ = length_;
}

// Makes [offset, offset + n) the window; of a source in memory all of it.
void WindowReader::Read(uint64_t offset, size_t n) {
  if (const std::span<const std::byte> all = source_->bytes(); !all.empty()) {
    begin_ = 0;
    length_ = all.size();
    data_ = reinterpret_cast<Bytes>(all.data());
    return;
  }
  if (buffer_.size() < n) buffer_.resize(n);
  if (buffer_.size() > 4 * kMaxWindow && n <= kMaxWindow) {  // frees the room of a huge message
    buffer_.resize(kMaxWindow);
    buffer_.shrink_to_fit();
  }
  Result<size_t> got = source_->Read(offset, std::as_writable_bytes(std::span(buffer_)).first(n));
  if (!got.ok()) status_ = got.status();
  begin_ = offset;
  length_ = got.ok() ? *got : 0;
  data_ = buffer_.data();
}

bool MessageAt(WindowReader* reader, uint64_t at, SourceField* message) {
  const std::string_view head = reader->Fetch(at, 10);  // the longest varint
  const Bytes begin = reinterpret_cast<Bytes>(head.data());
  uint64_t size = 0;
  const Bytes p = ReadVarint(begin, begin + head.size(), &size);
  if (p == nullptr) return false;
  message->begin = at + static_cast<uint64_t>(p - begin);
  message->end = message->begin + std::min(size, reader->size() - message->begin);
  return true;
}

bool SourceFieldReader::Next(SourceField* f) {
  if (at_ >= end_) return false;
  // A tag and a varint or length take at most 20 bytes.
  const std::string_view head =
      reader_->Fetch(at_, static_cast<size_t>(std::min<uint64_t>(20, end_ - at_)));
  const Bytes begin = reinterpret_cast<Bytes>(head.data());
  Field field;
  const Bytes p = ReadFieldHead(begin, begin + head.size(), &field);
  bad_ = p == nullptr || !groups_.Pass(&field);
  if (bad_) return false;
  at_ += static_cast<uint64_t>(p - begin);
  *f = {field.number, field.wire, field.value, f->begin, f->end, false};
  if (f->wire == kLen) {
    f->begin = at_;
    f->clamped = f->value > end_ - at_;
    at_ = f->end = f->clamped ? end_ : at_ + f->value;
  }
  return true;
}

}  // namespace stepscope::xplane
