// SharedText: an immutable string of eight bytes whose copies share the text. It is for tables of
// millions of cells in which a name stands many times. Any thread may read and copy one.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope {

class SharedText {
 public:
  SharedText() = default;  // empty, without allocation
  // Copies the text. O(length).
  SharedText(std::string_view text);
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}
  SharedText(const char* text) : SharedText(std::string_view(text)) {}

  SharedText(const SharedText& other) noexcept : block_(other.block_) {
    if (block_) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedText() { Release(); }

  std::string_view view() const {
    return block_ ? std::string_view(reinterpret_cast<const char*>(block_ + 1), block_->size)
                  : std::string_view();
  }
  operator std::string_view() const { return view(); }
  std::string str() const { return std::string(view()); }
  size_t size() const { return block_ ? block_->size : 0; }
  bool empty() const { return block_ == nullptr; }

  // Compares bytes.
  template <std::convertible_to<std::string_view> T>
  friend bool operator==(const SharedText& a, const T& b) {
    return a.view() == std::string_view(b);
  }

 private:
  struct Block {  // the bytes follow it
    std::atomic<uint32_t> owners;
    size_t size;
  };
  void Release() noexcept;

  Block* block_ = nullptr;
};

}  // namespace stepscope
