#include "loaders/xla/hlo_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

namespace stepscope::xla {

using namespace proto;

namespace {

void DecodeLayout(const Field& layout, Shape* shape) {
  const auto tile = [shape](const Field& f) {
    ReadFields(f, Numbers(1, &shape->tiles.emplace_back()));
  };
  shape->has_layout = true;
  ReadFields(layout, Numbers(1, &shape->minor_to_major), Message(6, tile),
             Number(7, &shape->element_bits), Number(8, &shape->memory_space));
}

Shape DecodeShapeAt(const Field& message, int depth) {
  Shape shape;
  uint64_t type = 0;
  std::vector<int64_t> dynamic;
  const auto member = [&](const Field& f) {
    if (depth < kMaxShapeDepth) shape.members.push_back(DecodeShapeAt(f, depth + 1));
  };
  const auto layout = [&](const Field& f) { DecodeLayout(f, &shape); };
  ReadFields(message, Number(2, &type), Numbers(3, &shape.dimensions), Message(4, member),
             Message(5, layout), Numbers(6, &dynamic));
  if (type < 256) shape.type = static_cast<ElementType>(type);
  shape.dynamic.assign(dynamic.begin(), dynamic.end());
  return shape;
}

}  // namespace

Shape DecodeShape(const Field& shape) { return DecodeShapeAt(shape, 0); }

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

std::string ShardingTextAt(const Field& message, int depth);

Sharding DecodeSharding(const Field& message, int depth) {
  Sharding s;
  const auto member = [&](const Field& f) {
    if (depth < kMaxShapeDepth) s.members.push_back(ShardingTextAt(f, depth + 1));
  };
  ReadFields(message, Number(1, &s.type), Numbers(3, &s.tiles), Numbers(4, &s.devices),
             Message(5, member), Number(6, &s.replicated_last), Numbers(8, &s.last_tiles),
             Numbers(9, &s.reshape), Numbers(10, &s.transpose));
  return s;
}

// "[2,4]0,1,2,3,4,5,6,7", or from a range: "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)".
std::string TileDevices(const Sharding& s) {
  std::string text = fmt::format("[{}]", fmt::join(s.tiles, ","));
  if (s.reshape.empty()) return text + fmt::format("{}", fmt::join(s.devices, ","));
  text += fmt::format("<=[{}]", fmt::join(s.reshape, ","));
  if (s.transpose.size() > 1) text += fmt::format("T({})", fmt::join(s.transpose, ","));
  return text;
}

std::string ShardingTextAt(const Field& message, int depth) {
  const Sharding s = DecodeSharding(message, depth);
  if (s.type == kTuple) return fmt::format("{{{}}}", fmt::join(s.members, ", "));
  if (s.type == kMaximal)
    return fmt::format("{{maximal device={}}}", s.devices.empty() ? 0 : s.devices[0]);
  if (s.type != kOther) return fmt::format("{{{}}}", TypeName(s.type));
  std::string text = "{devices=" + TileDevices(s);
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
  ReadFields(entry, Numbers(1, &output), Number(2, &number), Numbers(3, &parameter),
             Number(4, &kind));
  return fmt::format("{{{}}}: ({}, {{{}}}, {})", fmt::join(output, ", "), number,
                     fmt::join(parameter, ", "), AliasKind(kind));
}

constexpr int64_t kMostShown = 10;

std::string Digits(double value, int digits) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
  return buffer.data();
}

// As few digits as XLA writes: `few` where they give the same value, else `all`.
template <typename T>
std::string FloatText(T value, int few, int all) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const std::string text = Digits(value, few);
  const T back = static_cast<T>(std::strtod(text.c_str(), nullptr));
  return back == value ? text : Digits(value, all);
}

