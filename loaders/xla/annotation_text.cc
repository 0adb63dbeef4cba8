#include "loaders/xla/annotation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "loaders/xla/limits.h"
#include "loaders/xla/packed_ints.h"

namespace stepscope::xla {

using namespace proto;

namespace {

constexpr std::array<std::string_view, 7> kTypes = {"replicated", "maximal", "tuple",    "other",
                                                    "manual",     "unknown", "unreduced"};
constexpr uint64_t kMaximal = 1, kTuple = 2, kOther = 3;

std::string_view TypeName(uint64_t type) { return type < kTypes.size() ? kTypes[type] : "unknown"; }

struct Sharding {
  uint64_t type = 0;
  std::vector<int64_t> tiles, devices, reshape, transpose, last_tiles;
  std::vector<std::string> members;
  bool replicated_last = false;
};

std::string Text(const Field& message, int depth);

Sharding Decode(const Field& message, int depth) {
  Sharding s;
  ForFields(message.begin, message.end, [&](const Field& f) {
    if (f.number == 1 && f.wire == kVarint) s.type = f.value;
    if (f.number == 3) AppendInts(f, &s.tiles);
    if (f.number == 4) AppendInts(f, &s.devices);
    if (f.number == 5 && f.wire == kLen && depth < kMaxShapeDepth)
      s.members.push_back(Text(f, depth + 1));
    if (f.number == 6 && f.wire == kVarint) s.replicated_last = f.value != 0;
    if (f.number == 8) AppendInts(f, &s.last_tiles);
    if (f.number == 9) AppendInts(f, &s.reshape);
    if (f.number == 10) AppendInts(f, &s.transpose);
  });
  return s;
}

// "[2,4]0,1,2,3,4,5,6,7", or from a range: "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)".
std::string Devices(const Sharding& s) {
  std::string text = fmt::format("[{}]", fmt::join(s.tiles, ","));
  if (s.reshape.empty()) return text + fmt::format("{}", fmt::join(s.devices, ","));
  text += fmt::format("<=[{}]", fmt::join(s.reshape, ","));
  if (s.transpose.size() > 1) text += fmt::format("T({})", fmt::join(s.transpose, ","));
  return text;
}

std::string Text(const Field& message, int depth) {
  const Sharding s = Decode(message, depth);
  if (s.type == kTuple) return fmt::format("{{{}}}", fmt::join(s.members, ", "));
  if (s.type == kMaximal)
    return fmt::format("{{maximal device={}}}", s.devices.empty() ? 0 : s.devices[0]);
  if (s.type != kOther) return fmt::format("{{{}}}", TypeName(s.type));
  std::string text = "{devices=" + Devices(s);
  if (s.replicated_last) text += " last_tile_dim_replicate";
  if (!s.last_tiles.empty()) {
    std::vector<std::string_view> names;
    for (const int64_t type : s.last_tiles) names.push_back(TypeName(static_cast<uint64_t>(type)));
    text += fmt::format(" last_tile_dims={{{}}}", fmt::join(names, ", "));
  }
  return text + "}";
}

const char* AliasKind(uint64_t kind) {
  return kind == 1 ? "may-alias" : kind == 2 ? "must-alias" : "undefined-alias";
}

std::string AliasEntry(const Field& entry) {
  std::vector<int64_t> output, parameter;
  int64_t number = 0;
  uint64_t kind = 0;
  ForFields(entry.begin, entry.end, [&](const Field& f) {
    if (f.number == 1) AppendInts(f, &output);
    if (f.number == 2 && f.wire == kVarint) number = f.Int();
    if (f.number == 3) AppendInts(f, &parameter);
    if (f.number == 4 && f.wire == kVarint) kind = f.value;
  });
  return fmt::format("{{{}}}: ({}, {{{}}}, {})", fmt::join(output, ", "), number,
                     fmt::join(parameter, ", "), AliasKind(kind));
}

}  // namespace

std::string ShardingText(const Field& sharding) { return Text(sharding, 0); }

std::string FrontendAttributesText(const Field& attributes) {
  std::map<std::string_view, std::string_view> values;
  ForFields(attributes.begin, attributes.end, [&](const Field& pair) {
    if (pair.number != 1 || pair.wire != kLen) return;
    std::string_view key, value;
    ForFields(pair.begin, pair.end, [&](const Field& f) {
      if (f.number == 1 && f.wire == kLen) key = f.text();
      if (f.number == 2 && f.wire == kLen) value = f.text();
    });
    values[key] = value;
  });
  std::string text;
  for (const auto& [key, value] : values) {
    // XLA writes what looks like a dictionary without quotes.
    const bool dictionary = value.starts_with('{') && value.ends_with('}');
    const char* quote = dictionary ? "" : "\"";
    text += fmt::format("{}{}={}{}{}", text.empty() ? "" : ",", key, quote, value, quote);
  }
  return text.empty() ? text : "{" + text + "}";
}

std::string AliasText(const Field& alias) {
  std::vector<std::string> entries;
  ForFields(alias.begin, alias.end, [&](const Field& f) {
    if (f.number == 1 && f.wire == kLen) entries.push_back(AliasEntry(f));
  });
  return entries.empty() ? std::string() : fmt::format("{{ {} }}", fmt::join(entries, ", "));
}

}  // namespace stepscope::xla
