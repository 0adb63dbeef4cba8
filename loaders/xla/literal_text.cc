#include "loaders/xla/literal_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "loaders/xla/packed_ints.h"
#include "loaders/xla/shape_decoder.h"

namespace stepscope::xla {

using namespace proto;

namespace {

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

struct LiteralField {
  uint32_t number;
  int width;  // bytes of a value; 0: varints
};

// Where LiteralProto has values of the type.
LiteralField FieldOf(ElementType type) {
  switch (type) {
    case ElementType::kPred:
      return {2, 0};
    case ElementType::kS8:
      return {15, 1};
    case ElementType::kU8:
      return {3, 1};
    case ElementType::kS16:
      return {17, 2};
    case ElementType::kU16:
      return {16, 2};
    case ElementType::kS32:
      return {4, 0};
    case ElementType::kS64:
      return {5, 0};
    case ElementType::kU32:
      return {6, 0};
    case ElementType::kU64:
      return {7, 0};
    case ElementType::kF16:
      return {11, 2};
    case ElementType::kBf16:
      return {13, 2};
    case ElementType::kF32:
      return {8, 4};
    case ElementType::kF64:
      return {9, 8};
    default:
      return {0, 0};
  }
}

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

std::vector<std::string> Values(const Field& literal, ElementType type) {
  const LiteralField place = FieldOf(type);
  std::vector<int64_t> ints;
  std::vector<std::string> texts;
  ForFields(literal.begin, literal.end, [&](const Field& f) {
    if (place.number == 0 || f.number != place.number) return;
    if (place.width == 0) return AppendInts(f, &ints);
    for (const uint64_t v : FixedValues(f, static_cast<size_t>(place.width)))
      texts.push_back(ValueText(type, v));
  });
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

std::string LiteralText(const Field& literal) {
  Shape shape;
  ForFields(literal.begin, literal.end, [&](const Field& f) {
    if (f.number == 1 && f.wire == kLen) shape = DecodeShape(f.begin, f.end);
  });
  if (!shape.is_array() || Elements(shape) > kMostShown || shape.dimensions.size() > 8)
    return "{...}";
  const std::vector<std::string> values = Values(literal, shape.type);
  if (static_cast<int64_t>(values.size()) != Elements(shape)) return "{...}";
  size_t next = 0;
  return Nested(values, shape.dimensions, 0, &next);
}

}  // namespace stepscope::xla
