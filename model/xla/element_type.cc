#include "model/xla/element_type.h"

#include <array>
#include <cstddef>

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

}  // namespace stepscope::xla
