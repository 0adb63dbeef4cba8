#include "app/report/event_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
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

namespace {

using Json = nlohmann::json;

void AppendValue(const Stat& stat, bool lists, std::string* out) {
  if (const auto* i = std::get_if<int64_t>(&stat.value)) {
    *out += fmt::format_int(*i).c_str();
  } else if (const auto* u = std::get_if<uint64_t>(&stat.value)) {
    *out += fmt::format_int(*u).c_str();
  } else if (const auto* d = std::get_if<double>(&stat.value)) {
    *out += std::isfinite(*d) ? Json(*d).dump() : "\"" + fmt::format("{}", *d) + "\"";
  } else {
    const std::string& text = std::get<std::string>(stat.value);
    if (lists && text.starts_with('[') && Json::accept(text)) {
      *out += text;
    } else {
      AppendQuoted(text, out);
    }
  }
}

}  // namespace

void AppendQuoted(std::string_view text, std::string* out) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    *out += '"';
    *out += text;
    *out += '"';
  } else {
    *out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out) {
  *out += '{';
  for (const Stat& stat : args) {
    if (out->back() != '{') *out += ',';
    AppendQuoted(stat.name, out);
    *out += ':';
    AppendValue(stat, lists, out);
  }
  *out += '}';
}

}  // namespace stepscope
