// Reads streams of the Arrow C interface for tests, as another library would. It releases every
// structure and checks that it was released.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capi/arrow_abi.h"

namespace stepscope::test {

// Owns a structure and releases it, unless it was moved out.
template <typename T>
struct Released {
  T value{};
  Released() = default;
  Released(const Released&) = delete;
  ~Released() {
    if (value.release == nullptr) return;
    value.release(&value);
    CHECK(gone());
  }
  bool gone() const { return value.release == nullptr; }
  T* operator->() { return &value; }
  T* get() { return &value; }
};

template <typename T>
std::vector<T> NumbersOf(const ArrowArray& array) {
  const auto* begin = static_cast<const T*>(array.buffers[1]) + array.offset;
  return {begin, begin + array.length};
}

inline bool HasValue(const ArrowArray& array, int64_t row) {
  const auto* bits = static_cast<const uint8_t*>(array.buffers[0]);
  return bits == nullptr || (bits[row / 8] >> (row % 8) & 1) != 0;
}

inline std::vector<std::string> TextsOf(const ArrowArray& array) {
  std::vector<std::string> texts;
  if (array.dictionary != nullptr) {
    const std::vector<std::string> known = TextsOf(*array.dictionary);
    for (const int32_t i : NumbersOf<int32_t>(array)) texts.push_back(known.at(size_t(i)));
    return texts;
  }
  const auto* offsets = static_cast<const int64_t*>(array.buffers[1]);
  const auto* bytes = static_cast<const char*>(array.buffers[2]);
  for (int64_t i = 0; i < array.length; ++i)
    texts.emplace_back(bytes + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i]));
  return texts;
}

// The type as in "begin_ps:l name:i<U> events:+L<+s<begin_ps:l>>", with ? after the format of a
// nullable field.
inline std::string FormOf(const ArrowSchema& schema) {
  std::string form = *schema.name != '\0' ? std::string(schema.name) + ":" : std::string();
  form += schema.format;
  if ((schema.flags & ARROW_FLAG_NULLABLE) != 0) form += "?";
  std::string inner;
  for (int64_t i = 0; i < schema.n_children; ++i)
    inner += (i > 0 ? " " : "") + FormOf(*schema.children[i]);
  if (schema.dictionary != nullptr) inner += FormOf(*schema.dictionary);
  return inner.empty() ? form : form + "<" + inner + ">";
}

}  // namespace stepscope::test
