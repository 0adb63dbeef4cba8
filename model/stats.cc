#include "model/stats.h"

#include <algorithm>
#include <cstdio>

#include "model/string_pool.h"

namespace stepscope {

std::string ToText(const Stat& stat) {
  if (const auto* i = std::get_if<int64_t>(&stat.value)) return std::to_string(*i);
  if (const auto* u = std::get_if<uint64_t>(&stat.value)) return std::to_string(*u);
  if (const auto* d = std::get_if<double>(&stat.value)) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.6g", *d);
    return buffer;
  }
  return std::get<std::string>(stat.value);
}

template <typename T>
std::optional<T> SparseColumn<T>::Find(EventRow row) const {
  const auto it = std::lower_bound(rows.begin(), rows.end(), row.value);
  if (it == rows.end() || *it != row.value) return std::nullopt;
  return values[static_cast<size_t>(it - rows.begin())];
}

template struct SparseColumn<int64_t>;
template struct SparseColumn<StringId>;
template struct SparseColumn<double>;

StatTable::StatTable()
    : strings(std::make_unique<StringPool>()),
      ints(static_cast<size_t>(IntStat::kCount)),
      texts(static_cast<size_t>(StringStat::kCount)),
      reals(static_cast<size_t>(RealStat::kCount)) {}

StatTable::~StatTable() = default;

size_t StatTable::bytes() const {
  size_t sum = strings->bytes();
  const auto add = [&sum](const auto& columns) {
    for (const auto& c : columns) {
      sum += c.rows.size() * sizeof(c.rows[0]) + c.values.size() * sizeof(c.values[0]);
    }
  };
  add(ints);
  add(texts);
  add(reals);
  return sum;
}

}  // namespace stepscope