float HalfToFloat(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float sign = bits >> 15 ? -1.f : 1.f;
  if (exponent == 31) return mantissa ? std::nanf("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

std::vector<uint64_t> FixedValues(const Field& f, size_t width) {
  std::vector<uint64_t> values;
  if (f.wire != kLen) return {f.value};
  for (Bytes p = f.begin; static_cast<size_t>(f.end - p) >= width; p += width) {
    uint64_t v = 0;
    std::memcpy(&v, p, width);
    values.push_back(v);
    if (values.size() > static_cast<size_t>(kMostShown)) break;
  }
  return values;
}

// Where LiteralProto has the values of a type: the field, and the bytes of a value (0: varints).
struct LiteralField {
  ElementType type;
  uint32_t number;
  size_t width;
};
constexpr LiteralField kLiteralFields[] = {
    {ElementType::kPred, 2, 0},  {ElementType::kU8, 3, 1},  {ElementType::kS32, 4, 0},
    {ElementType::kS64, 5, 0},   {ElementType::kU32, 6, 0}, {ElementType::kU64, 7, 0},
    {ElementType::kF32, 8, 4},   {ElementType::kF64, 9, 8}, {ElementType::kF16, 11, 2},
    {ElementType::kBf16, 13, 2}, {ElementType::kS8, 15, 1}, {ElementType::kU16, 16, 2},
    {ElementType::kS16, 17, 2}};

std::string ValueText(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::kPred:
      return bits != 0 ? "true" : "false";
    case ElementType::kS8:
      return std::to_string(static_cast<int8_t>(bits));
    case ElementType::kS16:
      return std::to_string(static_cast<int16_t>(bits));
    case ElementType::kS32:
      return std::to_string(static_cast<int32_t>(bits));
    case ElementType::kS64:
      return std::to_string(static_cast<int64_t>(bits));
    case ElementType::kF16:
      return Digits(HalfToFloat(static_cast<uint16_t>(bits)), 5);
    case ElementType::kBf16:
      return Digits(std::bit_cast<float>(static_cast<uint32_t>(bits << 16)), 4);
    case ElementType::kF32:
      return FloatText(std::bit_cast<float>(static_cast<uint32_t>(bits)), 6, 9);
    case ElementType::kF64:
      return FloatText(std::bit_cast<double>(bits), 15, 17);
    default:
      return std::to_string(bits);
  }
}

std::vector<std::string> LiteralValues(const Field& literal, ElementType type) {
  const auto place = std::find_if(std::begin(kLiteralFields), std::end(kLiteralFields),
                                  [type](const LiteralField& l) { return l.type == type; });
  std::vector<int64_t> ints;
  std::vector<std::string> texts;
  if (place == std::end(kLiteralFields)) return texts;
  const auto add = [&](const Field& f) {
    if (place->width == 0) return AppendNumbers(f, &ints);
    for (const uint64_t v : FixedValues(f, place->width)) texts.push_back(ValueText(type, v));
  };
  ReadFields(literal, AnyField(place->number, add));
  for (const int64_t v : ints) texts.push_back(ValueText(type, static_cast<uint64_t>(v)));
  return texts;
}

// Nests the values by dimension, the last one innermost.
std::string Nested(const std::vector<std::string>& values, const std::vector<int64_t>& sizes,
                   size_t dimension, size_t* next) {
  if (dimension == sizes.size()) return *next < values.size() ? values[(*next)++] : "?";
  const bool innermost = dimension + 1 == sizes.size();
  std::string text = innermost ? "{" : "{ ";
  for (int64_t i = 0; i < sizes[dimension]; ++i) {
    if (i > 0) text += ", ";
    text += Nested(values, sizes, dimension + 1, next);
  }
  return text + (innermost ? "}" : " }");
}

}  // namespace

std::string ShardingText(const Field& sharding) { return ShardingTextAt(sharding, 0); }

std::string FrontendAttributesText(const Field& attributes) {
  std::map<std::string_view, std::string_view> values;
  const auto add = [&values](const Field& pair) {
    std::string_view key, value;
    ReadFields(pair, Text(1, &key), Text(2, &value));
    values[key] = value;
  };
  ReadFields(attributes, Message(1, add));
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
  ReadFields(alias, Message(1, [&](const Field& f) { entries.push_back(AliasEntry(f)); }));
  return entries.empty() ? std::string() : fmt::format("{{ {} }}", fmt::join(entries, ", "));
}

std::string LiteralText(const Field& literal) {
  Shape shape;
  ReadFields(literal, Message(1, [&](const Field& f) { shape = DecodeShape(f); }));
  if (!shape.is_array() || Elements(shape) > kMostShown || shape.dimensions.size() > 8)
    return "{...}";
  const std::vector<std::string> values = LiteralValues(literal, shape.type);
  if (static_cast<int64_t>(values.size()) != Elements(shape)) return "{...}";
  size_t next = 0;
  return Nested(values, shape.dimensions, 0, &next);
}

}  // namespace stepscope::xla
