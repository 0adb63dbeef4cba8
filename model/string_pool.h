// StringPool: interned strings; they are added and never removed. Id 0 is "". Owns the bytes, and
// views stay valid as long as the pool. One thread writes; then any number of threads may read.
// Intern and Find are O(length), amortised.
#pragma once

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "model/ids.h"

namespace stepscope {

class StringPool {
 public:
  StringPool();
  ~StringPool();
  StringPool(StringPool&&) noexcept;
  StringPool& operator=(StringPool&&) noexcept;
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;

  StringId Intern(std::string_view text);
  StringId Find(std::string_view text) const;  // invalid id if absent
  std::string_view View(StringId id) const {
    return id.value < views_.size() ? views_[id.value] : std::string_view{};
  }
  size_t size() const { return views_.size(); }
  size_t bytes() const;

 private:
  char* Allocate(size_t n);
  void Grow();

  std::vector<std::string_view> views_;
  std::vector<uint32_t> table_;  // open addressing: id + 1 and hash
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0, block_size_ = 0, total_ = 0;
};

}  // namespace stepscope
