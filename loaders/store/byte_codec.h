// How the sections of a store write numbers and texts. A list of integers is a base, a common
// factor and the rest in as few bytes as the largest needs, byte by byte in planes, which zstd
// packs well (docs/store.md#numbers). ByteReader trusts nothing: past the end it fails and stays
// failed, and gives zeros. Pure; O(bytes).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::store {

class ByteWriter {
 public:
  explicit ByteWriter(std::string* out) : out_(out) {}
  void Varint(uint64_t value);
  void Signed(int64_t value);  // zigzag
  void Bytes(std::string_view bytes) { out_->append(bytes); }
  void Text(std::string_view text) { Varint(text.size()), Bytes(text); }
  void Ints(std::span<const uint64_t> values);
  void Texts(std::span<const std::string_view> texts);  // lengths as Ints, then all bytes

 private:
  std::string* out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  void Fail() { ok_ = false; }
  size_t left() const { return rest_.size(); }
  uint64_t Varint();
  int64_t Signed();
  std::string_view Bytes(uint64_t n);  // empty where fewer are left
  std::string_view Text() { return Bytes(Varint()); }
  // A number of things, each of which takes memory even where it takes no bytes.
  uint32_t Count(uint32_t most);
  void Ints(std::span<uint64_t> values);
  // Borrows the bytes. `n` must be bounded by the caller.
  std::vector<std::string_view> Texts(uint32_t n);

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace stepscope::store
