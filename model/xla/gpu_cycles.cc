#include "model/xla/cost_context.h"

#include <array>

namespace stepscope::xla {
namespace {

struct CyclesRow {
  ElementType type;
  Opcode opcode;
  int cycles;
};

constexpr auto kCycles = std::to_array<CyclesRow>({
    {ElementType::kS8, Op("divide"), 370},
    {ElementType::kS8, Op("power"), 392},
    {ElementType::kS16, Op("divide"), 367},
    {ElementType::kS16, Op("power"), 396},
    {ElementType::kS32, Op("divide"), 306},
    {ElementType::kS64, Op("divide"), 918},
    {ElementType::kS64, Op("power"), 601},
    {ElementType::kU8, Op("divide"), 306},
    {ElementType::kU8, Op("power"), 388},
    {ElementType::kU16, Op("divide"), 302},
    {ElementType::kU16, Op("power"), 399},
    {ElementType::kU32, Op("divide"), 115},
    {ElementType::kU64, Op("divide"), 838},
    {ElementType::kU64, Op("power"), 604},
    {ElementType::kF16, Op("cbrt"), 925},
    {ElementType::kF16, Op("cosine"), 691},
    {ElementType::kF16, Op("exponential"), 108},
    {ElementType::kF16, Op("exponential-minus-one"), 396},
    {ElementType::kF16, Op("log"), 266},
    {ElementType::kF16, Op("log-plus-one"), 284},
    {ElementType::kF16, Op("logistic"), 226},
    {ElementType::kF16, Op("rsqrt"), 97},
    {ElementType::kF16, Op("sqrt"), 97},
    {ElementType::kF16, Op("tanh"), 212},
    {ElementType::kF16, Op("atan2"), 482},
    {ElementType::kF16, Op("power"), 975},
    {ElementType::kF32, Op("cbrt"), 867},
    {ElementType::kF32, Op("cosine"), 662},
    {ElementType::kF32, Op("exponential"), 86},
    {ElementType::kF32, Op("exponential-minus-one"), 381},
    {ElementType::kF32, Op("log"), 244},
    {ElementType::kF32, Op("log-plus-one"), 262},
    {ElementType::kF32, Op("logistic"), 176},
    {ElementType::kF32, Op("rsqrt"), 75},
    {ElementType::kF32, Op("sine"), 662},
    {ElementType::kF32, Op("sqrt"), 75},
    {ElementType::kF32, Op("tanh"), 190},
    {ElementType::kF32, Op("atan2"), 486},
    {ElementType::kF32, Op("power"), 925},
    {ElementType::kF64, Op("cbrt"), 6339},
    {ElementType::kF64, Op("cosine"), 1717},
    {ElementType::kF64, Op("exponential"), 1652},
    {ElementType::kF64, Op("exponential-minus-one"), 1900},
    {ElementType::kF64, Op("log"), 608},
    {ElementType::kF64, Op("log-plus-one"), 2073},
    {ElementType::kF64, Op("logistic"), 2412},
    {ElementType::kF64, Op("rsqrt"), 698},
    {ElementType::kF64, Op("sine"), 1789},
    {ElementType::kF64, Op("sqrt"), 986},
    {ElementType::kF64, Op("tanh"), 1609},
    {ElementType::kF64, Op("add"), 97},
    {ElementType::kF64, Op("atan2"), 3747},
    {ElementType::kF64, Op("divide"), 2016},
    {ElementType::kF64, Op("multiply"), 97},
    {ElementType::kF64, Op("power"), 5511},
    {ElementType::kF64, Op("subtract"), 97},
    {ElementType::kC64, Op("exponential"), 1360},
    {ElementType::kC64, Op("exponential-minus-one"), 1400},
    {ElementType::kC64, Op("log"), 950},
    {ElementType::kC64, Op("log-plus-one"), 842},
    {ElementType::kC64, Op("rsqrt"), 2383},
    {ElementType::kC64, Op("sqrt"), 3193},
    {ElementType::kC64, Op("atan2"), 5353},
    {ElementType::kC64, Op("divide"), 687},
    {ElementType::kC64, Op("power"), 3351},
    {ElementType::kC128, Op("cosine"), 6613},
    {ElementType::kC128, Op("exponential"), 4028},
    {ElementType::kC128, Op("exponential-minus-one"), 4161},
    {ElementType::kC128, Op("log"), 7599},
    {ElementType::kC128, Op("log-plus-one"), 6962},
    {ElementType::kC128, Op("rsqrt"), 11318},
    {ElementType::kC128, Op("sine"), 5878},
    {ElementType::kC128, Op("sqrt"), 15606},
    {ElementType::kC128, Op("tanh"), 9939},
    {ElementType::kC128, Op("add"), 97},
    {ElementType::kC128, Op("atan2"), 39027},
    {ElementType::kC128, Op("divide"), 7941},
    {ElementType::kC128, Op("multiply"), 270},
    {ElementType::kC128, Op("power"), 18205},
    {ElementType::kC128, Op("subtract"), 97},
});

constexpr int kOther = 3;

}  // namespace

int GpuCycles(Opcode opcode, ElementType type) {
  for (const CyclesRow& row : kCycles) {
    if (row.type == type && row.opcode == opcode) return row.cycles;
  }
  return kOther;
}

}  // namespace stepscope::xla
