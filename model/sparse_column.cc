#include "model/sparse_column.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace stepscope {
namespace {

uint8_t WidthOf(uint64_t greatest) {
  const auto bytes = static_cast<uint8_t>((std::bit_width(greatest) + 7) / 8);
  return bytes == 0 ? uint8_t{0} : std::bit_ceil(bytes);
}

template <typename Narrow, typename Wide>
std::byte* StoreAs(std::byte* to, std::span<const Wide> from, uint64_t base) {
  for (const Wide wide : from) {
    const auto narrow = static_cast<Narrow>(wide - base);
    std::memcpy(to, &narrow, sizeof(Narrow));
    to += sizeof(Narrow);
  }
  return to;
}

// Writes the distances from `base` in `width` bytes each, and returns the end.
template <typename Wide>
std::byte* Store(std::byte* to, std::span<const Wide> from, uint64_t base, uint8_t width) {
  switch (width) {
    case 1:
      return StoreAs<uint8_t>(to, from, base);
    case 2:
      return StoreAs<uint16_t>(to, from, base);
    case 4:
      return StoreAs<uint32_t>(to, from, base);
    case 8:
      return StoreAs<uint64_t>(to, from, base);
    default:
      return to;
  }
}

// The least and the greatest value, as bits. Integers compare by value, because the bits of
// negative ones are large and would make the distances large.
template <typename T>
std::pair<uint64_t, uint64_t> LeastAndGreatest(std::span<const uint64_t> bits) {
  using Order = std::conditional_t<std::is_same_v<T, int64_t>, int64_t, uint64_t>;
  Order least = static_cast<Order>(bits[0]), greatest = least;
  for (const uint64_t b : bits) {
    least = std::min(least, static_cast<Order>(b));
    greatest = std::max(greatest, static_cast<Order>(b));
  }
  return {static_cast<uint64_t>(least), static_cast<uint64_t>(greatest)};
}

template <typename Narrow, typename Wide>
void LoadAs(const std::byte* from, uint64_t base, uint32_t count, Wide* to) {
  for (uint32_t i = 0; i < count; ++i) {
    Narrow narrow;
    std::memcpy(&narrow, from + i * sizeof(Narrow), sizeof(Narrow));
    to[i] = static_cast<Wide>(base + narrow);
  }
}

// Reads what Store has written.
template <typename Wide>
void LoadAll(const std::byte* from, uint64_t base, uint8_t width, uint32_t count, Wide* to) {
  switch (width) {
    case 1:
      return LoadAs<uint8_t>(from, base, count, to);
    case 2:
      return LoadAs<uint16_t>(from, base, count, to);
    case 4:
      return LoadAs<uint32_t>(from, base, count, to);
    case 8:
      return LoadAs<uint64_t>(from, base, count, to);
    default:
      std::fill_n(to, count, static_cast<Wide>(base));
  }
}

}  // namespace

template <typename T>
uint32_t SparseColumn<T>::Read(size_t block, Entries* out) const {
  const Block& b = blocks_[block];
  const uint32_t count = b.last + 1u;
  const std::byte* rows = bytes_.data() + b.offset;
  if (b.row_width == 0) {
    std::iota(out->rows.begin(), out->rows.begin() + count, b.first_row);
  } else {
    LoadAll(rows, b.first_row, b.row_width, count, out->rows.data());
  }
  LoadAll(rows + size_t{count} * b.row_width, b.base, b.value_width, count, out->bits.data());
  return count;
}

template <typename T>
auto SparseColumn<T>::ExtentOf(uint32_t first, uint32_t end) const
    -> Extent requires std::is_same_v<T, int64_t> {
  Extent extent;
  Entries entries;
  for (size_t b = BlockOf(first); b < blocks_.size() && blocks_[b].first_row < end; ++b) {
    const auto base = static_cast<int64_t>(blocks_[b].base);
    const uint32_t count = blocks_[b].last + 1u;
    extent.entries += count;
    extent.least = std::min(extent.least, base);
    int64_t greatest = base;
    if (blocks_[b].value_width <= 2) {
      constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
      greatest = base + std::min<int64_t>(0xffff, kMost - std::max<int64_t>(base, 0));
    } else {
      Read(b, &entries);
      for (uint32_t i = 0; i < count; ++i)
        greatest = std::max(greatest, static_cast<int64_t>(entries.bits[i]));
    }
    extent.greatest = std::max(extent.greatest, greatest);
  }
  return extent;
}

