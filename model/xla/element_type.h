// The types of elements of XLA's arrays, by their numbers in ShapeProto. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::xla {

enum class ElementType : uint8_t {
  kInvalid = 0,
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kTuple = 13,
  kOpaque = 14,
  kC64 = 15,
  kBf16 = 16,
  kToken = 17,
  kC128 = 18,
  kF4E2M1 = 32,
};

// The bits of an element in memory: 8 for PRED, 4 for S4. 0 for tuples, tokens and unknown types.
int BitsOf(ElementType type);
// "bf16"; "invalid" for an unknown number.
std::string_view NameOf(ElementType type);

}  // namespace stepscope::xla
