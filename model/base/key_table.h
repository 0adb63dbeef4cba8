// A table that is looked up by a text key: an array of KeyRow, sorted by key, made at compile time.
// Pure; O(log rows).
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace stepscope {

template <typename T>
struct KeyRow {
  std::string_view key;
  T value;
};

// For a static_assert beside the table: FindKey needs its order.
constexpr bool IsSortedByKey(const auto& rows) {
  return std::is_sorted(std::begin(rows), std::end(rows),
                        [](const auto& a, const auto& b) { return a.key < b.key; });
}

// The value of the key, or null.
constexpr const auto* FindKey(const auto& rows, std::string_view key) {
  const auto it = std::lower_bound(std::begin(rows), std::end(rows), key,
                                   [](const auto& row, std::string_view k) { return row.key < k; });
  return it != std::end(rows) && it->key == key ? &it->value : nullptr;
}

}  // namespace stepscope
