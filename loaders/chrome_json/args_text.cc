#include "loaders/chrome_json/args_text.h"

#include <algorithm>
#include <span>

#include "loaders/common/json_cursor.h"

namespace stepscope::chrome {
namespace {

constexpr uint64_t kFirstRead = uint64_t{16} << 10;  // most events are far shorter

Status ReadInto(const ByteSource& file, uint64_t offset, uint64_t size, std::string* buffer) {
  buffer->resize(static_cast<size_t>(size));
  const Result<size_t> n = file.Read(offset, std::as_writable_bytes(std::span(*buffer)));
  if (n.ok()) buffer->resize(*n);
  return n.status();
}

// Sets the value at the beginning of `bytes`; false when it may go on after them.
bool WholeValue(std::string_view bytes, std::string_view* value) {
  *value = json::ValueAt(bytes.data(), bytes.data() + bytes.size());
  return value->size() < bytes.size();
}

}  // namespace

Result<std::string_view> ArgsText::Value(uint64_t offset, std::string* buffer) const {
  if (offset >= size()) return std::string_view{};
  if (kept_) return json::ValueAt(kept_->data() + offset, kept_->data() + kept_->size());
  const uint64_t most = std::min(file_->size() - offset, kLongestEvent);
  for (uint64_t n = std::min(most, kFirstRead);; n = std::min(most, n * 4)) {
    if (Status s = ReadInto(*file_, offset, n, buffer); !s.ok()) return s;
    std::string_view value;
    if (WholeValue(*buffer, &value) || n == most) return value;
  }
}

Status ArgsText::Stretch::Read(const ArgsText* text, uint64_t begin, uint64_t end) {
  text_ = text;
  begin_ = begin;
  if (text->kept_ || begin >= text->size()) {
    bytes_.clear();
    return Status::Ok();
  }
  const uint64_t last = std::min(text->size(), end + kFirstRead);
  return ReadInto(*text->file_, begin, last - begin, &bytes_);
}

std::string_view ArgsText::Stretch::From(uint64_t offset) const {
  const bool kept = text_->kept_ != nullptr;
  const std::string_view all = kept ? std::string_view(text_->kept_->data(), text_->kept_->size())
                                    : std::string_view(bytes_);
  const uint64_t first = kept ? 0 : begin_;
  if (offset < first || offset - first >= all.size()) return {};
  return all.substr(static_cast<size_t>(offset - first), kFirstRead);
}

Result<std::string_view> ArgsText::Stretch::Value(uint64_t offset) {
  if (offset < begin_ || offset - begin_ >= bytes_.size()) return text_->Value(offset, &single_);
  std::string_view value;
  if (WholeValue(std::string_view(bytes_).substr(offset - begin_), &value)) return value;
  return text_->Value(offset, &single_);
}

}  // namespace stepscope::chrome
