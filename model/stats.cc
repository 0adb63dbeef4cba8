#include "model/stats.h"

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

StatTable::StatTable()
    : strings(std::make_unique<StringPool>()),
      ints(static_cast<size_t>(IntStat::kCount)),
      texts(static_cast<size_t>(StringStat::kCount)),
      reals(static_cast<size_t>(RealStat::kCount)) {}

StatTable::~StatTable() = default;

void StatTable::ShrinkToFit() {
  for (auto& column : ints) column.ShrinkToFit();
  for (auto& column : texts) column.ShrinkToFit();
  for (auto& column : reals) column.ShrinkToFit();
}

size_t StatTable::bytes() const {
  size_t sum = strings->bytes();
  const auto add = [&sum](const auto& columns) {
    for (const auto& c : columns) sum += c.bytes();
  };
  add(ints);
  add(texts);
  add(reals);
  return sum;
}

}  // namespace stepscope
