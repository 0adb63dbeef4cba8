#include "model/xla/shape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace stepscope::xla {

namespace {

struct TypeRow {
  std::string_view name;
  int bits;
};

constexpr std::array<TypeRow, 34> kTypes = {{
    {"invalid", 0},    {"pred", 8},  {"s8", 8},       {"s16", 16},          {"s32", 32},
    {"s64", 64},       {"u8", 8},    {"u16", 16},     {"u32", 32},          {"u64", 64},
    {"f16", 16},       {"f32", 32},  {"f64", 64},     {"tuple", 0},         {"opaque", 0},
    {"c64", 64},       {"bf16", 16}, {"token", 0},    {"c128", 128},        {"f8e5m2", 8},
    {"f8e4m3fn", 8},   {"s4", 4},    {"u4", 4},       {"f8e4m3b11fnuz", 8}, {"f8e5m2fnuz", 8},
    {"f8e4m3fnuz", 8}, {"s2", 2},    {"u2", 2},       {"f8e4m3", 8},        {"f8e3m4", 8},
    {"s1", 1},         {"u1", 1},    {"f4e2m1fn", 4}, {"f8e8m0fnu", 8},
}};

const TypeRow& RowOf(ElementType type) {
  const size_t i = static_cast<size_t>(type);
  return kTypes[i < kTypes.size() ? i : 0];
}

}  // namespace

int BitsOf(ElementType type) { return RowOf(type).bits; }

std::string_view NameOf(ElementType type) { return RowOf(type).name; }

namespace {

constexpr int64_t kCombinedDimension = std::numeric_limits<int64_t>::min();

void AppendNumber(int64_t value, std::string* out) {
  *out += value == kCombinedDimension ? "*" : std::to_string(value);
}

void AppendList(const std::vector<int64_t>& values, std::string* out) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) *out += ',';
    AppendNumber(values[i], out);
  }
}

void AppendTiles(const Shape& shape, std::string* out) {
  if (shape.tiles.empty()) return;
  *out += 'T';
  for (const std::vector<int64_t>& tile : shape.tiles) {
    *out += '(';
    AppendList(tile, out);
    *out += ')';
  }
}

std::string LayoutText(const Shape& shape) {
  std::string details;
  AppendTiles(shape, &details);
  if (shape.element_bits != 0) details += "E(" + std::to_string(shape.element_bits) + ")";
  if (shape.memory_space != 0) details += "S(" + std::to_string(shape.memory_space) + ")";
  std::string text = "{";
  AppendList(shape.minor_to_major, &text);
  if (!details.empty()) text += ':' + details;
  return text + '}';
}

void Append(const Shape& shape, bool with_layout, std::string* out);

void AppendTuple(const Shape& shape, bool with_layout, std::string* out) {
  *out += '(';
  for (size_t i = 0; i < shape.members.size(); ++i) {
    if (i > 0) *out += ", ";
    if (i > 0 && i % 5 == 0) *out += "/*index=" + std::to_string(i) + "*/";
    Append(shape.members[i], with_layout, out);
  }
  *out += ')';
}

void Append(const Shape& shape, bool with_layout, std::string* out) {
  if (shape.is_tuple()) return AppendTuple(shape, with_layout, out);
  *out += NameOf(shape.type);
  *out += '[';
  for (size_t i = 0; i < shape.dimensions.size(); ++i) {
    if (i > 0) *out += ',';
    if (i < shape.dynamic.size() && shape.dynamic[i]) *out += "<=";
    *out += std::to_string(shape.dimensions[i]);
  }
  *out += ']';
  if (!with_layout || !shape.has_layout || !shape.is_array()) return;
  const std::string layout = LayoutText(shape);
  if (!shape.dimensions.empty() || layout != "{}") *out += layout;
}

}  // namespace

int64_t SaturatingProduct(int64_t a, int64_t b) {
  if (a <= 0 || b <= 0) return 0;
  return a > kMostElements / b ? kMostElements : a * b;
}

int64_t Elements(const Shape& shape) {
  if (!shape.is_array()) return 0;
  int64_t n = 1;
  for (const int64_t d : shape.dimensions) {
    if (d <= 0) return 0;
    n = SaturatingProduct(n, d);
  }
  return n;
}

int64_t BytesOf(const Shape& shape, int64_t pointer_bytes) {
  if (shape.is_tuple())
    return SaturatingProduct(static_cast<int64_t>(shape.members.size()), pointer_bytes);
  if (shape.type == ElementType::kOpaque) return 8;
  const int bits = BitsOf(shape.type);
  const int64_t n = Elements(shape);
  if (bits % 8 == 0) return SaturatingProduct(n, bits / 8);
  return (n + 8 / bits - 1) / (8 / bits);
}

const Shape& FirstArray(const Shape& shape) {
  static const Shape kEmpty;
  if (!shape.is_tuple()) return shape;
  return shape.members.empty() ? kEmpty : shape.members.front();
}

int64_t LeafElements(const Shape& shape) {
  if (!shape.is_tuple()) return Elements(shape);
  int64_t n = 0;
  for (const Shape& member : shape.members) n = std::min(kMostElements, n + LeafElements(member));
  return n;
}

int64_t LeafBytes(const Shape& shape) {
  if (!shape.is_tuple()) return BytesOf(shape);
  int64_t n = 0;
  for (const Shape& member : shape.members) n = std::min(kMostElements, n + LeafBytes(member));
  return n;
}

std::string ToText(const Shape& shape, bool with_layout) {
  std::string text;
  Append(shape, with_layout, &text);
  return text;
}

}  // namespace stepscope::xla
