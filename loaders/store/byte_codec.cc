#include "loaders/store/byte_codec.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace stepscope::store {
namespace {

constexpr uint64_t kMaxTextBytes = uint64_t{1} << 40;  // a sum of lengths beyond it is damage

uint64_t ZigZag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
int64_t UnZigZag(uint64_t v) { return static_cast<int64_t>((v >> 1) ^ (~(v & 1) + 1)); }

// The greatest number that divides all; 1 as soon as it is clear.
uint64_t CommonFactor(std::span<const uint64_t> values) {
  uint64_t factor = 0;
  for (const uint64_t v : values) {
    if (v == 0 || (factor != 0 && v % factor == 0)) continue;
    factor = std::gcd(factor, v);
    if (factor == 1) return 1;
  }
  return factor == 0 ? 1 : factor;
}

}  // namespace

void ByteWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_->push_back(static_cast<char>(value | 0x80));
  out_->push_back(static_cast<char>(value));
}

void ByteWriter::Signed(int64_t value) { Varint(ZigZag(value)); }

void ByteWriter::Ints(std::span<const uint64_t> values) {
  if (values.empty()) return;
  int64_t base = static_cast<int64_t>(values[0]);
  for (const uint64_t v : values) base = std::min(base, static_cast<int64_t>(v));
  std::vector<uint64_t> rest(values.size());
  uint64_t any = 0;
  for (size_t i = 0; i < rest.size(); ++i) rest[i] = values[i] - static_cast<uint64_t>(base);
  const uint64_t factor = CommonFactor(rest);
  if (factor > 1) {
    for (uint64_t& v : rest) v /= factor;
  }
  for (const uint64_t v : rest) any |= v;
  const auto width = static_cast<uint32_t>((std::bit_width(any) + 7) / 8);
  Signed(base);
  Varint(factor);
  out_->push_back(static_cast<char>(width));
  const size_t at = out_->size();
  out_->resize(at + rest.size() * size_t{width});
  char* to = out_->data() + at;
  for (uint32_t plane = 0; plane < width; ++plane) {
    for (size_t i = 0; i < rest.size(); ++i) to[i] = static_cast<char>(rest[i] >> (8 * plane));
    to += rest.size();
  }
}

void ByteWriter::Texts(std::span<const std::string_view> texts) {
  std::vector<uint64_t> lengths(texts.size());
  std::transform(texts.begin(), texts.end(), lengths.begin(),
                 [](std::string_view text) { return text.size(); });
  Ints(lengths);
  for (const std::string_view text : texts) Bytes(text);
}

uint64_t ByteReader::Varint() {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto b = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= uint64_t{b & 0x7fu} << shift;
    if (b < 0x80) return ok_ ? value : 0;
  }
  ok_ = false;
  return 0;
}

int64_t ByteReader::Signed() { return UnZigZag(Varint()); }

std::string_view ByteReader::Bytes(uint64_t n) {
  if (!ok_ || n > rest_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view bytes = rest_.substr(0, n);
  rest_.remove_prefix(n);
  return bytes;
}

uint32_t ByteReader::Count(uint32_t most) {
  const uint64_t n = Varint();
  if (n > most) ok_ = false;
  return ok_ ? static_cast<uint32_t>(n) : 0;
}

void ByteReader::Ints(std::span<uint64_t> values) {
  std::fill(values.begin(), values.end(), 0);
  if (values.empty()) return;
  const auto base = static_cast<uint64_t>(Signed());
  const uint64_t factor = Varint();
  const std::string_view width_byte = Bytes(1);
  const auto width = width_byte.empty() ? 0u : static_cast<uint8_t>(width_byte.front());
  if (width > 8) ok_ = false;
  const auto* from =
      reinterpret_cast<const uint8_t*>(Bytes(ok_ ? values.size() * uint64_t{width} : 0).data());
  if (!ok_) return;
  for (uint32_t plane = 0; plane < width; ++plane) {
    for (size_t i = 0; i < values.size(); ++i) values[i] |= uint64_t{from[i]} << (8 * plane);
    from += values.size();
  }
  for (uint64_t& v : values) v = base + factor * v;
}

std::vector<std::string_view> ByteReader::Texts(uint32_t n) {
  std::vector<uint64_t> lengths(n);
  Ints(lengths);
  std::vector<std::string_view> texts(n);
  for (uint32_t i = 0; i < n && ok_; ++i) {
    if (lengths[i] > kMaxTextBytes) ok_ = false;
    texts[i] = Bytes(lengths[i]);
  }
  return texts;
}

}  // namespace stepscope::store