template <typename T>
void SparseColumn<T>::AppendBits(std::span<const uint32_t> rows, std::span<const uint64_t> bits) {
  for (size_t at = 0; at < rows.size(); at += kBlockEntries) {
    const size_t n = std::min(kBlockEntries, rows.size() - at);
    AppendBlock(rows.subspan(at, n), bits.subspan(at, n));
  }
}

template <typename T>
void SparseColumn<T>::Append(std::span<const uint32_t> rows, std::span<const T> values) {
  std::vector<uint64_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(), ToBits);
  AppendBits(rows, bits);
}

template <typename T>
void SparseColumn<T>::Append(const SparseColumn& part) {
  const size_t shift = bytes_.size();
  ReserveBytes(part.bytes_.size());
  bytes_.Resize(shift + part.bytes_.size());
  if (!part.bytes_.empty()) {
    std::memcpy(bytes_.data() + shift, part.bytes_.data(), part.bytes_.size());
  }
  for (Block block : part.blocks_) {
    block.offset += shift;
    blocks_.push_back(block);
  }
  size_ += part.size_;
}

template <typename T>
void SparseColumn<T>::AppendBlock(std::span<const uint32_t> rows, std::span<const uint64_t> bits) {
  const auto [least, greatest] = LeastAndGreatest<T>(bits);
  const uint32_t span = rows.back() - rows.front();
  Block block{};
  block.base = least;
  block.offset = bytes_.size();
  block.first_row = rows.front();
  block.last = static_cast<uint8_t>(rows.size() - 1);
  block.row_width = span + 1 == rows.size() ? uint8_t{0} : WidthOf(span);
  block.value_width = WidthOf(greatest - least);

  const size_t bytes = rows.size() * (size_t{block.row_width} + block.value_width);
  ReserveBytes(bytes);
  bytes_.Resize(bytes_.size() + bytes);
  blocks_.push_back(block);
  std::byte* to = bytes_.data() + block.offset;
  to = Store(to, rows, block.first_row, block.row_width);
  Store(to, bits, block.base, block.value_width);
  size_ += rows.size();
}

// Makes room for n more bytes, and for half as many again as there are.
template <typename T>
void SparseColumn<T>::ReserveBytes(size_t n) {
  if (bytes_.size() + n > bytes_.capacity()) bytes_.Reserve(bytes_.size() * 3 / 2 + n);
}

template <typename T>
void SparseColumn<T>::Clear() {
  blocks_.clear();
  bytes_.Resize(0);
  size_ = 0;
}

template <typename T>
void SparseColumn<T>::ShrinkToFit() {
  const auto before = [](const Block& a, const Block& b) { return a.first_row < b.first_row; };
  if (!std::is_sorted(blocks_.begin(), blocks_.end(), before))
    std::sort(blocks_.begin(), blocks_.end(), before);
  blocks_.shrink_to_fit();
  bytes_.ShrinkToFit();
}

template <typename T>
size_t SparseColumn<T>::BlockOf(uint32_t row) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), row,
                                      [](uint32_t r, const Block& b) { return r < b.first_row; });
  return after == blocks_.begin() ? 0 : static_cast<size_t>(after - blocks_.begin()) - 1;
}

template <typename T>
std::optional<T> SparseColumn<T>::Find(EventRow row) const {
  if (blocks_.empty()) return std::nullopt;
  const size_t block = BlockOf(row.value);
  uint32_t low = 0, high = blocks_[block].last;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (RowAt(block, middle) < row.value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (RowAt(block, low) != row.value) return std::nullopt;
  return ValueAt(block, low);
}

template class SparseColumn<int64_t>;
template class SparseColumn<StringId>;
template class SparseColumn<double>;

}  // namespace stepscope
