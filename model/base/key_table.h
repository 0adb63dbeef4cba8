// Tables that are looked up by a key, made at compile time: an array of KeyRow, sorted by a text
// key, or an array of pairs in any order, for a few values such as enumerators. Pure; O(log rows)
// and O(rows).
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

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

// The value of the pair that begins with the key; `otherwise` if there is none.
template <typename K, typename V, size_t n>
constexpr V FindValue(const std::pair<K, V> (&pairs)[n], std::type_identity_t<K> key,
                      std::type_identity_t<V> otherwise) {
  for (const auto& [k, value] : pairs) {
    if (k == key) return value;
  }
  return otherwise;
}

}  // namespace stepscope
