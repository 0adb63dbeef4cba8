#include "model/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;
constexpr size_t kFirstTable = 128;

uint32_t Hash(std::string_view text) {
  return static_cast<uint32_t>(std::hash<std::string_view>{}(text));
}

}  // namespace

StringPool::StringPool() {
  views_.emplace_back();  // id 0, which is not in the table
}
StringPool::~StringPool() = default;
StringPool::StringPool(StringPool&&) noexcept = default;
StringPool& StringPool::operator=(StringPool&&) noexcept = default;

// A slot has an id and a hash. The hash spares most comparisons of texts,
// and all of them when the table grows.
StringId StringPool::Intern(std::string_view text) {
  if (text.empty()) return StringId(0);
  if ((views_.size() + 1) * 4 > table_.size()) Grow();
  const uint32_t hash = Hash(text);
  const size_t mask = table_.size() - 2;
  size_t slot = 2 * size_t{hash} & mask;
  for (; table_[slot] != 0; slot = (slot + 2) & mask) {
    if (table_[slot + 1] == hash && views_[table_[slot] - 1] == text)
      return StringId(table_[slot] - 1);
  }
  char* copy = Allocate(text.size());
  std::memcpy(copy, text.data(), text.size());
  views_.emplace_back(copy, text.size());
  table_[slot] = static_cast<uint32_t>(views_.size());
  table_[slot + 1] = hash;
  return StringId(static_cast<uint32_t>(views_.size() - 1));
}

StringId StringPool::Find(std::string_view text) const {
  if (text.empty()) return StringId(0);
  if (table_.empty()) return {};
  const uint32_t hash = Hash(text);
  const size_t mask = table_.size() - 2;
  for (size_t slot = 2 * size_t{hash} & mask; table_[slot] != 0; slot = (slot + 2) & mask) {
    if (table_[slot + 1] == hash && views_[table_[slot] - 1] == text)
      return StringId(table_[slot] - 1);
  }
  return {};
}

size_t StringPool::bytes() const {
  return total_ + views_.capacity() * sizeof(decltype(views_)::value_type) +
         table_.capacity() * sizeof(decltype(table_)::value_type);
}

char* StringPool::Allocate(size_t n) {
  if (n > block_size_ - block_used_) {
    if (n > kBlockBytes / 4) {  // gets a block of its own; the open block stays the last one
      auto own = std::make_unique_for_overwrite<char[]>(n);
      char* p = own.get();
      blocks_.insert(blocks_.empty() ? blocks_.end() : blocks_.end() - 1, std::move(own));
      total_ += n;
      return p;
    }
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
    block_used_ = 0;
    block_size_ = kBlockBytes;
    total_ += kBlockBytes;
  }
  char* p = blocks_.back().get() + block_used_;
  block_used_ += n;
  return p;
}

void StringPool::Grow() {
  const std::vector<uint32_t> old =
      std::exchange(table_, std::vector<uint32_t>(std::max(kFirstTable, table_.size() * 2)));
  const size_t mask = table_.size() - 2;
  for (size_t from = 0; from < old.size(); from += 2) {
    if (old[from] == 0) continue;
    size_t slot = 2 * size_t{old[from + 1]} & mask;
    while (table_[slot] != 0) slot = (slot + 2) & mask;
    table_[slot] = old[from];
    table_[slot + 1] = old[from + 1];
  }
}

}  // namespace stepscope
