#include "app/report/torch_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace stepscope {
namespace {

constexpr std::pair<const char*, IntStat> kNumbers[] = {
    {"device", IntStat::kDeviceId},
    {"correlation", IntStat::kCorrelationId},
    {"registers per thread", IntStat::kRegisters},
    {"shared memory", IntStat::kStaticShared},
    {"dynamic shared memory", IntStat::kDynamicShared},
    {"bytes", IntStat::kBytes},
};

struct Shape {
  const char* name;
  std::array<IntStat, 3> sizes;
};
constexpr Shape kShapes[] = {
    {"grid", {IntStat::kGridX, IntStat::kGridY, IntStat::kGridZ}},
    {"block", {IntStat::kBlockX, IntStat::kBlockY, IntStat::kBlockZ}},
};

std::optional<std::string> TextOf(const Shape& shape, const StatTable& stats, EventRow row) {
  std::array<int64_t, 3> sizes{};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::optional<int64_t> size = stats.Int(shape.sizes[i]).Find(row);
    if (!size) return std::nullopt;
    sizes[i] = *size;
  }
  return fmt::format("[{},{},{}]", sizes[0], sizes[1], sizes[2]);
}

}  // namespace

std::vector<Stat> TorchArgs(const StatTable& stats, EventRow row, const std::vector<Stat>& own) {
  std::vector<Stat> args;
  const auto has = [&own](std::string_view name) {
    return std::any_of(own.begin(), own.end(), [name](const Stat& s) { return s.name == name; });
  };
  for (const auto& [name, stat] : kNumbers) {
    if (has(name)) continue;
    if (const auto value = stats.Int(stat).Find(row)) args.push_back({name, *value});
  }
  for (const Shape& shape : kShapes) {
    if (has(shape.name)) continue;
    if (auto text = TextOf(shape, stats, row)) args.push_back({shape.name, *std::move(text)});
  }
  if (const auto occupancy = stats.Real(RealStat::kOccupancyPct).Find(row);
      occupancy && !has("est. achieved occupancy %"))
    args.push_back({"est. achieved occupancy %", *occupancy});
  return args;
}

}  // namespace stepscope
