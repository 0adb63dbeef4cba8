#include "model/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace stepscope {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;
constexpr size_t kFirstTable = 64;

size_t Hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

}  // namespace

StringPool::StringPool() {
  views_.emplace_back();  // id 0, which the table does not hold
}
StringPool::~StringPool() = default;
StringPool::StringPool(StringPool&&) noexcept = default;
StringPool& StringPool::operator=(StringPool&&) noexcept = default;

StringId StringPool::Intern(std::string_view text) {
  if (text.empty()) return StringId(0);
  if ((views_.size() + 1) * 2 > table_.size()) Grow();
  const size_t mask = table_.size() - 1;
  size_t slot = Hash(text) & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    if (views_[table_[slot] - 1] == text) return StringId(table_[slot] - 1);
  }
  char* copy = Allocate(text.size());
  std::memcpy(copy, text.data(), text.size());
  views_.emplace_back(copy, text.size());
  table_[slot] = static_cast<uint32_t>(views_.size());
  return StringId(static_cast<uint32_t>(views_.size() - 1));
}

StringId StringPool::Find(std::string_view text) const {
  if (text.empty()) return StringId(0);
  if (table_.empty()) return {};
  const size_t mask = table_.size() - 1;
  for (size_t slot = Hash(text) & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
    if (views_[table_[slot] - 1] == text) return StringId(table_[slot] - 1);
  }
  return {};
}

size_t StringPool::bytes() const {
  return total_ + views_.capacity() * sizeof(decltype(views_)::value_type) +
         table_.capacity() * sizeof(decltype(table_)::value_type);
}

char* StringPool::Allocate(size_t n) {
  if (n > block_size_ - block_used_) {
    if (n > kBlockBytes / 4) {  // a block of its own; the open block stays the last one
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
  table_.assign(std::max(kFirstTable, table_.size() * 2), 0);
  const size_t mask = table_.size() - 1;
  for (uint32_t id = 1; id < views_.size(); ++id) {
    size_t slot = Hash(views_[id]) & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = id + 1;
  }
}

}  // namespace stepscope
