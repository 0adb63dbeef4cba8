#include "capi/arrow_columns.h"

#include <algorithm>

#include "model/base/utf8.h"

namespace stepscope {
namespace {

void AddBit(bool bit, int64_t row, std::vector<uint8_t>* bits) {
  if (row % 8 == 0) bits->push_back(0);
  if (bit) bits->back() = static_cast<uint8_t>(bits->back() | 1u << (row % 8));
}

// The number of bytes that follow the first byte of a character; 0: it is not the first byte of a
// longer one.
size_t FollowersOf(unsigned char first) {
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  return first >= 0xf0 && first <= 0xf4 ? 3 : 0;
}

// The length of the incomplete or invalid character at the begin of a text: the longest begin of
// a valid one, at least 1 byte.
size_t BrokenBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t followers = FollowersOf(first);
  size_t i = 1;
  for (; i <= followers && i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    unsigned low = 0x80, high = 0xbf;
    if (i == 1 && first == 0xe0) low = 0xa0;
    if (i == 1 && first == 0xed) high = 0x9f;
    if (i == 1 && first == 0xf0) low = 0x90;
    if (i == 1 && first == 0xf4) high = 0x8f;
    if (c < low || c > high) break;
  }
  return i;
}

}  // namespace

void AppendUtf8(std::string_view text, std::vector<char>* out) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  while (!text.empty()) {
    const auto plain =
        static_cast<size_t>(std::find_if_not(text.begin(), text.end(), ascii) - text.begin());
    const size_t good = plain > 0 ? plain : DecodeUtf8(text).bytes;
    const std::string_view piece = good > 0 ? text.substr(0, good) : "\xef\xbf\xbd";
    out->insert(out->end(), piece.begin(), piece.end());
    text.remove_prefix(good > 0 ? good : BrokenBytes(text));
  }
}

void Validity::Add(bool valid) {
  AddBit(valid, rows_++, &bits_);
  if (!valid) ++nulls_;
}

void TextColumn::Add(std::string_view text) {
  AppendUtf8(text, &bytes_);
  offsets_.push_back(static_cast<int64_t>(bytes_.size()));
  validity_.Add(true);
}

void TextColumn::AddNull() {
  offsets_.push_back(offsets_.back());
  validity_.Add(false);
}

ArrowColumn TextColumn::Take() {
  const auto rows = static_cast<int64_t>(offsets_.size()) - 1;
  const int64_t nulls = validity_.nulls();
  return {
      rows, nulls, {validity_.Take(), BufferOf(std::move(offsets_)), BufferOf(std::move(bytes_))}};
}

void FlagColumn::Add(bool value) {
  AddBit(value, rows_++, &bits_);
  validity_.Add(true);
}

void FlagColumn::AddNull() {
  AddBit(false, rows_++, &bits_);
  validity_.Add(false);
}

ArrowColumn FlagColumn::Take() {
  const int64_t nulls = validity_.nulls();
  return {rows_, nulls, {validity_.Take(), BufferOf(std::move(bits_))}};
}

}  // namespace stepscope
